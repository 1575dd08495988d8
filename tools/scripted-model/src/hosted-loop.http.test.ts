/** The built-in loop over HTTP, in every protocol it speaks. */
import { describe, expect, it } from "@effect/vitest"
import {
  CallId,
  ConversationId,
  type EventPayload,
  type EventType,
  type ModelScript,
  type StoredEvent
} from "@steno/contracts"
import { makeHostedHarness } from "@steno/harness-hosted"
import type { ProposalAnswer, ProposedMessage, TurnEvent, TurnHandle } from "@steno/harness-seam"
import { makeRecordingTurnHost, prepareOptions, turnRequest } from "@steno/harness-seam/testing"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { createServer } from "node:net"
import type { ScriptedModel } from "./index.ts"
import { awkwardText, everything, says, served } from "./testing.ts"

type Step = ModelScript["steps"][number]
const key = "sk-steno-0123456789"
const access = (url: string) => ({ apiKey: key, baseUrl: `${url}/v1` })
const harnessAt = (url: string) =>
  makeHostedHarness({
    providers: { "anthropic": access(url), "openai": access(url), "openai-compatible": access(url) },
    readScript: () => Effect.succeed(undefined),
    readImage: () => Effect.succeed(undefined)
  })

const { turnId } = turnRequest()
const conversationId = ConversationId.make("conv_01ARZ3NDEKTSV4RRFFQ69G5FAV")

/** What the host of one Turn stores, with calls that answer with their tool's name. */
const memoryHost = () => {
  const events: Array<StoredEvent> = []
  const add = <Type extends EventType>(type: Type, payload: EventPayload<Type>) =>
    events.push({
      conversationId, sequence: events.length + 1, turnId, type, version: 1, payload, createdAt: "2026-01-01T00:00:00.000Z"
    } as StoredEvent)
  add("turn-admitted", { input: "hello", origin: "user", harness: { id: "hosted" } })
  let calls = 0
  const propose = ({ blocks }: ProposedMessage): ProposalAnswer => {
    const stored = blocks.map((block, firstSeen) => {
      if (block.type === "text") return { type: "text" as const, itemId: block.messageId, firstSeen, content: block.content }
      if (block.type === "reasoning-summary") return { type: block.type, itemId: block.summaryId, firstSeen, content: block.content }
      return { ...block, firstSeen, callId: CallId.make(`call_01ARZ3NDEKTSV4RRFFQ${String(calls++).padStart(7, "0")}`) }
    })
    add("assistant-message", { blocks: stored as EventPayload<"assistant-message">["blocks"] })
    const results = stored.flatMap((block) => {
      if (block.type !== "call") return []
      const failed = !("arguments" in block) || block.tool === "fails"
      const end = { outcome: failed ? "failed" as const : "completed" as const, agentProjection: `${block.tool} ${failed ? "failed" : "says"} é` }
      add("tool-call-response", { callId: block.callId, tool: block.tool, origin: "model", survivors: [], warnings: [], assetIds: [], ...end })
      return [{ itemId: block.itemId, callId: block.callId, ...end }]
    })
    return { kind: "settled", results }
  }
  const inputSchema = { type: "object", properties: {}, additionalProperties: true }
  return makeRecordingTurnHost({
    context: Effect.sync(() => ({
      events: [...events],
      tools: ["bash", "read", "fails"].map((name) => ({ name, description: `The tool ${name}.`, inputSchema }))
    })),
    propose: (message) => Effect.sync(() => propose(message))
  })
}

const started = (url: string, model: string, effort: { readonly effort?: string } = {}) =>
  Effect.gen(function*() {
    const prepared = yield* Effect.orDie(harnessAt(url).prepare(prepareOptions({ model: { model, ...effort } })))
    const host = memoryHost()
    const handle = yield* prepared.startTurn(turnRequest({ input: "hello" }), host)
    return { handle, host, following: yield* Effect.forkChild(host.follow(handle), { startImmediately: true }) }
  })

const played = (url: string, model: string) =>
  Effect.gen(function*() {
    const { following, host } = yield* started(url, model)
    return { host, result: yield* Fiber.join(following) }
  })

const seen = (handle: TurnHandle, fits: (event: TurnEvent) => boolean) =>
  Effect.callback<void>((resume) => {
    const stop = handle.subscribe((event) => {
      if (fits(event)) resume(Effect.void)
    })
    return Effect.sync(stop)
  })

const serving = (steps: ReadonlyArray<Step>) => Effect.promise(() => served({ steps }))

const proposals = (host: ReturnType<typeof memoryHost>) => host.journal.flatMap((entry) => (entry.kind === "propose" ? [entry.message] : []))
const failed = (reason: string, text: RegExp) => ({ kind: "failed", availability: "open", failure: { reason, text: expect.stringMatching(text) } })
const outcomes = (server: ScriptedModel) => server.requests().map(({ outcome }) => outcome)

/** A port of this machine that nobody listens at. */
const freePort = Effect.promise(() => new Promise<number>((resolve) => {
  const server = createServer().listen(0, "127.0.0.1", () => {
    const address = server.address()
    server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0))
  })
}))

describe.each(["anthropic/scripted-model", "openai/scripted-model", "openai-compatible/scripted-model"])("the loop over %s", (model) => {
  const oneText = model.startsWith("openai-compatible")

  it.effect("gets a Thought, a text and parallel calls that are split at every byte, and carries results back", () =>
    Effect.gen(function*() {
      const server = yield* serving([
        everything,
        { ...says("ok"), expect: { resultCount: 2, messageCount: 4, results: [{ tool: "bash", contains: "bash says é" }, { tool: "read", contains: "read says é" }] } }
      ])
      const { host, result } = yield* played(server.url, model)
      expect(result).toEqual({ kind: "completed", availability: "open", model })
      expect(outcomes(server)).toEqual(["answer", "answer"])
      expect(proposals(host)[0]?.blocks).toMatchObject([
        { type: "reasoning-summary", content: "Erst nachdenken 🤔." },
        { type: "text", content: awkwardText },
        { type: "call", tool: "bash", arguments: { command: "echo \"é\" | cat" } },
        { type: "call", tool: "read", arguments: { path: "a b.txt", offset: 3 } }
      ])
      const drafts = host.events().filter(({ type }) => type === "argument-draft")
      expect(drafts.length).toBeGreaterThan(10)
      expect(host.events()).toContainEqual({ type: "context", report: { usedTokens: 50 } })
    }))

  it.effect("gives back what the provider wants of its reasoning, and stores none of it", () =>
    Effect.gen(function*() {
      const server = yield* serving([
        { answer: { content: [{ type: "thought", text: "hm" }, { type: "call", tool: "bash", arguments: {} }] } },
        says("ok")
      ])
      const { following, host } = yield* started(server.url, model.startsWith("openai/") ? "openai/gpt-5" : model)
      expect((yield* Fiber.join(following)).kind).toBe("completed")
      const body = JSON.stringify(server.requests()[1]?.body)
      const sealed = /"(signature|encrypted_content)":"([^"]+)"/.exec(body)
      expect(sealed?.[1]).toBe(model.startsWith("anthropic/") ? "signature" : oneText ? undefined : "encrypted_content")
      if (sealed?.[2] !== undefined) expect(JSON.stringify(host.journal)).not.toContain(sealed[2])
      expect(body.includes("\"hm\"")).toBe(!oneText)
    }))

  it.effect("tells the model of a tool that failed and of arguments that are no JSON", () =>
    Effect.gen(function*() {
      const server = yield* serving([
        {
          answer: {
            content: [
              { type: "call", tool: "fails", arguments: {} },
              { type: "call", tool: "read", argumentsText: "{\"path\": \"a" }
            ]
          }
        },
        { ...says("I see"), expect: { resultCount: 2, results: [{ tool: "fails", contains: "fails failed é" }, { tool: "read", contains: "read failed é" }] } }
      ])
      const { host, result } = yield* played(server.url, model)
      expect(JSON.stringify(server.requests()[1]?.body)).toContain(`"fails failed é"`)
      expect(proposals(host)[0]?.blocks).toMatchObject([{ tool: "fails", arguments: {} }, { tool: "read", rawArguments: "{\"path\": \"a" }])
      expect(result.kind).toBe("completed")
    }))

  it.effect("keeps two texts apart where the protocol does", () =>
    Effect.gen(function*() {
      const server = yield* serving([{ answer: { content: [{ type: "text", text: "one" }, { type: "text", text: "two" }] } }])
      const { host } = yield* played(server.url, model)
      const texts = proposals(host).flatMap(({ blocks }) => blocks.flatMap((block) => (block.type === "text" ? [block.content] : [])))
      expect(texts).toEqual(oneText ? ["onetwo"] : ["one", "two"])
    }))

  it.effect("leaves a stalled answer when it is interrupted, which ends the connection", () =>
    Effect.gen(function*() {
      const server = yield* serving([{ ...says("abc"), pace: { deltaSize: 1 }, fault: { type: "stall", at: 2 } }])
      const { following, handle, host } = yield* started(server.url, model)
      yield* seen(handle, (event) => event.type === "message-preview" && event.content === "ab")
      expect(yield* handle.interrupt).toEqual({ kind: "accepted" })
      expect((yield* Fiber.join(following)).kind).toBe("interrupted")
      expect(yield* Effect.promise(() => server.ended(1))).toBe("client-left")
      expect(host.events().filter(({ type }) => type === "assistant-content")).toMatchObject([{ content: "ab", incomplete: true }])
    }))

  for (const [title, step, reason, text] of [
    ["a connection that breaks in the middle", { ...says("abc"), pace: { deltaSize: 1 }, fault: { type: "disconnect", at: 2 } }, "native", /connection/],
    ["a connection that breaks before its end", { ...says("abc"), fault: { type: "disconnect" } }, "native", /connection/],
    ["a broken frame", { ...says("abc"), fault: { type: "malformed-frame", at: "end" } }, "protocol", /not understood/],
    ["an error frame", { ...says("abc"), fault: { type: "error-frame", status: 500, message: "gone wrong" } }, "native", /gone wrong/],
    ["a wrong key", { error: { status: 401, message: "no such key" } }, "auth", /401: no such key/],
    ["a bad request", { error: { status: 400, message: "too long" } }, "native", /400: too long/],
    ["a cut answer", { answer: { content: [{ type: "text", text: "half" }], stop: "length" } }, "native", /limit/],
    ["a refused answer", { answer: { content: [{ type: "text", text: "no" }], stop: "refusal" } }, "native", /refused/],
    ["an empty answer", { answer: { content: [] } }, "native", /nothing/]
  ] as const satisfies ReadonlyArray<readonly [string, Step, string, RegExp]>) {
    it.effect(`fails the Turn with its reason, stores nothing and asks once: ${title}`, () =>
      Effect.gen(function*() {
        const server = yield* serving([step, says("never asked")])
        const { host, result } = yield* played(server.url, model)
        expect(result).toMatchObject(failed(reason, text))
        expect(proposals(host)).toEqual([])
        expect(server.requests()).toHaveLength(1)
        expect(JSON.stringify([host.journal, result])).not.toContain(key)
      }))
  }

  for (const [title, steps, kind] of [
    ["429, then an answer", [{ error: { status: 429, message: "slow down" } }, says("ok")], "completed"],
    ["529, a broken connection, then an answer", [{ error: { status: 529 } }, { ...says("x"), fault: { type: "disconnect", at: "start" } }, says("ok")], "completed"],
    ["500 three times", [{ error: { status: 500, message: "oops" }, times: 3 }, says("never asked")], "failed"]
  ] as const satisfies ReadonlyArray<readonly [string, ReadonlyArray<Step>, string]>) {
    it.effect(`asks again, each time told: ${title}`, () =>
      Effect.gen(function*() {
        const server = yield* serving(steps)
        const { following, handle, host } = yield* started(server.url, model)
        const retries = Math.min(steps.length, 3) - (kind === "failed" ? 0 : 1)
        for (let attempt = 1; attempt <= retries; attempt++) {
          yield* seen(handle, (event) => event.type === "provider-retry" && event.attempt === attempt)
          yield* TestClock.adjust(1_000 * attempt)
        }
        expect((yield* Fiber.join(following)).kind).toBe(kind)
        expect(host.events().filter(({ type }) => type === "provider-retry")).toHaveLength(retries)
        expect(server.requests()).toHaveLength(retries + 1)
      }))
  }

  it.effect("asks a server that nobody runs three times, and never names where it is", () =>
    Effect.gen(function*() {
      const port = yield* freePort
      const { following, handle, host } = yield* started(`http://127.0.0.1:${port}`, model)
      for (const attempt of [1, 2]) {
        yield* seen(handle, (event) => event.type === "provider-retry" && event.attempt === attempt)
        yield* TestClock.adjust(1_000 * attempt)
      }
      expect(yield* Fiber.join(following)).toMatchObject(failed("native", /refused \(ECONNREFUSED\)/))
      expect(JSON.stringify(host.journal)).not.toContain(String(port))
    }))

  it.effect("sends its key, its instructions and the tools, and has nothing kept", () =>
    Effect.gen(function*() {
      const server = yield* serving([{ ...says("ok"), expect: { system: "coding agent", input: "hello", tools: ["bash", "read"] } }])
      yield* played(server.url, model)
      const request = server.requests()[0]
      expect(request?.outcome).toBe("answer")
      expect(Object.values(request?.headers ?? {})).toContain("(left out)")
      if (model.startsWith("openai/")) expect(request?.body).toMatchObject({ store: false })
      if (model.startsWith("anthropic/")) expect(request?.body).toMatchObject({ cache_control: { type: "ephemeral" } })
    }))

  it.effect("sends the effort that was chosen in the protocol's own form, and switches no thinking on", () =>
    Effect.gen(function*() {
      const server = yield* serving([says("ok")])
      // A name that the library knows as a model that reasons.
      const named = model.startsWith("openai/") ? "openai/gpt-5" : model
      expect((yield* Fiber.join((yield* started(server.url, named, { effort: "high" })).following)).kind).toBe("completed")
      const forms = {
        "anthropic": { output_config: { effort: "high" } },
        "openai": { reasoning: { effort: "high" } },
        "openai-compatible": { reasoning_effort: "high" }
      }
      const [provider = ""] = model.split("/")
      expect(server.requests()[0]?.body).toMatchObject(Object.entries(forms).find(([name]) => name === provider)?.[1] ?? { unknown: provider })
      expect(server.requests()[0]?.body).not.toHaveProperty("thinking")
    }))
})
