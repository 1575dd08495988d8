import { describe, expect, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber } from "effect"
import { accepted, rejected } from "./control-receipt.ts"
import { Diagnostics } from "./diagnostics.ts"
import { HarnessTimedOut, PrepareError } from "./prepare-errors.ts"
import { type NativeControls, startTurn } from "./produced-turn.ts"
import { Secrets } from "./safe-text.ts"
import { makeHarnessProfile } from "./harness-profile.ts"
import { fakeProfile, makeFakeHarness } from "./testing/fake-harness.ts"
import { completed, end, type FakeStep, type FakeTurn, report } from "./testing/fake-step.ts"
import { makeRecordingTurnHost, type RecordingAnswers } from "./testing/recording-turn-host.ts"
import { prepareOptions, turnRequest } from "./testing/seam-values.ts"
import type { TurnObserver } from "./retained-events.ts"
import { TurnSlot } from "./turn-slot.ts"
import type { TurnResult } from "./turn-result.ts"

/** A Turn that the fake plays; `host.journal` has all that happened, in order. */
const start = (turn: FakeTurn, answers: RecordingAnswers = {}) =>
  Effect.gen(function*() {
    const fake = makeFakeHarness({ turns: [turn] })
    const prepared = yield* fake.prepare(prepareOptions())
    const host = makeRecordingTurnHost(answers)
    const handle = yield* prepared.startTurn(turnRequest(), host)
    return { fake, prepared, host, handle, follow: host.follow(handle) }
  })

const half: FakeStep = report((item) => ({ type: "message-delta", messageId: item("m"), delta: "half" }))
const thinking: FakeStep = report((item) => ({ type: "thought-delta", summaryId: item("t"), delta: "hm" }))
const diff: FakeStep = report(() => ({ type: "diff-preview", content: "d", files: [] }))
const asks: FakeStep = {
  do: "request",
  name: "r",
  request: () => ({ kind: "approval", description: "May it?", decisions: [] })
}
const calls: FakeStep = { do: "agent-call", name: "a", call: { id: "1", call: "run_failed", reason: "no" } }
const interrupted: TurnResult = { kind: "interrupted", confirmedBy: "active-turn", availability: "open" }

describe("the end of a Turn", () => {
  it.effect("has one order: diff, pending texts, Steers, expiries, result", () =>
    Effect.gen(function*() {
      const steps: ReadonlyArray<FakeStep> = [
        half, thinking, diff, asks, calls, { do: "steer" }, { do: "interrupted" }, end(interrupted)
      ]
      const { handle, host, follow } = yield* start({ steps })
      const result = yield* Effect.forkChild(follow, { startImmediately: true })
      yield* handle.steer({ steerId: "s", text: "left" })
      yield* handle.interrupt
      yield* Fiber.join(result)
      const told = host.journal.map((entry) => (entry.kind === "event" ? entry.event.type : entry.kind))
      expect(told).toEqual([
        "admit", "message-preview", "thought-preview", "turn-diff-preview", "request", "agent-call",
        "turn-diff", "assistant-content", "thought", "steer", "request-expired", "agent-call-expired", "result"
      ])
    }))

  it.effect("is not the end of a request's answer: who asked is told that it expired", () =>
    Effect.gen(function*() {
      const { fake, follow, prepared } = yield* start({ steps: [asks, calls] })
      yield* follow
      yield* prepared.close
      expect(fake.answers.get("r")).toEqual({ kind: "expired" })
      expect(fake.answers.get("a")).toMatchObject({ kind: "refused" })
    }))

  it.effect("makes everything later late: reports, requests, Agent calls, executions, results", () =>
    Effect.gen(function*() {
      const late: ReadonlyArray<FakeStep> = [
        half, asks, calls, { do: "execute", name: "e", tool: "bash", input: {} }, end(interrupted)
      ]
      const { fake, follow, handle, host, prepared } = yield* start({ steps: [end(completed), ...late] })
      expect(yield* follow).toEqual(completed)
      yield* fake.played
      const { diagnostics } = yield* prepared.close
      expect(host.journal.map(({ kind }) => kind)).toEqual(["admit", "result"])
      expect(yield* handle.result).toEqual(completed)
      expect(diagnostics).toEqual([{ code: "late-report", text: "Reported when the Turn had ended", count: 1 }])
    }))

  it.effect("comes also when the adapter fails, and the harness can be closed", () =>
    Effect.gen(function*() {
      const { follow, host, prepared } = yield* start({ steps: [half, { do: "fault" }] })
      expect(yield* follow).toMatchObject({ kind: "lost", unknown: "completion", failure: { reason: "protocol" } })
      expect(host.events().at(-1)).toMatchObject({ type: "assistant-content", content: "half", incomplete: true })
      expect((yield* prepared.close).diagnostics.map(({ code }) => code)).toEqual(["adapter-fault"])
    }))

  it.effect("frees the harness for the next Turn before anybody knows the result", () =>
    Effect.gen(function*() {
      const fake = makeFakeHarness({ turns: [{ steps: [end(completed), { do: "gate", name: "tail" }] }, { steps: [] }] })
      const prepared = yield* fake.prepare(prepareOptions())
      const first = yield* prepared.startTurn(turnRequest(), makeRecordingTurnHost())
      yield* first.result
      const second = yield* prepared.startTurn(turnRequest(), makeRecordingTurnHost())
      expect(yield* second.result).toEqual(completed)
    }))
})

describe("a host that fails", () => {
  it.effect("in a request expires it, in an Agent call refuses it, and the Turn goes on", () =>
    Effect.gen(function*() {
      const fault = Effect.die(new Error("host"))
      const { fake, follow, prepared } = yield* start(
        { steps: [asks, { do: "await", name: "r" }, calls, { do: "await", name: "a" }] },
        { request: () => fault, agentCall: () => fault }
      )
      expect(yield* follow).toEqual(completed)
      expect([fake.answers.get("r"), fake.answers.get("a")]).toMatchObject([{ kind: "expired" }, { kind: "refused" }])
      expect((yield* prepared.close).diagnostics).toMatchObject([{ code: "host-fault", count: 2 }])
    }))

  it.effect("in a checkpoint changes no result", () =>
    Effect.gen(function*() {
      const { follow, prepared } = yield* start(
        { steps: [{ do: "checkpoint", coordinate: "native" }] },
        { checkpoint: Effect.die(new Error("host")) }
      )
      expect(yield* follow).toEqual(completed)
      expect((yield* prepared.close).diagnostics.map(({ code }) => code)).toEqual(["checkpoint-refused"])
    }))

  it.effect("in a proposal fails the Turn, as a refusal does", () =>
    Effect.gen(function*() {
      const proposal: FakeStep = { do: "propose", message: (item) => ({ messageId: item("m"), blocks: [] }) }
      for (const propose of [
        () => Effect.die(new Error("host")),
        () => Effect.succeed({ kind: "refused", reason: "unrecordable", explanation: "full" } as const)
      ]) {
        const { follow } = yield* start({ steps: [proposal] }, { propose })
        expect(yield* follow).toMatchObject({ kind: "failed", failure: { reason: "unrecordable" } })
      }
    }))
})

describe("a Steer", () => {
  it.effect("that is refused has no event; the same id has the same receipt", () =>
    Effect.gen(function*() {
      const { fake, follow, handle, host } = yield* start({
        steps: [{ do: "steer" }, { do: "gate", name: "refused" }],
        steerReceipt: rejected("expired")
      })
      const result = yield* Effect.forkChild(follow)
      expect(yield* handle.steer({ steerId: "s", text: "left" })).toEqual(rejected("expired"))
      expect(yield* handle.steer({ steerId: "s", text: "left" })).toEqual(rejected("expired"))
      yield* fake.openGate("refused")
      yield* Fiber.join(result)
      expect(host.events()).toEqual([])
    }))

  it.effect("that was taken and not delivered when the Turn completes is lost, once", () =>
    Effect.gen(function*() {
      const { follow, handle, host } = yield* start({ steps: [{ do: "steer" }, end(completed)] })
      const result = yield* Effect.forkChild(follow)
      expect(yield* handle.steer({ steerId: "s", text: "left" })).toEqual(accepted)
      yield* Fiber.join(result)
      expect(host.events()).toEqual([
        { type: "steer", steerId: "s", settlement: { kind: "dropped", reason: "loss" } }
      ])
    }))
})

describe("controls", () => {
  it.effect("follow the profile and not the harness", () =>
    Effect.gen(function*() {
      const fake = makeFakeHarness({ turns: [{ steps: [{ do: "gate", name: "never" }] }], profile: makeHarnessProfile([]) })
      const prepared = yield* fake.prepare(prepareOptions())
      const handle = yield* prepared.startTurn(turnRequest(), makeRecordingTurnHost())
      expect(yield* handle.steer({ steerId: "s", text: "x" })).toEqual(rejected("unsupported"))
      expect(yield* handle.interrupt).toEqual(rejected("unsupported"))
      expect(yield* handle.changeModel({ model: "m" })).toEqual(rejected("unsupported"))
    }))
})

describe("an adapter", () => {
  /** An adapter that admits, tells that it did, and completes when it is told to. */
  const adapter = (controls: Partial<NativeControls>, admits: boolean) =>
    Effect.gen(function*() {
      const [begun, over] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const host = makeRecordingTurnHost()
      const handle = yield* startTurn({
        harness: { id: "mute" },
        host,
        secrets: new Secrets([]),
        diagnostics: new Diagnostics(),
        profile: fakeProfile,
        slot: new TurnSlot(),
        drive: (turn) =>
          Effect.andThen(admits ? turn.admit({}) : Effect.void, Deferred.succeed(begun, undefined)).pipe(
            Effect.andThen(Deferred.await(over)),
            Effect.as(completed)
          ),
        controls: () => ({
          steer: () => Effect.never,
          interrupt: Effect.never,
          changeModel: () => Effect.never,
          ...controls
        })
      })
      yield* Deferred.await(begun)
      return { handle, host, follow: host.follow(handle), complete: Deferred.succeed(over, undefined) }
    })

  it.effect("that completes without admission has started nothing", () =>
    Effect.gen(function*() {
      const { complete, follow } = yield* adapter({}, false)
      yield* complete
      expect(yield* follow).toMatchObject({ kind: "not-started", failure: { reason: "protocol" } })
    }))

  it.effect("whose harness never answers controls: at the end a Steer counts as taken, the others came too late", () =>
    Effect.gen(function*() {
      const { complete, follow, handle, host } = yield* adapter({}, true)
      const controls = yield* Effect.forkChild(
        Effect.all([handle.steer({ steerId: "s", text: "left" }), handle.interrupt, handle.changeModel({ model: "m" })], {
          concurrency: "unbounded"
        }),
        { startImmediately: true }
      )
      yield* complete
      expect(yield* follow).toEqual(completed)
      expect(yield* Fiber.join(controls)).toEqual([accepted, rejected("already-settled"), rejected("already-settled")])
      expect(host.events()).toEqual([{ type: "steer", steerId: "s", settlement: { kind: "dropped", reason: "loss" } }])
    }))

  it.effect("that fails to send a Steer has not taken it", () =>
    Effect.gen(function*() {
      const { complete, follow, handle, host } = yield* adapter({ steer: () => Effect.die(new Error("adapter")) }, true)
      expect(yield* handle.steer({ steerId: "s", text: "left" })).toEqual(rejected("expired"))
      yield* complete
      yield* follow
      expect(host.events()).toEqual([])
    }))
})

describe("preparing", () => {
  it.effect("fails with a reason and a remedy, and leaves nothing when it is given up", () =>
    Effect.gen(function*() {
      const reason = new HarnessTimedOut({ explanation: "No answer", remedy: "Start it by hand" })
      const unavailable = makeFakeHarness({ turns: [], unavailable: new PrepareError({ reason }) })
      const error = yield* Effect.flip(unavailable.prepare(prepareOptions()))
      expect([error.reason.code, error.reason.remedy, error.message]).toEqual(["timed-out", "Start it by hand", "No answer"])
      const silent = makeFakeHarness({ turns: [], silent: true })
      const fiber = yield* Effect.forkChild(silent.prepare(prepareOptions()), { startImmediately: true })
      expect(silent.running()).toBe(1)
      yield* Fiber.interrupt(fiber)
      expect(silent.running()).toBe(0)
    }))

  it.effect("serves as many Turns as the harness can, and no more", () =>
    Effect.gen(function*() {
      const prepared = yield* makeFakeHarness({ turns: [{ steps: [] }] }).prepare(prepareOptions())
      yield* (yield* prepared.startTurn(turnRequest(), makeRecordingTurnHost())).result
      expect(Exit.hasDies(yield* Effect.exit(prepared.startTurn(turnRequest(), makeRecordingTurnHost())))).toBe(true)
    }))
})

describe("a continued Turn", () => {
  it.effect("sends nothing a second time", () =>
    Effect.gen(function*() {
      const fake = makeFakeHarness({ turns: [{ steps: [] }] })
      const prepared = yield* fake.prepare(prepareOptions())
      const handle = yield* prepared.startTurn(turnRequest({ continues: 2 }), makeRecordingTurnHost())
      expect(yield* handle.result).toEqual(completed)
      expect(fake.inputs).toEqual([])
    }))
})

describe("a subscriber", () => {
  it.effect("that throws does not end the Turn", () =>
    Effect.gen(function*() {
      const { handle, follow, prepared } = yield* start({ steps: [half] })
      const throws: TurnObserver = () => {
        throw new Error("subscriber")
      }
      handle.subscribe(throws)
      expect(yield* follow).toEqual(completed)
      expect((yield* prepared.close).diagnostics.map(({ code }) => code)).toEqual(["observer-failed"])
    }))

  it.effect("gets events without waiting for the one before it", () =>
    Effect.gen(function*() {
      const { fake, handle } = yield* start({ steps: [half, { do: "gate", name: "more" }] })
      const first = yield* Deferred.make<string>()
      handle.subscribe((event) => Deferred.doneUnsafe(first, Effect.succeed(event.type)))
      expect(yield* Deferred.await(first)).toBe("message-preview")
      yield* fake.openGate("more")
      expect(yield* handle.result).toEqual(completed)
    }))
})
