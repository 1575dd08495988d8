import { describe, expect, it } from "@effect/vitest"
import Database from "better-sqlite3"
import { Effect } from "effect"
import { join } from "node:path"
import { ledgerLayer } from "./ledger-layer.ts"
import { lossFaults, mergeFaults } from "./loss-faults.ts"
import { RunLedger } from "./runs.ts"
import type { LostRow, TableLoss } from "./salvage/damaged-database.ts"
import { sampleAdmission, sampleId } from "./testing.ts"
import { temporaryFolder } from "./testing/temporary-folder.ts"

const run = sampleId.run(1)
const conversationId = sampleId.conversation(1)
const inSession = { kind: "session-incomplete", runId: run, conversationId, session: "main" }

/** What is said of lost rows in a home in which Run 1 is there. */
const faultsOf = Effect.fnUntraced(function*(table: string, rows: ReadonlyArray<LostRow["known"]>, more: Partial<TableLoss> = {}) {
  const file = join(yield* temporaryFolder, "core.sqlite")
  yield* RunLedger.use((runs) => runs.admitRun(sampleAdmission(1))).pipe(Effect.provide(ledgerLayer({ file, access: "write" })))
  const database = new Database(file, { readonly: true })
  const faults = lossFaults(database, [{ table, rows: rows.map((known) => ({ table, known })), isUncertain: false, ...more }])
  database.close()
  return faults
})

describe("what a repair could not bring over", () => {
  it.effect.each<readonly [string, string, ReadonlyArray<LostRow["known"]>, ReadonlyArray<object>]>([
    ["a Run", "run", [{ run_id: sampleId.run(7) }], [{ kind: "run-lost", runId: sampleId.run(7), what: ["its own row is lost"] }]],
    ["a Session and its Run", "session", [{ conversation_id: sampleId.conversation(7), run_id: sampleId.run(7) }], [
      { kind: "session-lost", conversationId: sampleId.conversation(7), runId: sampleId.run(7), what: ["its own row is lost"] }
    ]],
    ["events by their sequences", "event", [4, 2, 3].map((sequence) => ({ conversation_id: conversationId, sequence })), [
      { ...inSession, what: ["3 events are lost: 2 to 4"] }
    ]],
    ["an event of which only the Turn is known", "event", [{ turn_id: sampleId.turn(1) }], [{ ...inSession, what: ["1 event is lost: ?"] }]],
    ["an unfinished call of which only its id is known", "tool_call", [{ call_id: sampleId.call(1) }], [
      { kind: "record-incomplete", what: [`1 unfinished call is lost: ${sampleId.call(1)}`] }
    ]],
    ["an Operation by its Run", "operation", [{ operation_id: "op-9", run_id: run }], [
      { kind: "run-incomplete", runId: run, what: ["1 Operation is lost: op-9"] }
    ]],
    ["what belongs to nothing that is known", "operation", [{ operation_id: "op-9" }], [
      { kind: "record-incomplete", what: ["1 Operation is lost: op-9"] }
    ]]
  ])("names %s", ([, table, rows, faults]) => Effect.map(faultsOf(table, rows), (found) => expect(found).toEqual(faults)))

  it.effect("says where more may be lost than it can name", () =>
    Effect.map(faultsOf("turn", [], { isUncertain: true }), (found) => expect(found).toMatchObject([{ kind: "record-incomplete" }])))

  it("is said once of each Run and Session", () => {
    const lost = { kind: "run-lost", runId: run } as const
    expect(mergeFaults([{ ...lost, what: ["one"] }, { ...lost, runId: "run_2", what: ["one"] }, { ...lost, what: ["two", "one"] }]))
      .toEqual([{ ...lost, what: ["one", "two"] }, { ...lost, runId: "run_2", what: ["one"] }])
  })
})
