/** Claims about Operations on an existing Run: one per id, settled once. */
import type { OperationOutcome } from "@steno/contracts"
import { Effect } from "effect"
import { expect } from "vitest"
import { OperationLedger } from "../operations.ts"
import { RunLedger } from "../runs.ts"
import { admitted, type Claim, recordOf, refusal } from "./contract-test.ts"
import { sampleAdmission, sampleId, sampleInstant, sampleOperation } from "./sample-facts.ts"

const refused: OperationOutcome = {
  status: "not-applied",
  problem: { code: "run-terminal", explanation: "Ended.", remediation: "Nothing.", possibleEffects: "none" }
}

export const operationClaims = (claim: Claim): void => {
  claim("an admitted Operation is pending until it is settled, and reads as it was admitted", Effect.gen(function*() {
    const operations = yield* OperationLedger
    yield* admitted(1)
    const { operationId, input, at } = sampleOperation(7, 1)
    const pending = { operationId, input, runId: sampleId.run(1), outcome: { status: "pending" }, admittedAt: at }
    expect(yield* operations.operation(operationId)).toBeUndefined()
    expect(yield* operations.admitOperation(sampleOperation(7, 1))).toEqual(pending)
    expect(yield* operations.operation(operationId)).toEqual(pending)
    expect(yield* operations.pendingOperations(sampleId.run(1))).toEqual([pending])
    const settledAt = sampleInstant(50)
    expect(yield* operations.settleOperation({ operationId, outcome: refused, at: settledAt })).toBe(true)
    expect(yield* operations.operation(operationId)).toEqual({ ...pending, outcome: refused, settledAt })
    expect(yield* operations.pendingOperations(sampleId.run(1))).toEqual([])
  }))

  claim("the Operation that started a Run reads as applied, and is never pending", Effect.gen(function*() {
    const operations = yield* OperationLedger
    yield* admitted(1)
    const { operationId, input, at } = sampleAdmission(1)
    expect(yield* operations.operation(operationId)).toEqual({
      operationId,
      input,
      runId: sampleId.run(1),
      outcome: { status: "applied" },
      admittedAt: at,
      settledAt: at
    })
    expect(yield* operations.pendingOperations(sampleId.run(1))).toEqual([])
    expect(yield* operations.settleOperation({ operationId, outcome: refused, at: sampleInstant(9) })).toBe(false)
    expect((yield* operations.operation(operationId))?.outcome).toEqual({ status: "applied" })
  }))

  claim("an equal Operation is answered as it is stored by now, whatever the order of its input's keys", Effect.gen(function*() {
    const operations = yield* OperationLedger
    yield* admitted(1)
    const { operationId, at } = sampleOperation(7, 1)
    const [runId, operation] = [sampleId.run(1), "cancel"] as const
    yield* operations.admitOperation({ operationId, input: { runId, operation }, at })
    const first = yield* operations.operation(operationId)
    expect(yield* operations.admitOperation({ operationId, input: { operation, runId }, at: sampleInstant(99) })).toEqual(first)
    yield* operations.settleOperation({ operationId, outcome: { status: "applied" }, at: sampleInstant(50) })
    const again = yield* operations.admitOperation({ operationId, input: { operation, runId }, at: sampleInstant(99) })
    expect(again).toEqual({ ...first, outcome: { status: "applied" }, settledAt: sampleInstant(50) })
    expect(yield* operations.pendingOperations(runId)).toEqual([])
  }))

  claim("of concurrent equal Operations one is stored", Effect.gen(function*() {
    const operations = yield* OperationLedger
    yield* admitted(1)
    const answers = yield* Effect.all(
      [1, 2, 3, 4].map((second) => operations.admitOperation({ ...sampleOperation(7, 1), at: sampleInstant(second) })),
      { concurrency: "unbounded" }
    )
    expect(new Set(answers.map(({ admittedAt }) => admittedAt)).size).toBe(1)
    expect(yield* operations.pendingOperations(sampleId.run(1))).toHaveLength(1)
  }))

  claim("a used id with another input is refused, also across Runs, kinds and the start of a Run", Effect.gen(function*() {
    const operations = yield* OperationLedger
    const runs = yield* RunLedger
    yield* admitted(1)
    yield* admitted(2)
    const first = sampleOperation(7, 1)
    yield* operations.admitOperation(first)
    const before = yield* operations.operation(first.operationId)
    const others = [
      { ...first, input: { ...first.input, runId: sampleId.run(2) } },
      { ...first, input: { operation: "delete", runId: sampleId.run(1) } },
      { ...first, operationId: sampleAdmission(1).operationId }
    ] as const
    for (const other of others) expect(yield* refusal(operations.admitOperation(other))).toBe("OperationIdReused")
    const start = { ...sampleAdmission(3), operationId: first.operationId }
    expect(yield* refusal(runs.admitRun(start))).toBe("OperationIdReused")
    expect(yield* refusal(runs.admittedRun(start))).toBe("OperationIdReused")
    expect(yield* runs.runRow(sampleId.run(3))).toBeUndefined()
    expect(yield* operations.operation(first.operationId)).toEqual(before)
    expect(yield* operations.pendingOperations(sampleId.run(2))).toEqual([])
  }))

  claim("an Operation on an unknown Run is a conflict, and its id stays free", Effect.gen(function*() {
    const operations = yield* OperationLedger
    expect(yield* refusal(operations.admitOperation(sampleOperation(7, 1)))).toBe("Conflict")
    expect(yield* operations.operation(sampleId.operation(7))).toBeUndefined()
    yield* admitted(1)
    yield* operations.admitOperation(sampleOperation(7, 1))
  }))

  claim("pending Operations of a Run come in the order of their admission, whatever the clock said", Effect.gen(function*() {
    const operations = yield* OperationLedger
    yield* admitted(1)
    yield* admitted(2)
    for (const [number, run, second] of [[9, 1, 30], [8, 2, 31], [3, 1, 20], [5, 1, 40]] as const) {
      yield* operations.admitOperation({ ...sampleOperation(number, run), at: sampleInstant(second) })
    }
    const ids = Effect.map(operations.pendingOperations(sampleId.run(1)), (pending) =>
      pending.map(({ operationId }) => operationId))
    expect(yield* ids).toEqual([9, 3, 5].map(sampleId.operation))
    yield* operations.settleOperation({
      operationId: sampleId.operation(3),
      outcome: { status: "applied" },
      at: sampleInstant(50)
    })
    expect(yield* ids).toEqual([9, 5].map(sampleId.operation))
  }))

  claim("an Operation is settled once; an unknown one never", Effect.gen(function*() {
    const operations = yield* OperationLedger
    yield* admitted(1)
    const { operationId } = yield* operations.admitOperation(sampleOperation(7, 1))
    const settle = (status: "applied" | "not-applied") =>
      operations.settleOperation({ operationId, outcome: { status }, at: sampleInstant(50) })
    const settled = yield* Effect.all([settle("applied"), settle("not-applied"), settle("applied")], {
      concurrency: "unbounded"
    })
    expect(settled.filter((effective) => effective)).toHaveLength(1)
    const stored = yield* operations.operation(operationId)
    expect(yield* settle(stored?.outcome.status === "applied" ? "not-applied" : "applied")).toBe(false)
    expect(yield* operations.operation(operationId)).toEqual(stored)
    const unknown = { operationId: sampleId.operation(99), outcome: { status: "applied" }, at: sampleInstant(1) } as const
    expect(yield* operations.settleOperation(unknown)).toBe(false)
  }))

  claim("an Operation leaves the facts of its Run as they were", Effect.gen(function*() {
    const operations = yield* OperationLedger
    yield* admitted(1)
    const before = yield* recordOf(1)
    const { operationId } = yield* operations.admitOperation(sampleOperation(7, 1))
    yield* operations.settleOperation({ operationId, outcome: { status: "applied" }, at: sampleInstant(50) })
    expect(yield* recordOf(1)).toEqual(before)
  }))
}
