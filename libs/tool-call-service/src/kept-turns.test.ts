import { assert, describe, it } from "@effect/vitest"
import { type InteractionAnswer, OperationId } from "@steno/contracts"
import { sampleAsset } from "@steno/ledger/testing"
import { Effect, Fiber, Layer, Logger } from "effect"
import { HostTools } from "./host-tools.ts"
import { type PreparedResult, ResultPreparation } from "./result-preparation.ts"
import { askedRule, ControlledPorts, resultEnd } from "./testing/controlled-ports.ts"
import {
  type AskedCall, asking, callAt, firstOwner, nextOwner, type Owner, type OwnerOptions, recordOf, rowIn, temporaryDatabase
} from "./testing/owned-run.ts"

const allow: InteractionAnswer = { approval: { decision: "allow" } }
const red: InteractionAnswer = { answers: { colour: { options: ["red"] } } }

const answer = (owner: Owner, callId: ReturnType<typeof callAt>, value: InteractionAnswer, id = "op-1") =>
  owner.calls.answer(owner.turn.fence, { callId, resolution: { id: OperationId.make(id), value, by: "person" } })

const sides = { lines: [], hidden: 0, noun: "lines", direction: "head" } as const
const cards = { arguments: sides, result: sides }
const shown: PreparedResult = { agentProjection: "shown", cardProjection: cards, assets: [] }
const left = Effect.succeed({ ended: [], left: [] })

/** A first owner whose calls were proposed. */
const proposed = Effect.fnUntraced(function*(calls: ReadonlyArray<AskedCall>, options: Partial<OwnerOptions> = {}) {
  const ports = new ControlledPorts()
  const file = yield* temporaryDatabase
  const owner = yield* firstOwner({ file, ports, ...options })
  const step = yield* owner.calls.propose({ ...owner.turn, proposal: asking("message", ...calls) })
  const next = (more: Partial<OwnerOptions> = {}) => nextOwner({ file, ports, ...more }, owner.turn)
  return { file, ports, owner, step, next }
})

describe("calls that await persons", () => {
  it.live("are answered under the next owner, when theirs was ended without order", () =>
    Effect.gen(function*() {
      const { next, owner, ports, step } = yield* proposed([{ name: "approval", verdict: "approval" }, { name: "question", tool: "ask_user" }])
      yield* owner.calls.onlyAwaits(owner.turn.turnId)
      yield* owner.close
      const second = yield* next()
      const adopted = yield* second.calls.adopt(second.turn)
      assert.deepStrictEqual(adopted.steps.map(({ calls, modelStep }) => ({ calls, modelStep })), [{ calls: step.calls, modelStep: step.modelStep }])
      yield* second.calls.onlyAwaits(second.turn.turnId)
      yield* answer(second, callAt(step, 1), red, "op-2")
      yield* answer(second, callAt(step, 0), allow)
      yield* ports.end("approval", resultEnd("value"))
      yield* adopted.settled
      const { responses, rows } = yield* recordOf(second)
      assert.deepStrictEqual([responses.map(({ outcome }) => outcome), rows], [["completed", "completed"], []])
      assert.deepStrictEqual(ports.ran, ["approval"])
      assert.match(ports.runs.get("approval")?.call.callId ?? "", new RegExp(callAt(step, 0)))
    }).pipe(Effect.scoped))

  it.live("are answered by an owner that does not carry them: it is stored, and acted on once by whoever adopts their Turn", () =>
    Effect.gen(function*() {
      const { file, next, owner, ports, step } = yield* proposed([{ name: "approval", verdict: "approval" }, { name: "question", tool: "ask_user" }])
      yield* owner.calls.onlyAwaits(owner.turn.turnId)
      yield* owner.close
      const second = yield* next()
      assert.deepStrictEqual(yield* answer(second, callAt(step, 0), allow), { decision: "recorded" })
      assert.deepStrictEqual(yield* answer(second, callAt(step, 1), red, "op-2"), { decision: "recorded" })
      assert.deepStrictEqual(ports.ran, [])
      yield* second.close
      const third = yield* nextOwner({ file, ports }, second.turn)
      const { settled } = yield* third.calls.adopt(third.turn)
      assert.deepStrictEqual(yield* answer(third, callAt(step, 0), allow), { decision: "repeated" })
      yield* ports.end("approval", resultEnd("value"))
      yield* settled
      assert.deepStrictEqual(ports.ran, ["approval"])
      assert.deepStrictEqual((yield* recordOf(third)).responses.map(({ interactions, outcome }) => [outcome, interactions?.length]), [
        ["completed", 1],
        ["completed", 1]
      ])
    }).pipe(Effect.scoped))

  it.live("whose owner ended between the stored answer and what follows from it go on from there, once", () =>
    Effect.gen(function*() {
      let isFull = false
      const failpoint = (point: string) => {
        if (isFull && point === "advanceToolCall:begin") throw Object.assign(new Error("no space"), { code: "SQLITE_FULL" })
      }
      const { next, owner, ports, step } = yield* proposed([{ name: "a", verdict: "approval" }], { failpoint })
      yield* owner.calls.onlyAwaits(owner.turn.turnId)
      isFull = true
      yield* answer(owner, callAt(step, 0), allow)
      yield* owner.close
      const second = yield* next()
      const row = yield* rowIn(second, callAt(step, 0), "awaiting_approval")
      assert.strictEqual(row.interactions?.[0]?.resolution?.id, "op-1")
      const { settled } = yield* second.calls.adopt(second.turn)
      yield* ports.end("a", resultEnd("value"))
      yield* settled
      assert.deepStrictEqual(ports.ran, ["a"])
    }).pipe(Effect.scoped))

  it.live("are judged again before they run under another owner: a rule that denies by now is heeded", () =>
    Effect.gen(function*() {
      const { next, owner, ports, step } = yield* proposed([{ name: "a", verdict: "approval" }])
      yield* owner.calls.onlyAwaits(owner.turn.turnId)
      yield* owner.close
      ports.verdicts.set("a", "deny")
      const second = yield* next()
      const { settled } = yield* second.calls.adopt(second.turn)
      yield* answer(second, callAt(step, 0), allow)
      yield* settled
      const { responses } = yield* recordOf(second)
      assert.deepStrictEqual(responses.map(({ outcome, reason }) => [outcome, reason?.code]), [["denied", "denied-by-policy"]])
      assert.deepStrictEqual(ports.ran, [])
    }).pipe(Effect.scoped))

  it.live("are answered by the policy of the client that goes on with them", () =>
    Effect.gen(function*() {
      const { next, owner, step } = yield* proposed([{ name: "a", verdict: "approval" }])
      yield* owner.calls.onlyAwaits(owner.turn.turnId)
      yield* owner.close
      const second = yield* next({ approvals: "deny" })
      yield* (yield* second.calls.adopt(second.turn)).settled
      const { responses } = yield* recordOf(second)
      assert.deepStrictEqual(responses.map(({ callId, outcome }) => [callId, outcome]), [[callAt(step, 0), "denied"]])
    }).pipe(Effect.scoped))

  it.live("keep the rules of their Session: the next owner reads them from the record", () =>
    Effect.gen(function*() {
      const { next, owner, ports, step } = yield* proposed([{ name: "a", verdict: "approval" }, { name: "b", verdict: "approval" }])
      yield* owner.calls.onlyAwaits(owner.turn.turnId)
      yield* answer(owner, callAt(step, 0), { approval: { decision: "allow", scope: "session" } })
      yield* ports.end("a", resultEnd("value"))
      yield* owner.calls.onlyAwaits(owner.turn.turnId)
      yield* owner.close
      const second = yield* next()
      yield* second.calls.adopt(second.turn)
      yield* answer(second, callAt(step, 1), allow, "op-2")
      yield* ports.started("b")
      assert.deepStrictEqual(ports.sessionRules.at(-1), [askedRule])
    }).pipe(Effect.scoped))

  it.live("keep the rules of their Session: a process that has the Run again knows those that others recorded meanwhile", () =>
    Effect.gen(function*() {
      const { next, owner, ports, step } = yield* proposed([{ name: "a", verdict: "approval" }])
      const { turn } = owner
      yield* owner.calls.onlyAwaits(turn.turnId)
      assert.isTrue(yield* owner.calls.release(turn.turnId))
      const second = yield* next()
      yield* answer(second, callAt(step, 0), { approval: { decision: "allow", scope: "session" } })
      const again = { bootId: "boot", pid: 1, startTime: "1" }
      const fence = yield* owner.runs.takeOver({ ...second.turn.fence, owner: again, at: "2026-01-01T00:00:00.000Z" })
      const adopted = yield* owner.calls.adopt({ ...turn, fence })
      yield* ports.end("a", resultEnd("value"))
      yield* adopted.settled
      assert.deepStrictEqual(ports.sessionRules, [[], [askedRule]])
    }).pipe(Effect.scoped))
})

describe("letting go of a Turn", () => {
  it.live("writes nothing; its calls are adopted again by the same process and answered", () =>
    Effect.gen(function*() {
      const { owner, ports, step } = yield* proposed([{ name: "a", verdict: "approval" }])
      const { turn } = owner
      const settled = yield* Effect.forkChild(Effect.flip(step.settled), { startImmediately: true })
      yield* owner.calls.onlyAwaits(turn.turnId)
      const before = yield* recordOf(owner)
      assert.isTrue(yield* owner.calls.release(turn.turnId))
      assert.strictEqual((yield* Fiber.join(settled)).reason._tag, "CallReleased")
      assert.deepStrictEqual(yield* recordOf(owner), before)
      yield* owner.runs.restRun(turn.fence, { state: "blocked", at: "2026-01-01T00:00:00.000Z" })
      const fence = yield* owner.runs.takeOver({ ...turn.fence, owner: { bootId: "boot", pid: 1, startTime: "1" }, at: "2026-01-01T00:00:00.000Z" })
      const again = yield* owner.calls.adopt({ ...turn, fence })
      yield* answer({ ...owner, turn: { ...turn, fence } }, callAt(step, 0), allow)
      yield* ports.end("a", resultEnd("value"))
      yield* again.settled
      assert.deepStrictEqual(ports.ran, ["a"])
    }).pipe(Effect.scoped))

  it.live("is refused while a call of it runs or was answered", () =>
    Effect.gen(function*() {
      const { owner, ports, step } = yield* proposed([{ name: "asks", verdict: "approval" }, { name: "runs" }])
      const { turnId } = owner.turn
      yield* rowIn(owner, callAt(step, 0), "awaiting_approval")
      const waits = yield* Effect.forkChild(owner.calls.onlyAwaits(turnId), { startImmediately: true })
      assert.isFalse(yield* owner.calls.release(turnId))
      assert.isUndefined(waits.pollUnsafe())
      yield* ports.end("runs", resultEnd("value"))
      yield* Fiber.join(waits)
      const both = yield* Effect.all([answer(owner, callAt(step, 0), allow), owner.calls.release(turnId)], { concurrency: 2 })
      assert.deepStrictEqual(both, [{ decision: "recorded" }, false])
      yield* ports.end("asks", resultEnd("value"))
      yield* step.settled
      assert.isFalse(yield* owner.calls.release(turnId))
    }).pipe(Effect.scoped))
})

describe("adopting a Turn", () => {
  it.live("settles what ran as indeterminate and what never began as cancelled, and keeps what awaits", () =>
    Effect.gen(function*() {
      const { next, owner, ports, step } = yield* proposed([
        { name: "runs" }, { name: "asks", verdict: "approval" }, { name: "judged", verdict: "held" }, { name: "waits", file: "/f" }, { name: "ready", file: "/f" }
      ])
      yield* ports.started("runs")
      yield* ports.started("waits")
      yield* rowIn(owner, callAt(step, 1), "awaiting_approval")
      yield* rowIn(owner, callAt(step, 4), "ready")
      yield* owner.close
      const second = yield* next()
      yield* second.calls.adopt(second.turn)
      yield* second.calls.onlyAwaits(second.turn.turnId)
      const { responses, rows } = yield* recordOf(second)
      const outcomes = new Map(responses.map(({ callId, outcome }) => [callId, outcome]))
      assert.deepStrictEqual(step.calls.map(({ callId }) => outcomes.get(callId)), ["indeterminate", undefined, "cancelled", "indeterminate", "cancelled"])
      assert.deepStrictEqual(rows.map(({ callId, state }) => [callId, state]), [[callAt(step, 1), "awaiting_approval"]])
      assert.deepStrictEqual(ports.ran.length, 2)
    }).pipe(Effect.scoped))

  for (
    const [title, code, recovered, prepared] of [
      ["cannot be looked at", "output-not-recovered", Effect.die("a broken disk"), shown],
      ["has no fitting projection", "result-not-prepared", left, { ...shown, cardProjection: { ...cards, stats: { lines: Number.NaN, bytes: 0 } } }],
      ["has files that the record refuses", "result-not-prepared", left, { ...shown, assets: [sampleAsset(1, 1), sampleAsset(1, 1)] }]
    ] as const
  ) {
    it.effect(`settles what ran also where what it left ${title}`, () =>
      Effect.gen(function*() {
        class OddPorts extends ControlledPorts {
          override get layer() {
            return Layer.mergeAll(
              super.layer,
              Layer.succeed(HostTools, { enter: () => Effect.die("not used"), recover: () => recovered }),
              Layer.succeed(ResultPreparation, { prepare: () => Effect.succeed(prepared) })
            )
          }
        }
        const { next, owner, ports } = yield* proposed([{ name: "runs" }])
        yield* ports.started("runs")
        yield* owner.close
        const second = yield* next({ ports: new OddPorts() })
        yield* (yield* second.calls.adopt(second.turn)).settled
        const { responses, rows } = yield* recordOf(second)
        assert.deepStrictEqual(responses.map(({ outcome, warnings }) => [outcome, warnings.map((warning) => warning.code)]), [["indeterminate", [code]]])
        assert.deepStrictEqual(rows, [])
      }).pipe(Effect.provide(Logger.layer([])), Effect.scoped))
  }

  it.live("joins what is live here already, and is settled at once where nothing is open", () =>
    Effect.gen(function*() {
      const { owner, ports, step } = yield* proposed([{ name: "a" }])
      yield* ports.started("a")
      const adopted = yield* owner.calls.adopt(owner.turn)
      yield* ports.end("a", resultEnd("value"))
      yield* adopted.settled
      assert.deepStrictEqual((yield* step.settled).map(({ outcome }) => outcome), ["completed"])
      const none = yield* owner.calls.adopt(owner.turn)
      assert.deepStrictEqual(none.steps, [])
      yield* none.settled
    }).pipe(Effect.scoped))
})

describe("settling what a dead owner left", () => {
  it.live("leaves one response per call, however often it is asked for", () =>
    Effect.gen(function*() {
      const { next, owner, ports, step } = yield* proposed([{ name: "runs" }, { name: "asks", verdict: "approval" }])
      yield* ports.started("runs")
      yield* rowIn(owner, callAt(step, 1), "awaiting_approval")
      yield* owner.close
      const second = yield* next()
      const { rows } = yield* recordOf(second)
      const running = rows.filter(({ state }) => state === "running").map((row) => ({ row, arguments: row.arguments }))
      yield* second.calls.settleAbandoned(second.turn.fence, running)
      yield* second.calls.settleAbandoned(second.turn.fence, running)
      const record = yield* recordOf(second)
      assert.deepStrictEqual(record.responses.map(({ callId, outcome }) => [callId, outcome]), [[callAt(step, 0), "indeterminate"]])
      assert.deepStrictEqual(record.rows.map(({ callId }) => callId), [callAt(step, 1)])
    }).pipe(Effect.scoped))
})
