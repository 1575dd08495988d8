import { expect, it } from "@effect/vitest"
import type { AdmissionAnswer, PreparedHarness, PrepareOptions, TurnRequest } from "@steno/harness-seam"
import { makeRecordingTurnHost, prepareOptions, type RecordingAnswers, turnRequest } from "@steno/harness-seam/testing"
import { ProcessHost } from "@steno/process-host"
import { Context, Deferred, Effect, Layer, type Scope } from "effect"
import { fileURLToPath } from "node:url"
import { describe, vi } from "vitest"
import { makeClaudeCodeHarness } from "./claude-harness.ts"
import { scriptedHarness } from "./testing/scripted-harness.ts"

const claim = (title: string, test: () => Effect.Effect<unknown, unknown, Scope.Scope>) =>
  it.live(title, () => Effect.scoped(test()))

const ready = (scenario: string, options: Partial<PrepareOptions> = {}, variables: Readonly<Record<string, string>> = {}) =>
  Effect.gen(function*() {
    const scripted = yield* scriptedHarness(scenario, variables)
    const prepared = yield* Effect.acquireRelease(
      scripted.harness.prepare(prepareOptions(options)),
      (harness) => harness.close
    )
    return { scripted, prepared }
  })

const played = (prepared: PreparedHarness, answers: RecordingAnswers = {}, request: Partial<TurnRequest> = {}) =>
  Effect.gen(function*() {
    const host = makeRecordingTurnHost(answers)
    const handle = yield* prepared.startTurn(turnRequest(request), host)
    return { host, handle, result: yield* host.follow(handle) }
  })

const contents = (host: ReturnType<typeof makeRecordingTurnHost>) =>
  host.events().flatMap((event) => (event.type === "assistant-content" ? [event.content] : []))

const until = (holds: () => boolean) =>
  Effect.promise(() => vi.waitFor(() => expect(holds()).toBe(true), { timeout: 10_000, interval: 10 }))

const refusal = (prepare: ReturnType<ReturnType<typeof makeClaudeCodeHarness>["prepare"]>) =>
  Effect.map(Effect.flip(prepare), ({ reason }) => reason.code)

describe("preparing", () => {
  claim("names a program that is not there", () =>
    Effect.gen(function*() {
      const processHost = Context.get(yield* Layer.build(ProcessHost.layer), ProcessHost)
      const prepare = (program: string) => makeClaudeCodeHarness({ processHost, command: [program] }).prepare(prepareOptions())
      expect(yield* refusal(prepare("/nowhere/claude"))).toBe("not-found")
      expect(yield* refusal(prepare(fileURLToPath(import.meta.url)))).toBe("not-executable")
    }))

  claim("refuses a version that is not understood, and leaves nothing running", () =>
    Effect.gen(function*() {
      const scripted = yield* scriptedHarness("old-flags", { SCRIPTED_VERSION: "1.0.128" })
      expect(yield* refusal(scripted.harness.prepare(prepareOptions()))).toBe("version-unsupported")
      expect(scripted.running()).toBe(0)
    }))

  claim("asks for a login where the program has none, and leaves nothing running", () =>
    Effect.gen(function*() {
      const scripted = yield* scriptedHarness("logged-out")
      expect(yield* refusal(scripted.harness.prepare(prepareOptions()))).toBe("auth-required")
      expect(scripted.running()).toBe(0)
    }))

  claim("says that a program of a known version could not be spoken to", () =>
    Effect.gen(function*() {
      const scripted = yield* scriptedHarness("old-flags")
      expect(yield* refusal(scripted.harness.prepare(prepareOptions()))).toBe("probe-failed")
    }))

  claim("can be interrupted while the program is silent, and leaves nothing running", () =>
    Effect.gen(function*() {
      const scripted = yield* scriptedHarness("silent")
      const prepare = scripted.harness.prepare(prepareOptions())
      yield* Effect.raceFirst(Effect.asVoid(prepare), until(() => scripted.notes("pid").length > 0))
      yield* until(() => scripted.running() === 0)
    }))

  claim("passes the model and the coordinate", () =>
    Effect.gen(function*() {
      const { scripted } = yield* ready("text", { model: { model: "opus" }, coordinate: "native-1" })
      expect(scripted.notes("arguments")[0]).toEqual(expect.arrayContaining(["--model", "opus", "--resume", "native-1"]))
    }))

  claim("gives the server for Agent calls with its token over the protocol alone, neither by arguments nor by the environment", () =>
    Effect.gen(function*() {
      const environment = { STENO_TOKEN: "secret-of-the-turn" }
      const { prepared, scripted } = yield* ready("text", {
        agentCallServer: { command: "/bin/steno", arguments: ["agent-calls"], environment }
      })
      expect(scripted.notes("servers")).toEqual([{
        steno: { type: "stdio", command: "/bin/steno", args: ["agent-calls"], env: environment }
      }])
      const seen = JSON.stringify([scripted.notes("arguments"), scripted.notes("environment")])
      expect(seen).toContain("stream-json")
      expect(seen).not.toContain(environment.STENO_TOKEN)
      expect((yield* prepared.close).diagnostics).toEqual([])
    }))

  claim("goes on without Agent calls, and says so, where the program cannot connect to their server", () =>
    Effect.gen(function*() {
      const { prepared } = yield* ready("unreachable-server", {
        agentCallServer: { command: "/bin/steno", arguments: [], environment: {} }
      })
      expect((yield* prepared.close).diagnostics.map(({ code }) => code)).toEqual(["agent-calls-unavailable"])
    }))
})

describe("a Turn", () => {
  claim("keeps a line separator and an astral character as they are", () =>
    Effect.gen(function*() {
      const { prepared } = yield* ready("separators")
      const { host } = yield* played(prepared)
      expect(contents(host)).toEqual(["line\u2028separator grin \u{1f600}"])
    }))

  claim("passes an input with every separator as one line", () =>
    Effect.gen(function*() {
      const { prepared, scripted } = yield* ready("text")
      yield* played(prepared, {}, { input: "a\nb\u2028c\r\nd" })
      expect(scripted.inputs()).toEqual(["a\nb\u2028c\r\nd"])
    }))

  claim("shows bytes that are not UTF-8 as such, and says so", () =>
    Effect.gen(function*() {
      const { prepared } = yield* ready("invalid-bytes")
      const { host, result } = yield* played(prepared)
      expect(contents(host)).toEqual(["before\ufffdafter"])
      expect(result.kind).toBe("completed")
      expect((yield* prepared.close).diagnostics.map(({ code }) => code)).toContain("invalid-utf8")
    }))

  claim("fails with a line that is not JSON, keeps its text and ends the program", () =>
    Effect.gen(function*() {
      const { prepared, scripted } = yield* ready("not-json")
      const { host, result } = yield* played(prepared)
      expect(result).toMatchObject({ kind: "failed", failure: { reason: "protocol" }, availability: "detached" })
      expect(contents(host)).toEqual(["half"])
      expect(scripted.running()).toBe(0)
      expect((yield* played(prepared)).result.kind).toBe("not-started")
    }))

  claim("takes a line of 16 MiB as one, and fails with one of 64 MiB", () =>
    Effect.gen(function*() {
      const largest = yield* ready("largest-line")
      expect((yield* played(largest.prepared)).result.kind).toBe("completed")
      const huge = yield* ready("huge-line")
      const { host, result } = yield* played(huge.prepared)
      expect(result).toMatchObject({ kind: "failed", failure: { reason: "line-too-long" }, availability: "detached" })
      expect(contents(host)).toEqual(["half"])
      expect(huge.scripted.running()).toBe(0)
    }))

  claim("does not start where the program broke the protocol between two Turns, and says why", () =>
    Effect.gen(function*() {
      const { prepared } = yield* ready("broken-between")
      expect((yield* played(prepared)).result.kind).toBe("completed")
      expect((yield* played(prepared)).result).toMatchObject({ kind: "not-started", failure: { reason: "protocol" } })
    }))

  claim("is lost where the program says nothing any more, and ends it", () =>
    Effect.gen(function*() {
      const { prepared, scripted } = yield* ready("mute")
      const { host, result } = yield* played(prepared)
      expect(result).toMatchObject({ kind: "lost", unknown: "completion", failure: { reason: "protocol" } })
      expect(contents(host)).toEqual(["half"])
      expect(scripted.running()).toBe(0)
    }))

  claim("tells nothing of a sub-agent that another Turn began, and refuses what it asks", () =>
    Effect.gen(function*() {
      const { prepared, scripted } = yield* ready("late-agent")
      yield* played(prepared)
      const { host, result } = yield* played(prepared)
      expect(result.kind).toBe("completed")
      expect(contents(host)).toEqual(["Hello"])
      expect(host.events().map(({ type }) => type)).not.toContain("tool-call-started")
      expect(host.journal.map(({ kind }) => kind)).not.toContain("request")
      expect(scripted.notes("answer")).toEqual([expect.objectContaining({ subtype: "error" })])
    }))

  claim("answers a request that nobody knows with an error, and goes on", () =>
    Effect.gen(function*() {
      const { prepared, scripted } = yield* ready("unknown-request")
      expect((yield* played(prepared)).result.kind).toBe("completed")
      expect(scripted.notes("answer")).toEqual([expect.objectContaining({ subtype: "error" })])
    }))

  claim("refuses what another native session or another Turn's sub-agent asks, and goes on", () =>
    Effect.gen(function*() {
      const { prepared, scripted } = yield* ready("foreign-requests")
      const { host, result } = yield* played(prepared)
      expect(result.kind).toBe("completed")
      expect(host.journal.map(({ kind }) => kind)).not.toContain("request")
      expect(scripted.notes("answer")).toEqual([expect.objectContaining({ subtype: "error" }), expect.objectContaining({ subtype: "error" })])
    }))

  claim("fails as not authorized where the model says so", () =>
    Effect.gen(function*() {
      const { prepared } = yield* ready("unauthorized")
      expect((yield* played(prepared)).result).toMatchObject({
        kind: "failed",
        failure: { reason: "auth", text: "API Error: 401" },
        availability: "open"
      })
    }))

  claim("goes on where a Steer came too late, until that is answered too", () =>
    Effect.gen(function*() {
      const { prepared, scripted } = yield* ready("late-steer")
      const host = makeRecordingTurnHost()
      const handle = yield* prepared.startTurn(turnRequest({ input: "talk" }), host)
      const [result, receipt] = yield* Effect.all([host.follow(handle), handle.steer({ steerId: "s", text: "mind the gap" })], {
        concurrency: "unbounded"
      })
      expect(receipt).toEqual({ kind: "accepted" })
      expect(result.kind).toBe("completed")
      expect(contents(host)).toEqual(["too late", "as you say"])
      expect(scripted.inputs()).toEqual(["talk", "mind the gap"])
    }))

  claim("does not take what the program does unasked for its own", () =>
    Effect.gen(function*() {
      const { prepared } = yield* ready("unasked")
      expect(contents((yield* played(prepared)).host)).toEqual(["first"])
      const second = yield* played(prepared)
      expect(contents(second.host)).toEqual(["Hello"])
      expect(second.result.kind).toBe("completed")
    }))

  claim("is interrupted by taking its input back, where the program still plays something else", () =>
    Effect.gen(function*() {
      const { prepared, scripted } = yield* ready("waiting")
      yield* played(prepared)
      const host = makeRecordingTurnHost()
      const handle = yield* prepared.startTurn(turnRequest(), host)
      yield* until(() => scripted.inputs().length === 2)
      expect(yield* handle.interrupt).toEqual({ kind: "accepted" })
      expect(yield* host.follow(handle)).toMatchObject({ kind: "interrupted", confirmedBy: "active-turn", availability: "open" })
      expect(contents(host)).toEqual([])
    }))

  claim("sends nothing where it is interrupted before it was admitted", () =>
    Effect.gen(function*() {
      const { prepared, scripted } = yield* ready("text")
      const admitted = Deferred.makeUnsafe<AdmissionAnswer>()
      const host = makeRecordingTurnHost({ admit: Deferred.await(admitted) })
      const handle = yield* prepared.startTurn(turnRequest(), host)
      expect(yield* handle.interrupt).toEqual({ kind: "accepted" })
      yield* Deferred.succeed(admitted, { kind: "admitted" })
      expect((yield* host.follow(handle)).kind).toBe("not-started")
      expect(scripted.inputs()).toEqual([])
    }))

  claim("asks the model it is told, from the next Turn on, and does not start with one that is not taken", () =>
    Effect.gen(function*() {
      const { prepared, scripted } = yield* ready("text", { model: { model: "first" } })
      yield* played(prepared, {}, { model: { model: "first" } })
      expect(scripted.notes("model")).toEqual([])
      yield* played(prepared, {}, { model: { model: "second" } })
      expect(scripted.notes("model")).toEqual(["second"])
      expect((yield* played(prepared, {}, { model: { model: "no-model" } })).result.kind).toBe("not-started")
      expect(scripted.inputs()).toHaveLength(2)
    }))

  claim("that is interrupted while its model is set sends no input; the model is set anew for the next one", () =>
    Effect.gen(function*() {
      const { prepared, scripted } = yield* ready("text", { model: { model: "first" } })
      const handle = yield* prepared.startTurn(turnRequest({ model: { model: "slow-model" } }), makeRecordingTurnHost())
      yield* until(() => scripted.notes("model").length === 1)
      expect(yield* handle.interrupt).toEqual({ kind: "accepted" })
      expect((yield* handle.result).kind).toBe("not-started")
      expect(scripted.inputs()).toEqual([])
      yield* played(prepared, {}, { model: { model: "first" } })
      expect(scripted.notes("model")).toEqual(["slow-model", "first"])
    }))

  claim("fails where the program plays another native session than the one it was to resume, and ends it", () =>
    Effect.gen(function*() {
      const { prepared, scripted } = yield* ready("other-session", { coordinate: "native-1" })
      expect((yield* played(prepared)).result).toMatchObject({
        kind: "failed",
        failure: { reason: "protocol" },
        availability: "detached"
      })
      expect(scripted.running()).toBe(0)
    }))
})

describe("a request", () => {
  claim("that is a question offers its options and answers by the question", () =>
    Effect.gen(function*() {
      const { prepared, scripted } = yield* ready("question")
      const { host } = yield* played(prepared, {
        request: ({ decisions }) =>
          Effect.succeed({
            kind: "answered",
            decision: decisions.find(({ label }) => label === "Blue")?.id ?? "none",
            by: "person"
          })
      })
      expect(host.journal.flatMap((entry) => (entry.kind === "request" ? [entry.request.kind] : []))).toEqual(["clarification"])
      expect(scripted.notes("answer")).toEqual([
        expect.objectContaining({
          behavior: "allow",
          updatedInput: expect.objectContaining({ answers: { "Which colour?": "Blue" } })
        })
      ])
    }))

  claim("of a server for a form is declined and told", () =>
    Effect.gen(function*() {
      const { prepared, scripted } = yield* ready("elicitation")
      const { host, result } = yield* played(prepared)
      expect(result.kind).toBe("completed")
      expect(host.events().filter(({ type }) => type === "elicitation-declined")).toEqual([
        { type: "elicitation-declined", server: "forms", message: "Your name?", url: "https://example.org/form" }
      ])
      expect(scripted.notes("answer")).toEqual([{ action: "decline" }])
    }))

  claim("that the program withdraws expires and is not answered", () =>
    Effect.gen(function*() {
      const { prepared, scripted } = yield* ready("withdrawn")
      const { host } = yield* played(prepared)
      yield* prepared.close
      expect(host.journal.map(({ kind }) => kind)).toContain("request-expired")
      expect(scripted.approvals()).toEqual([])
    }))

  claim("for an Agent call is allowed unasked and makes no row; the program plays one Turn", () =>
    Effect.gen(function*() {
      const { prepared, scripted } = yield* ready("agent-call", {
        agentCallServer: { command: "/bin/true", arguments: [], environment: {} }
      })
      const { host, result } = yield* played(prepared)
      expect(result).toMatchObject({ kind: "completed", availability: "detached" })
      expect(host.journal.map(({ kind }) => kind)).not.toContain("request")
      expect(host.events().map(({ type }) => type)).not.toContain("tool-call-started")
      expect(scripted.notes("answer")).toEqual([expect.objectContaining({ behavior: "allow" })])
    }))
})
