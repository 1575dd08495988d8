import { describe, expect, it } from "@effect/vitest"
import { type CallId, type ModelScript, SteerId, type TurnId } from "@steno/contracts"
import type { TurnEvent, TurnHandle, TurnRequest } from "@steno/harness-seam"
import { makeRecordingTurnHost, prepareOptions, type RecordingAnswers, turnRequest } from "@steno/harness-seam/testing"
import { Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import type { HostedHarnessOptions } from "./hosted-harness.ts"
import { type CallEnd, makeSessionLog, scriptedHarness, type SessionLog, testCallId } from "./testing.ts"

type Step = ModelScript["steps"][number]
const says = (text: string): Step => ({ answer: { content: [{ type: "text", text }] } })
const runs = (...commands: ReadonlyArray<string>): Step => ({
  answer: { content: commands.map((command) => ({ type: "call", tool: "bash", arguments: { command } })) }
})

interface Playing {
  readonly request?: Partial<TurnRequest>
  readonly log?: SessionLog
  readonly run?: Parameters<SessionLog["answers"]>[1]
  readonly answers?: RecordingAnswers
  readonly options?: Partial<HostedHarnessOptions>
}

/** Starts one Turn over a script. */
const started = (steps: ReadonlyArray<Step>, { answers, log = makeSessionLog(), options, request, run }: Playing = {}) =>
  Effect.gen(function*() {
    const prepared = yield* Effect.orDie(scriptedHarness({ steps }, options).prepare(prepareOptions()))
    const asked = turnRequest(request)
    const host = makeRecordingTurnHost({ ...log.answers(asked, run), ...answers })
    const handle = yield* prepared.startTurn(asked, host)
    return { handle, host, log, following: yield* Effect.forkChild(host.follow(handle), { startImmediately: true }) }
  })

const played = (steps: ReadonlyArray<Step>, playing?: Playing) =>
  Effect.gen(function*() {
    const { following, ...turn } = yield* started(steps, playing)
    return { ...turn, result: yield* Fiber.join(following) }
  })

const seen = (handle: TurnHandle, fits: (event: TurnEvent) => boolean) =>
  Effect.callback<void>((resume) => {
    const stop = handle.subscribe((event) => {
      if (fits(event)) resume(Effect.void)
    })
    return Effect.sync(stop)
  })

const proposals = (host: { readonly journal: ReadonlyArray<{ readonly kind: string }> }) => host.journal.filter(({ kind }) => kind === "propose")
const failed = (reason: string, text: RegExp) => ({
  kind: "failed", availability: "open", failure: { reason, text: expect.stringMatching(text) }
})

describe("a Turn of the loop", () => {
  it.effect("asks again with every result of a message, whatever became of the calls and in whichever order they ended", () =>
    Effect.gen(function*() {
      const second = Deferred.makeUnsafe<void>()
      const ends: Readonly<Record<string, Effect.Effect<CallEnd>>> = {
        a: Effect.as(Deferred.await(second), { agentProjection: "first" }),
        b: Effect.as(Deferred.succeed(second, undefined), { outcome: "failed", agentProjection: "exit code 3" })
      }
      const { host, result } = yield* played([
        runs("a", "b"),
        { ...says("done"), expect: { resultCount: 2, messageCount: 4, results: [{ contains: "first" }, { contains: "exit code 3" }] } }
      ], { run: (call) => ends["arguments" in call ? String(Reflect.get(Object(call.arguments), "command")) : ""] ?? Effect.never })
      expect(result).toEqual({ kind: "completed", availability: "open", model: "script:/script.json" })
      expect(host.journal.map(({ kind }) => kind).filter((kind) => kind !== "event")).toEqual([
        "admit", "context", "propose", "context", "propose", "turn-diff", "result"
      ])
    }))

  it.effect("shows arguments while they are drafted, and proposes them whole", () =>
    Effect.gen(function*() {
      const { host } = yield* played([{ ...runs("make"), pace: { deltaSize: 12 } }, says("done")])
      const drafts = host.events().flatMap((event) => (event.type === "argument-draft" ? [event] : []))
      expect(drafts.map(({ contentIndex, text, tool }) => [contentIndex, tool, text])).toEqual([
        [0, "bash", "{\"command\":\""], [0, "bash", "{\"command\":\"make\"}"]
      ])
      expect(proposals(host)[0]).toMatchObject({
        message: { messageId: drafts[0]?.messageId, blocks: [{ type: "call", arguments: { command: "make" }, providerCallId: "call_1_0" }] }
      })
    }))

  it.effect("reports what each request used, and calculates nothing", () =>
    Effect.gen(function*() {
      const usage = { inputTokens: 50, outputTokens: 7 }
      const { host } = yield* played([{ answer: { content: [{ type: "text", text: "done" }], usage } }])
      expect(host.events().filter(({ type }) => type === "context" || type === "usage")).toEqual([
        { type: "context", report: { usedTokens: 50 } },
        { type: "usage", report: { summary: "50 tokens in, 7 tokens out" } }
      ])
    }))

  it.effect("passes on arguments that are no JSON, so that the call fails and not the Turn", () =>
    Effect.gen(function*() {
      const content = ["{\"command\":", "[1]", ""].map((argumentsText) => ({ type: "call" as const, tool: "bash", argumentsText }))
      const { host, result } = yield* played([{ answer: { content } }, says("again")])
      expect(result.kind).toBe("completed")
      expect(proposals(host)[0]).toMatchObject({
        message: { blocks: [{ rawArguments: "{\"command\":" }, { rawArguments: "[1]" }, { arguments: {} }] }
      })
    }))
})

describe("an answer that is no message", () => {
  for (const [title, step, reason, text] of [
    ["empty", { answer: { content: [] } }, "native", /nothing/],
    ["of blanks only", says(" \n"), "native", /nothing/],
    ["cut at the limit of output", { answer: { content: [{ type: "text", text: "half" }], stop: "length" } }, "native", /limit/],
    ["refused", { answer: { content: [{ type: "text", text: "half" }], stop: "refusal" } }, "native", /refused/],
    ["broken off", { ...says("half"), fault: { type: "disconnect" } }, "native", /connection/],
    ["unreadable", { ...says("half"), fault: { type: "malformed-frame" } }, "protocol", /not understood/],
    ["an error of the provider", { ...says("half"), fault: { type: "error-frame", status: 500, message: "gone wrong" } }, "native", /500: gone wrong/],
    ["denied for its key", { error: { status: 401, message: "no such key" } }, "auth", /401: no such key/],
    ["denied for its request", { error: { status: 400, message: "too long" } }, "native", /400: too long/],
    ["against the script", { ...says("half"), expect: { input: "something else" } }, "native", /script mismatch at step 1/]
  ] as const satisfies ReadonlyArray<readonly [string, Step, string, RegExp]>) {
    it.effect(`fails the Turn with its reason and proposes nothing: ${title}`, () =>
      Effect.gen(function*() {
        const { host, result } = yield* played([step, says("never asked")])
        expect(result).toMatchObject(failed(reason, text))
        expect(proposals(host)).toEqual([])
        expect(host.events().filter(({ type }) => type === "provider-retry")).toEqual([])
      }))
  }

  it.effect("keeps what was shown of it, incomplete", () =>
    Effect.gen(function*() {
      const { host } = yield* played([{ ...says("half"), fault: { type: "disconnect" } }])
      expect(host.events().filter(({ type }) => type === "assistant-content")).toEqual([
        expect.objectContaining({ content: "half", incomplete: true })
      ])
    }))

  it.effect("runs no call of an answer that was cut", () =>
    Effect.gen(function*() {
      const content = [{ type: "call" as const, tool: "bash", argumentsText: "{\"command\":\"rm -rf ./bui" }]
      const { host, result } = yield* played([{ answer: { content, stop: "length" } }])
      expect(result.kind).toBe("failed")
      expect(proposals(host)).toEqual([])
    }))
})

describe("a request that failed", () => {
  for (const [title, fault] of [
    ["429", { error: { status: 429, message: "slow down" } }],
    ["500", { error: { status: 500, message: "oops" } }],
    ["529", { error: { status: 529, message: "busy" } }],
    ["a connection that breaks before anything came", { ...says("x"), fault: { type: "disconnect", at: "start" } }]
  ] as const) {
    it.effect(`is made again after one second, then after two: ${title}`, () =>
      Effect.gen(function*() {
        const { following, handle, host } = yield* started([fault, fault, says("at last")])
        for (const [attempt, delayMs] of [[1, 1_000], [2, 2_000]] as const) {
          yield* seen(handle, (event) => event.type === "provider-retry" && event.attempt === attempt)
          yield* TestClock.adjust(delayMs - 1)
          expect(host.events().filter(({ type }) => type === "provider-retry")).toHaveLength(attempt)
          yield* TestClock.adjust(1)
        }
        expect((yield* Fiber.join(following)).kind).toBe("completed")
        expect(host.events().filter(({ type }) => type === "provider-retry")).toMatchObject([
          { attempt: 1, delayMs: 1_000 }, { attempt: 2, delayMs: 2_000 }
        ])
      }))
  }

  it.effect("three times fails the Turn with the last reason", () =>
    Effect.gen(function*() {
      const { following, handle, host } = yield* started([{ error: { status: 500, message: "oops" }, times: 3 }, says("never asked")])
      for (const attempt of [1, 2]) {
        yield* seen(handle, (event) => event.type === "provider-retry" && event.attempt === attempt)
        yield* TestClock.adjust(1_000 * attempt)
      }
      expect(yield* Fiber.join(following)).toMatchObject(failed("native", /500: oops/))
      expect(host.events().filter(({ type }) => type === "provider-retry")).toHaveLength(2)
    }))

  it.effect("is not made again while an interrupt ends the wait", () =>
    Effect.gen(function*() {
      const { following, handle } = yield* started([{ error: { status: 500 } }, says("never asked")])
      yield* seen(handle, ({ type }) => type === "provider-retry")
      yield* handle.interrupt
      expect((yield* Fiber.join(following)).kind).toBe("interrupted")
    }))
})

const fenced = { kind: "refused", reason: "fenced" } as const

describe("a refusal of the host", () => {
  const unrecordable = { kind: "refused", reason: "unrecordable", explanation: "the disk is full" } as const
  it.effect("of the admission leaves nothing begun", () =>
    Effect.gen(function*() {
      const { result } = yield* played([says("x")], { answers: { admit: Effect.succeed(unrecordable) } })
      expect(result).toEqual({ kind: "not-started", failure: { reason: "unrecordable", text: "the disk is full" } })
    }))

  it.effect("of the context or a message fails the Turn; nothing is asked after it", () =>
    Effect.gen(function*() {
      expect((yield* played([says("x")], { answers: { context: Effect.die(new Error("host")) } })).result).toMatchObject(failed("context", /host/i))
      for (const [refusal, reason] of [[unrecordable, "unrecordable"], [fenced, "fenced"]] as const) {
        const { host, result } = yield* played([runs("a"), says("x")], { answers: { propose: () => Effect.succeed(refusal) } })
        expect(result).toMatchObject(failed(reason, /./))
        expect(proposals(host)).toHaveLength(1)
      }
    }))

  it.effect("by a context without anything to answer to fails the Turn", () =>
    Effect.gen(function*() {
      const { result } = yield* played([says("x")], { answers: { context: Effect.succeed({ events: [], tools: [] }) } })
      expect(result).toMatchObject(failed("context", /nothing to answer/))
    }))
})

describe("the diff of a Turn", () => {
  const diff = { content: "+a", files: [{ path: "f", kind: "create" as const }] }
  const told = (host: { readonly events: () => ReadonlyArray<TurnEvent> }) => host.events().filter(({ type }) => type === "turn-diff")

  it.effect("is told once, when the Turn is completed or failed", () =>
    Effect.gen(function*() {
      for (const [kind, last] of [["completed", says("done")], ["failed", says(" ")]] as const) {
        const { host, result } = yield* played([runs("a"), last], { answers: { turnDiff: Effect.succeed(diff) } })
        expect([result.kind, told(host)]).toEqual([kind, [{ type: "turn-diff", ...diff }]])
      }
    }))

  it.effect("of an interrupted Turn is waited for: the host ends its calls for it", () =>
    Effect.gen(function*() {
      const [asked, ended] = [Deferred.makeUnsafe<void>(), Deferred.makeUnsafe<void>()]
      const { following, handle, host } = yield* started([{ ...says("I begin"), fault: { type: "stall" } }], {
        answers: { turnDiff: Deferred.succeed(asked, undefined).pipe(Effect.andThen(Deferred.await(ended)), Effect.as(diff)) }
      })
      yield* seen(handle, ({ type }) => type === "message-preview")
      yield* handle.interrupt
      yield* Deferred.await(asked)
      expect(told(host)).toEqual([])
      yield* Deferred.succeed(ended, undefined)
      expect((yield* Fiber.join(following)).kind).toBe("interrupted")
      expect(told(host)).toHaveLength(1)
    }))

  it.effect("is none where nothing changed, and where the host fails at it; the result stands", () =>
    Effect.gen(function*() {
      for (const turnDiff of [Effect.succeed(undefined), Effect.die(new Error("host"))]) {
        const { host, result } = yield* played([says("done")], { answers: { turnDiff } })
        expect([result.kind, told(host)]).toEqual(["completed", []])
      }
    }))

  it.effect("is left to the next owner of a Turn that was taken, and not asked for where nothing began", () =>
    Effect.gen(function*() {
      for (const answers of [{ propose: () => Effect.succeed(fenced) }, { admit: Effect.succeed(fenced) }] satisfies ReadonlyArray<RecordingAnswers>) {
        const { host } = yield* played([runs("a"), says("x")], { answers: { ...answers, turnDiff: Effect.succeed(diff) } })
        expect(host.journal.some(({ kind }) => kind === "turn-diff")).toBe(false)
      }
    }))
})

describe("controls of the loop", () => {
  it.effect("an interrupt leaves a stalled request and keeps what was shown", () =>
    Effect.gen(function*() {
      const { following, handle, host } = yield* started([{ ...says("I begin"), fault: { type: "stall" } }])
      yield* seen(handle, ({ type }) => type === "message-preview")
      expect(yield* handle.interrupt).toEqual({ kind: "accepted" })
      expect(yield* Fiber.join(following)).toEqual({ kind: "interrupted", confirmedBy: "active-turn", availability: "open" })
      expect(host.events().filter(({ type }) => type === "assistant-content")).toMatchObject([{ content: "I begin", incomplete: true }])
    }))

  it.effect("a Steer that comes while the last answer is given gets a request of its own", () =>
    Effect.gen(function*() {
      const { following, handle, host } = yield* started([
        { ...says("done"), pace: { writeDelayMs: 100 } },
        { ...says("and that too"), expect: { input: "and this?" } }
      ])
      yield* seen(handle, ({ type }) => type === "message-preview")
      expect(yield* handle.steer({ steerId: "s1", text: "and this?" })).toEqual({ kind: "accepted" })
      yield* TestClock.adjust(100)
      expect((yield* Fiber.join(following)).kind).toBe("completed")
      expect(host.events().filter(({ type }) => type === "steer")).toEqual([
        { type: "steer", steerId: "s1", settlement: { kind: "delivered", delivery: "after-boundary" } }
      ])
      expect(proposals(host)).toHaveLength(2)
    }))

  it.effect("a Steer that the context has by then is not said twice", () =>
    Effect.gen(function*() {
      const log = makeSessionLog()
      const running = Deferred.makeUnsafe<void>()
      const go = Deferred.makeUnsafe<void>()
      const steerId = SteerId.make("steer_01ARZ3NDEKTSV4RRFFQ69G5FAV")
      const { following, handle } = yield* started([
        runs("a"),
        { ...runs("b"), expect: { messageCount: 4, input: "left" } },
        { ...says("done"), expect: { messageCount: 6, resultCount: 1 } }
      ], { log, run: () => Effect.as(Effect.andThen(Deferred.succeed(running, undefined), Deferred.await(go)), {}) })
      handle.subscribe((event) => {
        if (event.type !== "steer") return
        const settlement = { state: "delivered", delivery: "after-boundary" } as const
        log.add("steer", { steerId, text: "left", sentAt: "2026-01-01T00:00:00.000Z", settlement }, turnRequest().turnId)
      })
      yield* Deferred.await(running)
      yield* handle.steer({ steerId, text: "left" })
      yield* Deferred.succeed(go, undefined)
      expect(yield* Fiber.join(following)).toMatchObject({ kind: "completed" })
    }))

  it.effect("another model answers the next request, one that is not there is refused", () =>
    Effect.gen(function*() {
      const other: ModelScript = { steps: [says("unused"), { ...says("the other one"), expect: { model: "script:/other.json" } }] }
      const running = Deferred.makeUnsafe<void>()
      const go = Deferred.makeUnsafe<void>()
      const first: ModelScript = { steps: [runs("a")] }
      const { following, handle, host } = yield* started([], {
        options: { readScript: (file) => Effect.succeed(file === "/script.json" ? JSON.stringify(first) : file === "/other.json" ? JSON.stringify(other) : undefined) },
        run: () => Effect.as(Effect.andThen(Deferred.succeed(running, undefined), Deferred.await(go)), {})
      })
      yield* Deferred.await(running)
      for (const model of ["nobody/x", "script:missing.json", "anthropic/claude"]) {
        expect(yield* handle.changeModel({ model })).toEqual({ kind: "rejected", reason: "shape-mismatch" })
      }
      expect(yield* handle.changeModel({ model: "script:/other.json" })).toEqual({ kind: "accepted" })
      yield* Deferred.succeed(go, undefined)
      expect(yield* Fiber.join(following)).toMatchObject({ kind: "completed", model: "script:/other.json" })
      expect(host.events()).toContainEqual({ type: "model", model: "script:/other.json" })
    }))
})

describe("a Turn that another owner goes on with", () => {
  const { turnId } = turnRequest()
  const suspended = () => {
    const log = makeSessionLog()
    log.add("turn-admitted", { input: "go", origin: "user", harness: { id: "hosted" } }, turnId)
    log.add("assistant-message", {
      blocks: [{ type: "call", itemId: "c", firstSeen: 0, callId: testCallId(9), tool: "bash", arguments: {} }]
    }, turnId)
    return log
  }
  const answer = (log: SessionLog, callId: CallId, id: TurnId) =>
    log.add("tool-call-response", {
      callId, tool: "bash", origin: "model", outcome: "completed", agentProjection: "allowed by then",
      survivors: [], warnings: [], assetIds: []
    }, id)

  it.effect("asks once, with the results, and stores nothing again", () =>
    Effect.gen(function*() {
      const log = suspended()
      answer(log, testCallId(9), turnId)
      const { host, result } = yield* played([
        runs("unused"),
        { ...says("done"), expect: { messageCount: 3, results: [{ contains: "allowed by then" }] } }
      ], { log, request: { continues: 2 } })
      expect(result.kind).toBe("completed")
      expect(proposals(host)).toHaveLength(1)
      expect(log.events.map(({ type }) => type)).toEqual(["turn-admitted", "assistant-message", "tool-call-response", "assistant-message"])
    }))

  it.effect("is over without a request where its last message asks for nothing", () =>
    Effect.gen(function*() {
      const log = makeSessionLog()
      log.add("turn-admitted", { input: "go", origin: "user", harness: { id: "hosted" } }, turnId)
      log.add("assistant-message", { blocks: [{ type: "text", itemId: "t", firstSeen: 0, content: "done" }] }, turnId)
      const { host, result } = yield* played([says("never asked")], { log, request: { continues: 2 } })
      expect(result.kind).toBe("completed")
      expect(proposals(host)).toEqual([])
    }))

  it.effect("asks nothing while a call of it has no result", () =>
    Effect.gen(function*() {
      const { host, result } = yield* played([says("never asked")], { log: suspended(), request: { continues: 2 } })
      expect(result).toMatchObject(failed("context", /without its result/))
      expect(proposals(host)).toEqual([])
    }))
})
