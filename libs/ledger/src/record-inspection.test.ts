import { describe, expect, it } from "@effect/vitest"
import Database from "better-sqlite3"
import { Effect } from "effect"
import { join } from "node:path"
import { CallLedger } from "./calls.ts"
import { databaseHealth } from "./database-health.ts"
import { ledgerLayer } from "./ledger-layer.ts"
import { sequenceText } from "./record-inspection.ts"
import { RetentionLedger } from "./retention.ts"
import { RunLedger } from "./runs.ts"
import {
  sampleAdmission,
  sampleAsset,
  sampleCall,
  sampleId,
  sampleInstant,
  sampleOwner,
  sampleResponse,
  sampleSettlement
} from "./testing.ts"
import { temporaryFolder } from "./testing/temporary-folder.ts"
import { TurnLedger } from "./turns.ts"

/** Run 1 at rest with a settled call and its file; Run 2 with an unfinished call; Run 3 buried, its removal begun. */
const sampleHome = Effect.gen(function*() {
  const file = join(yield* temporaryFolder, "core.sqlite")
  yield* Effect.gen(function*() {
    const runs = yield* RunLedger
    const calls = yield* CallLedger
    const turns = yield* TurnLedger
    for (const number of [1, 2, 3]) yield* runs.admitRun(sampleAdmission(number))
    const [first, second, third] = [1, 2, 3].map((number) => ({ runId: sampleId.run(number), epoch: 1 }))
    if (first === undefined || second === undefined || third === undefined) return expect.fail()
    yield* calls.createToolCalls(first, [sampleCall(1, 1)])
    yield* calls.settleToolCall(first, {
      callId: sampleId.call(1),
      from: { state: "running", claim: "claim" },
      response: sampleResponse(1, { assetIds: [sampleId.asset(1)] }),
      assets: [sampleAsset(1, 1)],
      at: sampleInstant(3)
    })
    yield* turns.settleTurn(first, sampleSettlement(1, "completed", { rest: "succeeded" }))
    yield* calls.createToolCalls(second, [sampleCall(2, 2)])
    yield* turns.settleTurn(third, sampleSettlement(3))
    const retention = yield* RetentionLedger
    yield* retention.buryRun(yield* runs.takeOver({ runId: third.runId, epoch: 1, owner: sampleOwner(5), at: sampleInstant(5) }), sampleInstant(6))
  }).pipe(Effect.provide(ledgerLayer({ file, access: "write" })))
  const database = new Database(file)
  database.pragma("foreign_keys = OFF")
  database.prepare("DELETE FROM event WHERE conversation_id = ?").run(sampleId.conversation(3))
  return { file, database }
})

const faultsAfter = Effect.fnUntraced(function*(...damage: ReadonlyArray<string>) {
  const { database, file } = yield* sampleHome
  for (const sql of damage) expect(database.prepare(sql).run().changes).toBeGreaterThan(0)
  database.close()
  return (yield* databaseHealth(file))?.faults
})

const run = sampleId.run(1)
const conversationId = sampleId.conversation(1)
const ofSession = (...what: ReadonlyArray<string>) => ({ kind: "session-incomplete", runId: run, conversationId, session: "main", what })

describe("an inspection", () => {
  it.effect("of a whole record finds nothing, whatever is unfinished or being removed", () =>
    Effect.map(faultsAfter(), (faults) => expect(faults).toEqual([])))

  it.effect.each<readonly [string, ReadonlyArray<string>, ReadonlyArray<object>]>([
    ["a Run's row", [`DELETE FROM run WHERE run_id = '${run}'`], [{ kind: "run-lost", runId: run, what: ["its own row is lost"] }]],
    ["a Session's row", [`DELETE FROM session WHERE run_id = '${run}'`], [
      { kind: "session-lost", conversationId, what: ["its own row is lost"] },
      { kind: "run-incomplete", runId: run, what: ["it has no Session"] }
    ]],
    ["a Turn's row", [`DELETE FROM turn WHERE turn_id = '${sampleId.turn(1)}'`], [
      ofSession("it has no Turn", `Turn ${sampleId.turn(1)} has no row`)
    ]],
    ["the row of a file", ["DELETE FROM asset"], [ofSession(`1 file has no row: ${sampleId.asset(1)}`)]],
    ["the Operation of a start", [`DELETE FROM operation WHERE run_id = '${run}'`], [
      { kind: "run-incomplete", runId: run, what: ["the Operation that started it is lost"] }
    ]],
    ["the end of a log", [`DELETE FROM event WHERE conversation_id = '${conversationId}' AND sequence > 2`], [
      ofSession(`the end of ${sampleId.turn(1)} is not in the log`, `the response of ${sampleId.call(1)} is not in the log`)
    ]],
    ["the beginning of a log", [`DELETE FROM event WHERE conversation_id = '${conversationId}' AND sequence < 3`], [
      ofSession(
        "what cannot be read: event 1 to 2",
        `the admission of ${sampleId.turn(1)} is not in the log`,
        `the start of ${sampleId.call(1)} is not in the log`
      )
    ]],
    ["a whole log", [`DELETE FROM event WHERE conversation_id = '${conversationId}'`], [ofSession("its log is empty")]],
    ["the payload of an end", [`UPDATE event SET payload = '{' WHERE conversation_id = '${conversationId}' AND sequence = 4`], [
      ofSession("what cannot be read: event 4", `the end of ${sampleId.turn(1)} is not in the log`)
    ]]
  ])("names what lost %s", ([, damage, faults]) => Effect.map(faultsAfter(...damage), (found) => expect(found).toEqual(faults)))
})

describe("sequences in words", () => {
  it("are single ones and ranges", () => {
    expect(sequenceText([{ sequence: 1 }, { sequence: 3, lastSequence: 5 }, { sequence: 6 }, { sequence: 9 }])).toBe("1, 3 to 6, 9")
  })
})
