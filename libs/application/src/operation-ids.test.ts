import { OperationId, type RunId, SteerId, TurnId } from "@steno/contracts"
import { Schema } from "effect"
import fc from "fast-check"
import { expect, it } from "vitest"
import { steerIdOf, turnIdOf } from "./operation-ids.ts"

const runId = "run_01ARZ3NDEKTSV4RRFFQ69G5FAV" as RunId
const begun = (operationId: string, at: number, run: RunId = runId) =>
  ({ operationId: OperationId.make(operationId), runId: run, admittedAt: new Date(at).toISOString() })

it("an Operation begins one Turn and one Steer, whatever is repeated; another one begins others", () => {
  const operation = fc.tuple(fc.stringMatching(/^[a-z0-9:._-]{1,30}$/), fc.nat(4e12))
  fc.assert(fc.property(operation, operation, ([one, at], [two, later]) => {
    const turnId = turnIdOf(begun(one, at))
    expect(Schema.is(TurnId)(turnId)).toBe(true)
    expect(Schema.is(SteerId)(steerIdOf(begun(one, at)))).toBe(true)
    expect(turnIdOf(begun(one, at))).toBe(turnId)
    if (one !== two) expect(turnIdOf(begun(two, at))).not.toBe(turnId)
    if (at < later) expect(turnId < turnIdOf(begun(two, later))).toBe(true)
  }))
})

it("the same id on another Run begins another Turn", () => {
  expect(turnIdOf(begun("op", 1))).not.toBe(turnIdOf(begun("op", 1, "run_01ARZ3NDEKTSV4RRFFQ69G5FAX" as RunId)))
})
