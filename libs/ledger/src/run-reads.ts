/**
 * Reads Runs: one whole, one row, lists.
 *
 * Owns: the queries.
 * Limits: a long log is read in batches, so that no batch holds the thread for long.
 */
import type { ConversationId, RunId, StoredEvent } from "@steno/contracts"
import { Effect } from "effect"
import type { RunLedger, RunQuery } from "./runs.ts"
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

/** Events read and parsed before other fibers get the thread. */
const batchRows = 100

interface LogEnd {
  readonly conversation_id: ConversationId
  readonly sequence: number
}

/** The facts that change, of one moment, and how far each Session's log reached then. */
const selectRecord = (client: SqliteClient, runId: RunId) => {
  const run = client.statement<RunColumns>(`${selectRun} WHERE run_id = ?`).get(runId)
  if (run === undefined) return undefined
  return {
    run,
    sessions: client.statement<SessionColumns>("SELECT * FROM session WHERE run_id = ? ORDER BY creation").all(runId),
    turns: client.statement<TurnColumns>(
      "SELECT turn.* FROM session CROSS JOIN turn USING (conversation_id) WHERE run_id = ? ORDER BY turn.creation"
    ).all(runId),
    logEnds: client.statement<LogEnd>(
      `SELECT conversation_id, (SELECT max(sequence) FROM event WHERE event.conversation_id = session.conversation_id) AS sequence
       FROM session WHERE run_id = ? ORDER BY creation`
    ).all(runId),
    calls: selectUnfinished(client, runId),
    assets: client.statement<AssetColumns>(
      "SELECT asset.* FROM session CROSS JOIN asset USING (conversation_id) WHERE run_id = ? ORDER BY asset.creation"
    ).all(runId)
  }
}

/** Logs only grow, so what is read later up to these ends is what stood there at their moment. */
const readLogs = Effect.fnUntraced(function*(client: SqliteClient, logEnds: ReadonlyArray<LogEnd>) {
  const events: Array<StoredEvent> = []
  for (const { conversation_id: conversationId, sequence: end } of logEnds) {
    for (let next = 1; next <= end; next += batchRows) {
      if (next > 1) yield* Effect.yieldNow
      yield* client.attempt("readRun", () => {
        const rows = client.statement<EventColumns>(
          "SELECT * FROM event WHERE conversation_id = ? AND sequence BETWEEN ? AND ? ORDER BY sequence"
        ).all(conversationId, next, Math.min(end, next + batchRows - 1))
        for (const row of rows) events.push(toStoredEvent(row))
      })
    }
  }
  return events
})

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

  readRun: Effect.fnUntraced(function*(runId) {
    const found = yield* client.attempt("readRun", () => {
      const record = client.inSnapshot(() => selectRecord(client, runId))
      return record && {
        logEnds: record.logEnds,
        run: toRunRow(record.run),
        sessions: record.sessions.map(toSessionRow),
        turns: record.turns.map(toTurnRow),
        unfinished: record.calls.map(toUnfinishedCall),
        assets: record.assets.map(toAsset)
      }
    })
    if (found === undefined) return undefined
    const { logEnds, ...record } = found
    return { ...record, events: yield* readLogs(client, logEnds) }
  }),

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
