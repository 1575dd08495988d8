/**
 * Reads Runs: one whole, one row, lists.
 *
 * Owns: the queries.
 * Limits: rows are read synchronously in one snapshot; payloads are parsed in slices, so that no slice holds the thread for long.
 */
import type { RunId, StoredEvent } from "@steno/contracts"
import { Effect } from "effect"
import type { RunLedger, RunQuery, RunRecord } from "./runs.ts"
import type { SqliteClient } from "./sqlite-client.ts"
import {
  type AssetColumns,
  type CallColumns,
  type EventColumns,
  type RunColumns,
  type SessionColumns,
  toAsset,
  toRunRow,
  toSessionRow,
  toStoredEvent,
  toTurnRow,
  toUnfinishedCall,
  type TurnColumns
} from "./stored-rows.ts"

const selectRun = `
SELECT run_id, kind, workspace_path, harness, state, epoch, owner_boot_id, owner_pid, owner_start_time,
  launched_at, settled_at, input,
  (SELECT max((SELECT created_at FROM event WHERE event.conversation_id = session.conversation_id
      ORDER BY sequence DESC LIMIT 1))
    FROM session WHERE session.run_id = run.run_id) AS newest_event_at
FROM run`

/** Payload text parsed before other fibers get the thread, in UTF-16 units. */
const sliceUnits = 512 * 1024

const parseEvents = Effect.fnUntraced(function*(rows: ReadonlyArray<EventColumns>) {
  const events: Array<StoredEvent> = []
  let units = 0
  for (const row of rows) {
    events.push(toStoredEvent(row))
    units += row.payload.length
    if (units >= sliceUnits) {
      units = 0
      yield* Effect.yieldNow
    }
  }
  return events
})

const selectRecord = (client: SqliteClient, runId: RunId) => {
  const run = client.statement<RunColumns>(`${selectRun} WHERE run_id = ?`).get(runId)
  if (run === undefined) return undefined
  return {
    run,
    sessions: client.statement<SessionColumns>("SELECT * FROM session WHERE run_id = ? ORDER BY creation").all(runId),
    turns: client.statement<TurnColumns>(
      `SELECT turn.* FROM turn JOIN session USING (conversation_id) WHERE run_id = ? ORDER BY turn.creation`
    ).all(runId),
    events: client.statement<EventColumns>(
      `SELECT event.* FROM session CROSS JOIN event USING (conversation_id)
       WHERE run_id = ? ORDER BY session.creation, sequence`
    ).all(runId),
    calls: selectUnfinished(client, runId),
    assets: client.statement<AssetColumns>(
      `SELECT asset.* FROM asset JOIN session USING (conversation_id) WHERE run_id = ? ORDER BY asset.creation`
    ).all(runId)
  }
}

export const selectUnfinished = (client: SqliteClient, runId: RunId): ReadonlyArray<CallColumns> =>
  client.statement<CallColumns>("SELECT * FROM tool_call WHERE run_id = ? ORDER BY creation").all(runId)

const selectRuns = (client: SqliteClient, query: RunQuery): ReadonlyArray<RunColumns> => {
  const conditions: Array<string> = []
  const values: Array<string | number> = []
  const when = (condition: string, value: string | undefined) => {
    if (value === undefined) return
    conditions.push(condition)
    values.push(value)
  }
  when("workspace_path = ?", query.workspacePath)
  when("run_id < ?", query.before)
  when("state IN (SELECT value FROM json_each(?))", query.states && JSON.stringify(query.states))
  const where = conditions.length === 0 ? "" : `WHERE ${conditions.join(" AND ")}`
  return client.statement<RunColumns>(`${selectRun} ${where} ORDER BY run_id DESC LIMIT ?`).all(...values, query.limit)
}

/** The first text that does not start with `prefix` but sorts after all that do. */
const afterPrefix = (prefix: string): string => `${prefix}\u{10FFFF}`

export const makeRunReads = (
  client: SqliteClient
): Pick<RunLedger["Service"], "ownedRuns" | "readRun" | "runRow" | "listRuns" | "runIdsByPrefix"> => ({
  ownedRuns: client.attempt("ownedRuns", () =>
    client.statement<RunColumns>(`${selectRun} WHERE owner_pid IS NOT NULL ORDER BY run_id`).all().map(toRunRow)),

  readRun: (runId) =>
    Effect.flatMap(
      client.attempt("readRun", () => client.inSnapshot(() => selectRecord(client, runId))),
      (record): Effect.Effect<RunRecord | undefined> =>
        record === undefined ? Effect.succeed(undefined) : Effect.map(parseEvents(record.events), (events) => ({
          run: toRunRow(record.run),
          sessions: record.sessions.map(toSessionRow),
          turns: record.turns.map(toTurnRow),
          events,
          unfinished: record.calls.map(toUnfinishedCall),
          assets: record.assets.map(toAsset)
        }))
    ),

  runRow: (runId) =>
    client.attempt("runRow", () => {
      const row = client.statement<RunColumns>(`${selectRun} WHERE run_id = ?`).get(runId)
      return row && toRunRow(row)
    }),

  listRuns: (query) => client.attempt("listRuns", () => selectRuns(client, query).map(toRunRow)),

  runIdsByPrefix: (prefix, limit) =>
    client.attempt("runIdsByPrefix", () =>
      client.value<RunId>(
        "SELECT run_id FROM run WHERE run_id >= ? AND run_id < ? ORDER BY run_id DESC LIMIT ?"
      ).all(prefix, afterPrefix(prefix), limit))
})
