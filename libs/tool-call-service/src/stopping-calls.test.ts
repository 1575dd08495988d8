import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { HostTools } from "./host-tools.ts"
import { ControlledPorts, resultEnd } from "./testing/controlled-ports.ts"
import { type AskedCall, asking, callAt, firstOwner, type OwnerOptions, recordOf, rowIn, temporaryDatabase } from "./testing/owned-run.ts"

const proposed = Effect.fnUntraced(function*(calls: ReadonlyArray<AskedCall>, options: Partial<OwnerOptions> = {}) {
  const ports = new ControlledPorts()
  const owner = yield* firstOwner({ file: yield* temporaryDatabase, ports, ...options })
  const step = yield* owner.calls.propose({ ...owner.turn, proposal: asking("message", ...calls) })
  return { ports, owner, step }
})

const graceful = { force: false }

describe("a call that is stopped before it runs", () => {
  const cases: ReadonlyArray<readonly [string, AskedCall, "supervising" | "awaiting_approval" | "awaiting_input"]> = [
    ["while it is judged", { name: "a", verdict: "held" }, "supervising"],
    ["while it awaits approval", { name: "a", verdict: "approval" }, "awaiting_approval"],
    ["while it awaits an answer", { name: "a", tool: "ask_user" }, "awaiting_input"]
  ]
  for (const [title, call, state] of cases) {
    it.live(`is cancelled and never starts: ${title}`, () =>
      Effect.gen(function*() {
        const { owner, ports, step } = yield* proposed([call])
        yield* rowIn(owner, callAt(step, 0), state)
        yield* owner.calls.cancel(callAt(step, 0), graceful)
        assert.deepStrictEqual((yield* step.settled).map(({ outcome }) => outcome), ["cancelled"])
        assert.deepStrictEqual(ports.ran, [])
        assert.strictEqual((yield* recordOf(owner)).state, "running")
      }).pipe(Effect.scoped))
  }

  it.live("is cancelled while it waits for a slot or its file; the siblings go on", () =>
    Effect.gen(function*() {
      const { owner, ports, step } = yield* proposed([{ name: "a", file: "/f" }, { name: "b", file: "/f" }, { name: "c" }], { maxCalls: 1 })
      yield* ports.started("a")
      yield* rowIn(owner, callAt(step, 1), "ready")
      yield* rowIn(owner, callAt(step, 2), "ready")
      yield* owner.calls.cancel(callAt(step, 1), graceful)
      yield* owner.calls.cancel(callAt(step, 2), graceful)
      yield* ports.end("a", resultEnd("value"))
      assert.deepStrictEqual((yield* step.settled).map(({ outcome }) => outcome), ["completed", "cancelled", "cancelled"])
      assert.deepStrictEqual(ports.ran, ["a"])
    }).pipe(Effect.scoped))

  it.live("is cancelled while the way to its file is looked for, and so is one that waits for its place behind it", () =>
    Effect.gen(function*() {
      class LostPorts extends ControlledPorts {
        override get layer() {
          const enter = () => Effect.never
          return Layer.merge(super.layer, Layer.succeed(HostTools, { enter, recover: () => Effect.die("not used") }))
        }
      }
      const owner = yield* firstOwner({ file: yield* temporaryDatabase, ports: new LostPorts() })
      const step = yield* owner.calls.propose({ ...owner.turn, proposal: asking("message", { name: "a" }, { name: "b" }) })
      yield* owner.calls.stopTurn(owner.turn.turnId, graceful)
      assert.deepStrictEqual((yield* step.settled).map(({ outcome }) => outcome), ["cancelled", "cancelled"])
    }).pipe(Effect.scoped))
})

describe("a call that is stopped while it runs", () => {
  for (
    const [stop, outcome, code] of [
      ["confirmed", "cancelled", "cancelled"],
      ["unconfirmed", "indeterminate", "stop-not-confirmed"],
      ["aborted", "cancelled", "cancelled"],
      ["fault", "indeterminate", "stop-not-confirmed"]
    ] as const
  ) {
    it.live(`is ${outcome} when the tool answers: ${stop}`, () =>
      Effect.gen(function*() {
        const { owner, ports, step } = yield* proposed([{ name: "a", stop }])
        yield* ports.started("a")
        yield* rowIn(owner, callAt(step, 0), "running")
        yield* owner.calls.cancel(callAt(step, 0), graceful)
        const [response] = yield* step.settled
        assert.deepStrictEqual([response?.outcome, response?.reason?.code], [outcome, code])
      }).pipe(Effect.scoped))
  }

  it.live("keeps a result that still came", () =>
    Effect.gen(function*() {
      const { owner, ports, step } = yield* proposed([{ name: "a" }])
      yield* ports.started("a")
      yield* owner.calls.cancel(callAt(step, 0), graceful)
      yield* ports.end("a", resultEnd("value"))
      assert.strictEqual((yield* step.settled)[0]?.outcome, "completed")
    }).pipe(Effect.scoped))

  it.effect("is indeterminate when the tool gives no answer in time", () =>
    Effect.gen(function*() {
      const { owner, ports, step } = yield* proposed([{ name: "a" }])
      yield* ports.started("a")
      yield* owner.calls.cancel(callAt(step, 0), graceful)
      const settled = yield* Effect.forkChild(step.settled, { startImmediately: true })
      yield* TestClock.adjust("5 seconds")
      assert.deepStrictEqual((yield* Fiber.join(settled)).map(({ outcome, reason }) => [outcome, reason?.code]), [["indeterminate", "stop-not-confirmed"]])
    }).pipe(Effect.scoped))

  it.effect("is told twice when the second time is without grace", () =>
    Effect.gen(function*() {
      const { owner, ports, step } = yield* proposed([{ name: "a" }])
      const run = yield* ports.started("a")
      yield* Effect.yieldNow.pipe(Effect.repeat({ times: 20 }))
      yield* owner.calls.cancel(callAt(step, 0), graceful)
      yield* owner.calls.cancel(callAt(step, 0), { force: true })
      assert.deepStrictEqual(run.stops, [true, false])
    }).pipe(Effect.scoped))
})

describe("stopping a Turn", () => {
  it.live("ends every open call of it, resolves when all are settled, and begins none that is proposed later", () =>
    Effect.gen(function*() {
      const { owner, ports, step } = yield* proposed([
        { name: "runs", stop: "confirmed" }, { name: "asks", verdict: "approval" }, { name: "question", tool: "ask_user" }, { name: "judged", verdict: "held" }
      ])
      const { turn } = owner
      yield* ports.started("runs")
      yield* rowIn(owner, callAt(step, 2), "awaiting_input")
      yield* owner.calls.stopTurn(turn.turnId, graceful)
      const { responses, rows } = yield* recordOf(owner)
      assert.deepStrictEqual([responses.map(({ outcome }) => outcome), rows], [["cancelled", "cancelled", "cancelled", "cancelled"], []])
      const later = yield* owner.calls.propose({ ...turn, proposal: asking("later", { name: "later" }) })
      assert.deepStrictEqual((yield* later.settled).map(({ outcome }) => outcome), ["cancelled"])
      assert.deepStrictEqual(ports.ran, ["runs"])
    }).pipe(Effect.scoped))

  it.live("of which nothing is open has no effect", () =>
    Effect.gen(function*() {
      const { owner } = yield* proposed([])
      yield* owner.calls.stopTurn(owner.turn.turnId, graceful)
      assert.deepStrictEqual((yield* recordOf(owner)).responses, [])
    }).pipe(Effect.scoped))
})
