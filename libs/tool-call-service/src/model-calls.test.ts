import { assert, describe, it } from "@effect/vitest"
import type { CallId } from "@steno/contracts"
import { Effect, Fiber, Layer, Logger } from "effect"
import { TestClock } from "effect/testing"
import { CallSpace, StorageLow } from "./call-space.ts"
import { ResultPreparation } from "./result-preparation.ts"
import { type AskedCall, asking, callAt, firstOwner, now, type Owner, type OwnerOptions, recordOf, rowIn, temporaryDatabase } from "./testing/owned-run.ts"
import { ControlledPorts, resultEnd } from "./testing/controlled-ports.ts"

const owning = Effect.fnUntraced(function*(options: Partial<OwnerOptions> = {}) {
  const ports = options.ports ?? new ControlledPorts()
  const owner = yield* firstOwner({ file: yield* temporaryDatabase, ...options, ports })
  const propose = (...calls: ReadonlyArray<AskedCall>) => owner.calls.propose({ ...owner.turn, proposal: asking("message", ...calls) })
  return { ports, owner, propose }
})

describe("calls of one message", () => {
  it.live("go on apart from each other: one stalls, one fails, one succeeds; the barrier opens with the last, in content order", () =>
    Effect.gen(function*() {
      const { owner, ports, propose } = yield* owning()
      const step = yield* propose({ name: "stalls" }, { name: "fails", starts: false }, { name: "succeeds" })
      const settled = yield* Effect.forkChild(step.settled, { startImmediately: true })
      yield* ports.end("succeeds", resultEnd("value"))
      const two = yield* recordOf(owner).pipe(Effect.repeat({ until: ({ responses }) => responses.length === 2 }))
      assert.sameMembers(two.responses.map(({ callId }) => callId), [callAt(step, 1), callAt(step, 2)])
      assert.strictEqual(yield* owner.ledger.openCallsOfStep({ ...owner.turn, modelStep: step.modelStep }), 1)
      assert.isUndefined(settled.pollUnsafe())
      yield* ports.end("stalls", resultEnd("late"))
      const responses = yield* Fiber.join(settled)
      assert.deepStrictEqual(responses.map(({ callId, outcome }) => [callId, outcome]), [
        [callAt(step, 0), "completed"],
        [callAt(step, 1), "failed"],
        [callAt(step, 2), "completed"]
      ])
      assert.deepStrictEqual(responses[1]?.reason, { code: "path-not-found", text: "It does not exist." })
      assert.deepStrictEqual((yield* recordOf(owner)).rows, [])
    }).pipe(Effect.scoped))

  it.live("run with their claim and the policy's decision on record, on the paths that were judged", () =>
    Effect.gen(function*() {
      const { owner, ports, propose } = yield* owning()
      const step = yield* propose({ name: "a" })
      const run = yield* ports.started("a")
      const row = yield* rowIn(owner, callAt(step, 0), "running")
      assert.match(row.claim ?? "", /^claim_1_[0-9a-f]{32}$/)
      assert.deepStrictEqual(row.supervision, { decision: "allow", by: "policy" })
      assert.deepStrictEqual(run.judgedPaths, ["/judged"])
      yield* ports.end("a", resultEnd("value"))
      const [response] = yield* step.settled
      assert.strictEqual(response?.agentProjection, "projected")
      assert.strictEqual(response?.origin, "model")
      assert.deepStrictEqual(response?.supervision, { decision: "allow", by: "policy" })
    }).pipe(Effect.scoped))

  it.live("without calls are settled with the commit of the message", () =>
    Effect.gen(function*() {
      const { propose } = yield* owning()
      assert.deepStrictEqual(yield* (yield* propose()).settled, [])
    }).pipe(Effect.scoped))

  it.live("are begun once, however often the message is proposed", () =>
    Effect.gen(function*() {
      const { owner, ports, propose } = yield* owning()
      const asked = [{ name: "a" }, { name: "b" }]
      const first = yield* propose(...asked)
      yield* ports.end("a", resultEnd("value"))
      yield* ports.started("b")
      const second = yield* propose(...asked)
      assert.deepStrictEqual(second.calls, first.calls)
      yield* ports.end("b", resultEnd("value"))
      assert.deepStrictEqual(yield* second.settled, yield* first.settled)
      assert.deepStrictEqual(yield* (yield* propose(...asked)).settled, yield* first.settled)
      assert.sameMembers(ports.ran, ["a", "b"])
      assert.strictEqual((yield* recordOf(owner)).responses.length, 2)
    }).pipe(Effect.scoped))

  it.live("of a Turn that another owner took over are not stored", () =>
    Effect.gen(function*() {
      const { owner, propose } = yield* owning()
      const { runId } = owner.turn.fence
      yield* owner.runs.takeOver({ runId, epoch: 1, owner: { bootId: "boot", pid: 9, startTime: "1" }, at: "2026-01-01T00:00:00.000Z" })
      const error = yield* Effect.flip(propose({ name: "a" }))
      assert.strictEqual(error.reason._tag, "CallNotAdmitted")
      assert.deepStrictEqual((yield* recordOf(owner)).rows, [])
    }).pipe(Effect.scoped))
})

describe("how many calls run at once", () => {
  it.live("has a limit; the next one waits, ready and recorded, until one is settled", () =>
    Effect.gen(function*() {
      const { owner, ports, propose } = yield* owning({ maxCalls: 2 })
      const step = yield* propose({ name: "a" }, { name: "b" }, { name: "c" })
      yield* ports.started("a")
      yield* ports.started("b")
      const row = yield* rowIn(owner, callAt(step, 2), "ready")
      assert.deepStrictEqual(row.supervision, { decision: "allow", by: "policy" })
      assert.notInclude(ports.ran, "c")
      yield* ports.end("b", resultEnd("value"))
      yield* ports.end("c", resultEnd("value"))
      yield* ports.end("a", resultEnd("value"))
      assert.deepStrictEqual((yield* step.settled).map(({ outcome }) => outcome), ["completed", "completed", "completed"])
    }).pipe(Effect.scoped))

  it.live("counts no call that awaits a person or an answer", () =>
    Effect.gen(function*() {
      const { owner, ports, propose } = yield* owning({ maxCalls: 1 })
      const step = yield* propose({ name: "asks", verdict: "approval" }, { name: "question", tool: "ask_user" }, { name: "runs" })
      yield* rowIn(owner, callAt(step, 0), "awaiting_approval")
      yield* rowIn(owner, callAt(step, 1), "awaiting_input")
      yield* ports.started("runs")
    }).pipe(Effect.scoped))
})

describe("calls that change one file", () => {
  it.live("run in content order, whatever is decided first; one that waits for its file takes no slot", () =>
    Effect.gen(function*() {
      const { owner, ports, propose } = yield* owning({ maxCalls: 1 })
      const step = yield* propose(
        { name: "first", file: "/f", verdict: "held" },
        { name: "second", file: "/f" },
        { name: "other", file: "/g" }
      )
      yield* rowIn(owner, callAt(step, 1), "ready")
      yield* ports.started("other")
      yield* ports.end("other", resultEnd("value"))
      yield* ports.decide("first", "allow")
      yield* ports.started("first")
      assert.deepStrictEqual(ports.ran, ["other", "first"])
      yield* ports.end("first", resultEnd("value"))
      yield* ports.end("second", resultEnd("value"))
      yield* step.settled
      assert.deepStrictEqual(ports.ran, ["other", "first", "second"])
    }).pipe(Effect.scoped))

  it.live("do not wait for one that was denied", () =>
    Effect.gen(function*() {
      const { ports, propose } = yield* owning()
      const step = yield* propose({ name: "first", file: "/f", verdict: "deny" }, { name: "second", file: "/f" })
      yield* ports.end("second", resultEnd("value"))
      assert.deepStrictEqual((yield* step.settled).map(({ outcome }) => outcome), ["denied", "completed"])
    }).pipe(Effect.scoped))
})

describe("a call that cannot begin", () => {
  for (
    const [title, call, code, raw] of [
      ["of a tool that is unknown", { name: "a", tool: "unknown" }, "unknown-tool"],
      ["whose arguments do not fit", { name: "a", fits: false }, "invalid-arguments"],
      ["whose arguments are no object; they are kept as they were given", { name: "a", raw: "{\"path\":" }, "invalid-arguments", "{\"path\":"]
    ] as const
  ) {
    it.live(`fails and is not judged: ${title}`, () =>
      Effect.gen(function*() {
        const { owner, ports, propose } = yield* owning()
        const [response] = yield* (yield* propose(call)).settled
        assert.strictEqual(response?.outcome, "failed")
        assert.strictEqual(response?.reason?.code, code)
        assert.notProperty(response, "supervision")
        assert.deepStrictEqual([ports.judged, ports.ran], [[], []])
        const { events } = yield* recordOf(owner)
        assert.include(JSON.stringify(events), JSON.stringify(raw ?? "Let me look."))
      }).pipe(Effect.scoped))
  }

  it.live("because policy denies it settles denied with the rule, nothing started", () =>
    Effect.gen(function*() {
      const { ports, propose } = yield* owning()
      const [response] = yield* (yield* propose({ name: "a", verdict: "deny" })).settled
      assert.strictEqual(response?.outcome, "denied")
      assert.deepStrictEqual(response?.reason, { code: "denied-by-policy", text: "It is asked about." })
      assert.deepStrictEqual(response?.supervision?.rule, { effect: "deny", command: "make *" })
      assert.deepStrictEqual(ports.ran, [])
    }).pipe(Effect.scoped))

  it.live("because there is no room fails with the reason, and the Turn goes on", () =>
    Effect.gen(function*() {
      const low = { limit: "session-quota", path: "/data", freeBytes: 1, usedBytes: 2, limitBytes: 1 } as const
      class FullPorts extends ControlledPorts {
        override get layer() {
          return Layer.merge(super.layer, Layer.succeed(CallSpace, { check: () => Effect.fail(new StorageLow(low)) }))
        }
      }
      const { ports, propose } = yield* owning({ ports: new FullPorts() })
      const responses = yield* (yield* propose({ name: "a" }, { name: "done", tool: "run_done" })).settled
      assert.deepStrictEqual(responses.map(({ outcome, reason }) => [outcome, reason?.code]), [["failed", "storage-low"], ["completed", undefined]])
      assert.deepStrictEqual(ports.ran, [])
    }).pipe(Effect.scoped))
})

describe("a call that a handler answers", () => {
  for (
    const [tool, outcome, code] of [
      ["run_done", "completed", undefined],
      ["run_failed", "failed", "refused"],
      ["broken", "failed", "handler-failed"]
    ] as const
  ) {
    it.live(`settles ${outcome}: ${tool}`, () =>
      Effect.gen(function*() {
        const { ports, propose } = yield* owning()
        const [response] = yield* (yield* propose({ name: "a", tool })).settled
        assert.deepStrictEqual([response?.outcome, response?.reason?.code], [outcome, code])
        assert.property(response, "startedAt")
        assert.deepStrictEqual(ports.ran, [])
      }).pipe(Effect.provide(Logger.layer([])), Effect.scoped))
  }
})

describe("a result", () => {
  it.live("that no projection fits settles its call once, without files", () =>
    Effect.gen(function*() {
      class OddPorts extends ControlledPorts {
        override get layer() {
          const stats = { lines: Number.NaN, bytes: 0 }
          const sides = { lines: [], hidden: 0, noun: "lines", direction: "head" } as const
          return Layer.merge(super.layer, Layer.succeed(ResultPreparation, {
            prepare: () => Effect.succeed({ agentProjection: "odd", cardProjection: { arguments: sides, result: sides, stats }, assets: [] })
          }))
        }
      }
      const { owner, ports, propose } = yield* owning({ ports: new OddPorts() })
      const step = yield* propose({ name: "a" })
      yield* ports.end("a", resultEnd("value"))
      const [response] = yield* step.settled
      assert.deepStrictEqual([response?.outcome, response?.warnings.map(({ code }) => code)], ["completed", ["result-not-prepared"]])
      assert.strictEqual((yield* recordOf(owner)).responses.length, 1)
    }).pipe(Effect.scoped))
})

describe("a ledger that cannot write", () => {
  const failing = (write: string, times: number) => {
    let left = times
    const state = { failed: 0 }
    const failpoint = (point: string) => {
      if (point !== write || left === 0) return
      left--
      state.failed++
      throw Object.assign(new Error("no space"), { code: "SQLITE_FULL" })
    }
    return { failpoint, state }
  }

  it.effect("keeps the row and starts nothing; the write is repeated, and the call goes on when one went through", () =>
    Effect.gen(function*() {
      const { failpoint, state } = failing("advanceToolCall:before-commit", 3)
      const { owner, ports, propose } = yield* owning({ failpoint })
      const step = yield* propose({ name: "a" })
      yield* Effect.yieldNow.pipe(Effect.repeat({ until: () => state.failed === 1 }))
      assert.strictEqual((yield* owner.ledger.unfinishedCall(callAt(step, 0)))?.state, "supervising")
      assert.deepStrictEqual(ports.ran, [])
      yield* Effect.forkChild(TestClock.adjust("2 seconds"))
      yield* ports.end("a", resultEnd("value"))
      assert.strictEqual((yield* step.settled)[0]?.outcome, "completed")
      assert.strictEqual(state.failed, 3)
    }).pipe(Effect.scoped))

  it.effect("for long makes the step fail and leaves the row to recovery", () =>
    Effect.gen(function*() {
      const { failpoint } = failing("settleToolCall:before-commit", 100)
      const { owner, ports, propose } = yield* owning({ failpoint })
      const step = yield* propose({ name: "a" })
      yield* ports.end("a", resultEnd("value"))
      const settled = yield* Effect.forkChild(Effect.flip(step.settled), { startImmediately: true })
      yield* TestClock.adjust("1 minute")
      assert.strictEqual((yield* Fiber.join(settled)).reason._tag, "CallNotSettled")
      assert.strictEqual((yield* recordOf(owner)).rows[0]?.state, "running")
    }).pipe(Effect.scoped))

  it.effect("but has, of a message, begins its calls once, as if it had said so", () =>
    Effect.gen(function*() {
      let left = 1
      const failpoint = (point: string) => {
        if (point === "proposeToolCalls:after-commit" && left-- > 0) throw Object.assign(new Error(), { code: "SQLITE_IOERR_FSYNC" })
      }
      const { ports, propose } = yield* owning({ failpoint })
      yield* Effect.forkChild(TestClock.adjust("5 seconds"))
      const step = yield* propose({ name: "a" }, { name: "b", verdict: "deny" })
      yield* ports.end("a", resultEnd("value"))
      assert.deepStrictEqual((yield* step.settled).map(({ outcome }) => outcome), ["completed", "denied"])
      assert.deepStrictEqual([left, ports.ran], [-1, ["a"]])
    }).pipe(Effect.scoped))

  it.effect("but has, of a claim, starts the call once", () =>
    Effect.gen(function*() {
      let left = 1
      const failpoint = (point: string) => {
        if (point === "advanceToolCall:after-commit" && left-- > 0) throw Object.assign(new Error(), { code: "SQLITE_IOERR_FSYNC" })
      }
      const { ports, propose } = yield* owning({ failpoint })
      const step = yield* propose({ name: "a" })
      yield* Effect.forkChild(TestClock.adjust("5 seconds"))
      yield* ports.end("a", resultEnd("value"))
      assert.strictEqual((yield* step.settled)[0]?.outcome, "completed")
      assert.deepStrictEqual(ports.ran, ["a"])
    }).pipe(Effect.scoped))
})

describe("a tool whose call is another's by now", () => {
  const settleElsewhere = Effect.fnUntraced(function*(owner: Owner, callId: CallId) {
    const { runId } = owner.turn.fence
    const fence = yield* owner.runs.takeOver({ runId, epoch: 1, owner: { bootId: "boot", pid: 9, startTime: "1" }, at: yield* now })
    const claim = (yield* owner.ledger.unfinishedCall(callId))?.claim
    yield* owner.ledger.settleToolCall(fence, {
      callId,
      from: { state: "running", claim },
      response: { callId, tool: "tool", origin: "model", outcome: "indeterminate", survivors: [], warnings: [], assetIds: [] },
      assets: [],
      at: yield* now
    })
  })

  for (const process of [true, false]) {
    const kind = process ? "a process" : "inside this process"
    it.live(`has its result dropped, and not even prepared: ${kind}`, () =>
      Effect.gen(function*() {
        const { owner, ports, propose } = yield* owning()
        const step = yield* propose({ name: "a", process })
        yield* ports.started("a")
        yield* Effect.yieldNow.pipe(Effect.repeat({ times: 50 }))
        yield* settleElsewhere(owner, callAt(step, 0))
        yield* ports.end("a", resultEnd("value"))
        assert.strictEqual((yield* Effect.flip(step.settled)).reason._tag, "CallNotSettled")
        assert.deepStrictEqual((yield* recordOf(owner)).responses.map(({ outcome }) => outcome), ["indeterminate"])
        assert.deepStrictEqual([ports.prepared, ports.runs.get("a")?.stops], [[], []])
      }).pipe(Effect.scoped))

    it.live(`is ended at once where that happened while it started: ${kind}`, () =>
      Effect.gen(function*() {
        const { owner, ports, propose } = yield* owning()
        const rows = Effect.map(recordOf(owner), ({ rows }) => rows)
        const lose = Effect.flatMap(rows, ([row]) => row === undefined ? Effect.die("no row") : settleElsewhere(owner, row.callId))
        ports.whileStarting.set("a", Effect.orDie(lose))
        const step = yield* propose({ name: "a", process })
        assert.strictEqual((yield* Effect.flip(step.settled)).reason._tag, "CallNotSettled")
        assert.deepStrictEqual((yield* ports.started("a")).stops, [false])
        assert.strictEqual((yield* recordOf(owner)).responses.length, 1)
      }).pipe(Effect.scoped))
  }
})
