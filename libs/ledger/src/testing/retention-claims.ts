/** Claims about retention: burial, removal, what is old, who owns files. */
import { Effect, Fiber } from "effect"
import { expect } from "vitest"
import { CallLedger } from "../calls.ts"
import { OperationLedger } from "../operations.ts"
import { RetentionLedger } from "../retention.ts"
import { RunLedger } from "../runs.ts"
import { TurnLedger } from "../turns.ts"
import { admitted, type Claim, recordOf, refusal } from "./contract-test.ts"
import {
  sampleAdmission,
  sampleAsset,
  sampleCall,
  sampleId,
  sampleInstant,
  sampleOperation,
  sampleOwner,
  sampleResponse,
  sampleSettlement
} from "./sample-facts.ts"

const at = sampleInstant(90)

/** Admits the Run of `number` and settles its Turn with `calls` calls, of which each has an asset. */
const settledRun = Effect.fnUntraced(function*(number: number, calls: ReadonlyArray<number> = []) {
  const fence = yield* admitted(number)
  const callLedger = yield* CallLedger
  yield* callLedger.createToolCalls(fence, calls.map((call) => sampleCall(number, call)))
  const responses = calls.map((call) => ({ response: sampleResponse(call), assets: [sampleAsset(call, call)] }))
  yield* TurnLedger.use((turns) => turns.settleTurn(fence, sampleSettlement(number, "completed", { responses })))
  return fence
})

/** As `settledRun`, resting since the second `number` + 10. */
const restingRun = Effect.fnUntraced(function*(number: number, calls: ReadonlyArray<number> = []) {
  const fence = yield* settledRun(number, calls)
  yield* RunLedger.use((runs) => runs.restRun(fence, { state: "succeeded", at: sampleInstant(number + 10) }))
  return fence
})

const buriedRun = Effect.fnUntraced(function*(number: number, calls: ReadonlyArray<number> = []) {
  const fence = yield* settledRun(number, calls)
  return yield* RetentionLedger.use((retention) => retention.buryRun(fence, at))
})

const tombstone = (number: number) => ({
  runId: sampleId.run(number),
  conversationIds: [sampleId.conversation(number)]
})

export const retentionClaims = (claim: Claim): void => {
  claim("a buried Run is in no reading, and its tombstone names its Sessions", Effect.gen(function*() {
    const runs = yield* RunLedger
    const retention = yield* RetentionLedger
    const operations = yield* OperationLedger
    yield* settledRun(2)
    expect(yield* retention.tombstones).toEqual([])
    expect(yield* buriedRun(1, [1])).toEqual(tombstone(1))
    expect(yield* retention.tombstones).toEqual([tombstone(1)])
    const runId = sampleId.run(1)
    expect(yield* runs.readRun(runId)).toBeUndefined()
    expect(yield* runs.runRow(runId)).toBeUndefined()
    const rest = [sampleId.run(2)]
    const ids = (rows: ReadonlyArray<{ readonly runId: string }>) => rows.map((row) => row.runId)
    for (const query of [{}, { workspacePath: "/workspace" }, { states: ["running", "succeeded"] as const }]) {
      expect(ids(yield* runs.listRuns({ ...query, limit: 10 }))).toEqual(rest)
    }
    expect(yield* runs.runIdsByPrefix("run_", 10)).toEqual(rest)
    expect(ids(yield* runs.ownedRuns)).toEqual(rest)
    expect(ids(yield* retention.fileOwners)).toEqual(rest)
    expect(yield* retention.runsRestingSince(sampleInstant(10_000))).toEqual([])
    expect(yield* refusal(operations.admitOperation(sampleOperation(7, 1)))).toBe("Conflict")
  }))

  claim("a Run is buried by its owner alone, and not while a Turn waits for its result", Effect.gen(function*() {
    const runs = yield* RunLedger
    const retention = yield* RetentionLedger
    const fence = yield* admitted(1)
    expect(yield* refusal(retention.buryRun(fence, at))).toBe("Conflict")
    yield* TurnLedger.use((turns) => turns.settleTurn(fence, sampleSettlement(1)))
    expect(yield* refusal(retention.buryRun({ ...fence, epoch: 2 }, at))).toBe("Fenced")
    yield* runs.restRun(fence, { state: "succeeded", at })
    expect(yield* refusal(retention.buryRun(fence, at))).toBe("Fenced")
    expect(yield* refusal(retention.buryRun({ runId: sampleId.run(9), epoch: 1 }, at))).toBe("Fenced")
    expect(yield* retention.tombstones).toEqual([])
    const next = yield* runs.takeOver({ ...fence, owner: sampleOwner(2), at })
    expect(yield* retention.buryRun(next, at)).toEqual(tombstone(1))
  }))

  claim("a buried Run is written by nobody, not even by a new owner", Effect.gen(function*() {
    const runs = yield* RunLedger
    const calls = yield* CallLedger
    const fence = { ...yield* Effect.as(buriedRun(1), { runId: sampleId.run(1) }), epoch: 1 }
    expect(yield* refusal(runs.takeOver({ ...fence, owner: sampleOwner(2), at }))).toBe("Fenced")
    expect(yield* refusal(runs.restRun(fence, { state: "halted", at }))).toBe("Fenced")
    expect(yield* refusal(calls.createToolCalls(fence, [sampleCall(1, 5)]))).toBe("Fenced")
    expect(yield* refusal(RetentionLedger.use((retention) => retention.buryRun(fence, at)))).toBe("Fenced")
    expect(yield* TurnLedger.use((turns) => turns.settleTurn(fence, sampleSettlement(1)))).toBe(false)
  }))

  claim("Operations of a Run can be settled and read while it is removed and after, and are known again", Effect.gen(function*() {
    const operations = yield* OperationLedger
    const retention = yield* RetentionLedger
    const runs = yield* RunLedger
    const fence = yield* settledRun(1)
    const deletion = { ...sampleOperation(7, 1), input: { operation: "delete", runId: fence.runId } as const }
    yield* operations.admitOperation(deletion)
    yield* retention.buryRun(fence, at)
    expect(yield* runs.admittedRun(sampleAdmission(1))).toMatchObject({ repeated: true, runId: fence.runId })
    expect(yield* operations.settleOperation({ ...deletion, outcome: { status: "applied" }, at })).toBe(true)
    expect((yield* operations.admitOperation(deletion)).outcome).toEqual({ status: "applied" })
    yield* retention.removeRun(fence.runId)
    expect((yield* operations.operation(deletion.operationId))?.outcome).toEqual({ status: "applied" })
    expect((yield* operations.admitOperation(deletion)).outcome).toEqual({ status: "applied" })
    const other = { ...deletion, input: { operation: "delete", runId: sampleId.run(2) } as const }
    expect(yield* refusal(operations.admitOperation(other))).toBe("OperationIdReused")
    expect(yield* refusal(runs.admittedRun(sampleAdmission(1)))).toBe("RunRemoved")
    expect(yield* refusal(runs.admitRun(sampleAdmission(1)))).toBe("RunRemoved")
    const otherStart = { ...sampleAdmission(1), input: sampleAdmission(2, "another input").input }
    expect(yield* refusal(runs.admittedRun(otherStart))).toBe("OperationIdReused")
  }))

  claim("of an Operation on a removed Run no text is left, and it is known again by what it said", Effect.gen(function*() {
    const operations = yield* OperationLedger
    const retention = yield* RetentionLedger
    yield* admitted(1)
    const said = { ...sampleOperation(7, 1), input: { operation: "send", runId: sampleId.run(1), text: "a secret word" } as const }
    yield* operations.admitOperation(said)
    yield* operations.settleOperation({ ...said, outcome: { status: "applied" }, at: sampleInstant(9) })
    yield* TurnLedger.use((turns) => turns.settleTurn({ runId: sampleId.run(1), epoch: 1 }, sampleSettlement(1)))
    yield* retention.buryRun({ runId: sampleId.run(1), epoch: 1 }, sampleInstant(9))
    yield* retention.removeRun(sampleId.run(1))
    expect(JSON.stringify(yield* operations.operation(said.operationId))).not.toContain("secret")
    expect(yield* operations.admitOperation(said)).toMatchObject({ input: said.input, outcome: { status: "applied" } })
    const other = { ...said, input: { ...said.input, text: "another" } }
    expect(yield* refusal(operations.admitOperation(other))).toBe("OperationIdReused")
  }))

  claim("removal takes the rows of one Run, once or again; what stays of it are its Operations", Effect.gen(function*() {
    const retention = yield* RetentionLedger
    const other = yield* restingRun(2, [21, 22])
    const before = yield* recordOf(2)
    const owners = yield* retention.fileOwners
    yield* buriedRun(1, [1, 2])
    yield* buriedRun(3)
    yield* retention.removeRun(sampleId.run(1))
    expect(yield* retention.tombstones).toEqual([tombstone(3)])
    yield* retention.removeRun(sampleId.run(1))
    yield* retention.removeRun(sampleId.run(9))
    yield* retention.removeRun(sampleId.run(3))
    expect(yield* retention.tombstones).toEqual([])
    expect(yield* recordOf(2)).toEqual(before)
    expect(yield* retention.fileOwners).toEqual(owners)
    expect(other.epoch).toBe(1)
    expect(yield* RunLedger.use((runs) => runs.readRun(sampleId.run(1)))).toBeUndefined()
  }))

  claim("rows of a Run that is not buried are not removed", Effect.gen(function*() {
    yield* restingRun(1, [1])
    const before = yield* recordOf(1)
    expect(yield* refusal(RetentionLedger.use((retention) => retention.removeRun(sampleId.run(1))))).toBe("Conflict")
    expect(yield* recordOf(1)).toEqual(before)
  }))

  claim("a reading that meets the removal of its Run is whole or answers that there is none", Effect.gen(function*() {
    const runs = yield* RunLedger
    const retention = yield* RetentionLedger
    const numbers = Array.from({ length: 1_000 }, (_, index) => index + 1)
    const fence = yield* settledRun(1, numbers)
    const readings: Array<number | undefined> = []
    const reading = yield* Effect.forkChild(Effect.forEach(Array.from({ length: 6 }), () =>
      Effect.map(runs.readRun(fence.runId), (record) => readings.push(record?.events.length))))
    yield* Effect.yieldNow
    yield* retention.buryRun(fence, at)
    yield* retention.removeRun(fence.runId)
    yield* Fiber.join(reading)
    expect(readings.at(-1)).toBeUndefined()
    expect(readings.filter((events) => events !== undefined && events !== 2_002)).toEqual([])
  }))

  claim("Runs at rest are listed oldest first by their newest fact, and only those older than the given time", Effect.gen(function*() {
    const retention = yield* RetentionLedger
    const runs = yield* RunLedger
    for (const number of [5, 3, 8]) yield* restingRun(number)
    yield* settledRun(1)
    yield* admitted(2)
    const since = (seconds: number) => retention.runsRestingSince(sampleInstant(seconds))
    expect(yield* since(16)).toEqual([tombstone(3), tombstone(5)])
    expect(yield* since(15)).toEqual([tombstone(3)])
    expect(yield* since(1_000)).toEqual([3, 5, 8].map(tombstone))
    const taken = yield* runs.takeOver({ runId: sampleId.run(3), epoch: 1, owner: sampleOwner(2), at: sampleInstant(40) })
    expect(yield* since(1_000)).toEqual([5, 8].map(tombstone))
    yield* runs.restRun(taken, { state: "cancelled", at: sampleInstant(41) })
    expect(yield* since(1_000)).toEqual([5, 8, 3].map(tombstone))
    expect(yield* since(41)).toEqual([5, 8].map(tombstone))
  }))

  claim("a fact newer than the rest of its Run keeps the Run from being old", Effect.gen(function*() {
    const retention = yield* RetentionLedger
    const fence = yield* admitted(1)
    yield* TurnLedger.use((turns) =>
      turns.settleTurn(fence, sampleSettlement(1, "completed", { at: sampleInstant(60) })))
    yield* RunLedger.use((runs) => runs.restRun(fence, { state: "succeeded", at: sampleInstant(20) }))
    yield* restingRun(25)
    expect(yield* retention.runsRestingSince(sampleInstant(59))).toEqual([tombstone(25)])
    expect(yield* retention.runsRestingSince(sampleInstant(61))).toEqual([tombstone(25), tombstone(1)])
  }))

  claim("owners of files are all Sessions, with their calls that have assets or are unfinished", Effect.gen(function*() {
    const retention = yield* RetentionLedger
    const calls = yield* CallLedger
    yield* restingRun(1, [1, 2])
    const fence = yield* admitted(2)
    yield* calls.createToolCalls(fence, [sampleCall(2, 21), sampleCall(2, 22), sampleCall(2, 23)])
    const held = { state: "running", claim: "claim" } as const
    const settle = (call: number, assets: ReadonlyArray<number>) =>
      calls.settleToolCall(fence, {
        callId: sampleId.call(call),
        from: held,
        response: sampleResponse(call),
        assets: assets.map((asset) => sampleAsset(call, asset)),
        at
      })
    yield* settle(21, [210, 211])
    yield* settle(22, [])
    yield* admitted(3)
    const owners = yield* retention.fileOwners
    expect(owners.map((owner) => ({ ...owner, callIds: owner.callIds.toSorted() }))).toEqual([
      { runId: sampleId.run(1), conversationId: sampleId.conversation(1), callIds: [1, 2].map(sampleId.call) },
      { runId: sampleId.run(2), conversationId: sampleId.conversation(2), callIds: [21, 23].map(sampleId.call) },
      { runId: sampleId.run(3), conversationId: sampleId.conversation(3), callIds: [] }
    ])
  }))

  claim("a call that settles while owners of files are read is never missing", Effect.gen(function*() {
    const retention = yield* RetentionLedger
    const calls = yield* CallLedger
    const fence = yield* admitted(1)
    const numbers = Array.from({ length: 1_200 }, (_, index) => index + 1)
    yield* calls.createToolCalls(fence, numbers.map((call) => sampleCall(1, call)))
    const settling = yield* Effect.forkChild(Effect.forEach(numbers.toReversed(), (call) =>
      Effect.andThen(
        calls.settleToolCall(fence, {
          callId: sampleId.call(call),
          from: { state: "running", claim: "claim" },
          response: sampleResponse(call),
          assets: [sampleAsset(call, call)],
          at
        }),
        Effect.yieldNow
      )))
    let readings = 0
    while (settling.pollUnsafe() === undefined) {
      const [owner] = yield* retention.fileOwners
      expect(owner?.callIds).toHaveLength(1_200)
      readings++
      yield* Effect.yieldNow
    }
    yield* Fiber.join(settling)
    expect(readings).toBeGreaterThan(3)
  }))
}
