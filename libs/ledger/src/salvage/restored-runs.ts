/**
 * Rows of Runs at rest that are lost while everything they said is stored a second time.
 *
 * Owns: which of them can be made anew: the Operation that started the Run holds what was asked, the admission of its first Turn its
 *   harness, sound indexes its state and the time it came to rest.
 * Never owns: a Run of which any of that is missing, or that had an owner: its row stays lost.
 * Limits: `epoch` and `owned_at` begin anew. They fence processes that have the database open, and nobody has.
 */
import { type HarnessName, RunState, StartInput } from "@steno/contracts"
import type Database from "better-sqlite3"
import { Option, Schema } from "effect"
import { toLoggedEvent } from "../event-reading.ts"
import type { EventColumns } from "../stored-rows.ts"
import type { KnownColumns, TableLoss } from "./damaged-database.ts"

const decodeStart = Schema.decodeUnknownOption(Schema.fromJsonString(StartInput))
const isState = Schema.is(RunState)

interface StoredStart {
  readonly input: string
  readonly admitted_at: string
}

const startOf = (database: Database.Database, runId: string) =>
  database.prepare<[string], StoredStart>("SELECT input, admitted_at FROM operation WHERE run_id = ? ORDER BY rowid").all(runId)
    .flatMap(({ admitted_at: at, input }) => Option.match(decodeStart(input), { onNone: () => [], onSome: (start) => [{ at, start }] }))[0]

const harnessOf = (database: Database.Database, runId: string): HarnessName | undefined => {
  const row = database.prepare<[string], EventColumns>(
    `SELECT event.* FROM session JOIN event USING (conversation_id)
     WHERE run_id = ? AND type = 'turn-admitted' ORDER BY session.creation, sequence LIMIT 1`
  ).get(runId)
  const event = row === undefined ? undefined : toLoggedEvent(row)
  return event?.type === "turn-admitted" ? event.payload.harness : undefined
}

const restoreRun = (database: Database.Database, known: KnownColumns): boolean => {
  const { run_id: runId, settled_at: settledAt, state, workspace_path: workspace } = known
  if (typeof runId !== "string" || typeof settledAt !== "string" || !isState(state)) return false
  const [found, harness] = [startOf(database, runId), harnessOf(database, runId)]
  if (found === undefined || harness === undefined || found.start.workspace !== workspace) return false
  database.prepare(
    `INSERT INTO run (run_id, kind, workspace_path, harness, state, epoch, owned_at, launched_at, settled_at, input)
     VALUES (?, ?, ?, ?, ?, 1, ?, ?, ?, ?)`
  ).run(runId, found.start.kind, workspace, JSON.stringify(harness), state, found.at, found.at, settledAt, found.start.input)
  return true
}

/** The losses without those that were made anew. */
export const restoreRuns = (
  database: Database.Database,
  losses: ReadonlyArray<TableLoss>
): { readonly losses: ReadonlyArray<TableLoss>; readonly restored: number } => {
  let restored = 0
  const left = database.transaction(() =>
    losses.map((loss): TableLoss => {
      const rows = loss.table === "run" ? loss.rows.filter(({ known }) => !restoreRun(database, known)) : loss.rows
      restored += loss.rows.length - rows.length
      return { ...loss, rows }
    })
  )()
  return { losses: left, restored }
}
