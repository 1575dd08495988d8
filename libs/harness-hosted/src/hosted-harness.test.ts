import { describe, expect, it } from "@effect/vitest"
import { AssetId, type ModelScript } from "@steno/contracts"
import { makeRecordingTurnHost, prepareOptions, turnRequest } from "@steno/harness-seam/testing"
import { Effect } from "effect"
import { bashTool, makeSessionLog, scriptedHarness, testCallId } from "./testing.ts"

const key = "sk-steno-0123456789"
const script: ModelScript = { steps: [{ answer: { content: [{ type: "text", text: `x ${key} y` }] }, pace: { deltaSize: [5, 7, 3] } }] }

const refusal = (model: string | undefined, options: Parameters<typeof scriptedHarness>[1] = {}) =>
  Effect.flip(scriptedHarness(script, options).prepare(prepareOptions(model === undefined ? {} : { model: { model } })))

describe("preparing the loop", () => {
  for (const [model, code, options] of [
    ["anthropic/claude", "auth-required", {}],
    ["openai/gpt", "auth-required", { providers: { openai: { apiKey: "" } } }],
    ["openai-compatible/any", "probe-failed", { providers: { "openai-compatible": { apiKey: key } } }],
    ["openai-compatible/any", "probe-failed", { providers: { "openai-compatible": { baseUrl: "nowhere" } } }],
    ["openai/gpt", "probe-failed", { providers: { openai: { apiKey: key, baseUrl: `http://me:${key}@127.0.0.1:9/v1` } } }],
    ["anthropic/claude", "probe-failed", { providers: { anthropic: { apiKey: key, baseUrl: "file:///v1" } } }],
    ["anthropic/", "probe-failed", {}],
    ["elsewhere/model", "probe-failed", {}],
    ["script:", "probe-failed", {}],
    ["script:missing.json", "probe-failed", {}],
    ["script:/broken.json", "probe-failed", { readScript: () => Effect.succeed("{}") }]
  ] as const) {
    it.effect(`is refused as ${code} for ${model}, with a remedy, by a word without secrets`, () =>
      Effect.gen(function*() {
        const { reason } = yield* refusal(model, options)
        expect(reason.code).toBe(code)
        expect(reason).toMatchObject({ remedy: expect.stringMatching(/./) })
        expect(reason.message).not.toContain(key)
      }))
  }

  it.effect("reads an effort only where it is one", () =>
    Effect.gen(function*() {
      const harness = scriptedHarness(script, { providers: { anthropic: { apiKey: key } } })
      const prepare = (effort: string) => harness.prepare(prepareOptions({ model: { model: "anthropic/claude", effort } }))
      yield* prepare("high")
      for (const effort of ["utmost", "none"]) expect((yield* Effect.flip(prepare(effort))).reason.code).toBe("probe-failed")
    }))

  it.effect("finds a script from the workspace", () =>
    Effect.gen(function*() {
      const asked: Array<string> = []
      const readScript = (file: string) => {
        asked.push(file)
        return Effect.succeed(JSON.stringify(script))
      }
      yield* scriptedHarness(script, { readScript }).prepare(prepareOptions({ workspace: "/project", model: { model: "script:a/b.json" } }))
      expect(asked).toEqual(["/project/a/b.json"])
    }))
})

const played = (options: Parameters<typeof scriptedHarness>[1], steps = script, log = makeSessionLog([bashTool])) =>
  Effect.gen(function*() {
    const prepared = yield* Effect.orDie(scriptedHarness(steps, options).prepare(prepareOptions()))
    const request = turnRequest()
    const host = makeRecordingTurnHost(log.answers(request))
    const result = yield* host.follow(yield* prepared.startTurn(request, host))
    return { host, log, prepared, result }
  })

describe("the loop", () => {
  it.effect("redacts the keys of its options, live and stored, also in pieces", () =>
    Effect.gen(function*() {
      const { host, log } = yield* played({ providers: { openai: { apiKey: key } } })
      expect(JSON.stringify([host.journal, log.events])).not.toContain(key.slice(-8))
      expect(log.events.at(-1)?.payload).toMatchObject({ blocks: [{ content: "x [redacted] y" }] })
    }))

  it.effect("tells the model its instructions and the host's tools", () =>
    Effect.gen(function*() {
      const answer = { content: [{ type: "text" as const, text: "ok" }] }
      const expecting = (system: string): ModelScript => ({ steps: [{ answer, expect: { system, tools: ["bash"] } }] })
      expect((yield* played({}, expecting("The workspace is /."))).result.kind).toBe("completed")
      expect((yield* played({ instructions: (workspace) => `Stay in ${workspace}` }, expecting("Stay in /"))).result.kind).toBe("completed")
    }))

  it.effect("reads an image once, when its result is new to it", () =>
    Effect.gen(function*() {
      const log = makeSessionLog()
      const { turnId } = turnRequest()
      const { events } = log
      log.add("tool-call-response", {
        callId: testCallId(5), tool: "read", origin: "user", outcome: "completed", agentProjection: "an image",
        agentImages: [{ assetId: AssetId.make("asset_01ARZ3NDEKTSV4RRFFQ69G5FAV"), mediaType: "image/png" }], survivors: [], warnings: [], assetIds: []
      }, turnId)
      const reads: Array<string> = []
      const readImage = ({ mediaType }: { readonly mediaType: string }) => Effect.sync(() => {
        reads.push(mediaType)
        return undefined
      })
      const calls: ModelScript = {
        steps: [
          { answer: { content: [{ type: "call", tool: "bash", arguments: {} }] }, expect: { contains: "[An image of read is not available.]" } },
          { answer: { content: [{ type: "text", text: "ok" }] } }
        ]
      }
      expect((yield* played({ readImage }, calls, log)).result.kind).toBe("completed")
      expect(reads).toEqual(["image/png"])
      expect(events.filter(({ type }) => type === "assistant-message")).toHaveLength(2)
    }))
})
