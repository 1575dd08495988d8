/**
 * Reads Runs: one whole, one row, lists.
 *
 * Owns: the queries. A buried Run is in none of them.
 * Limits: a long log is read in batches, so that no batch holds the thread for long.
 */
import type { ConversationId, LoggedEvent, RunId, StartInput } from "@steno/contracts"
import { Effect } from "effect"
import { selectUnfinished } from "./call-reads.ts"
import { logReader } from "./event-reading.ts"
import { LedgerError, RecordDamaged } from "./ledger-errors.ts"
import type { RunLedger, RunQuery } from "./runs.ts"
import type { SqliteClient } from "./sqlite-client.ts"
import {
  type AssetColumns,
  type EventColumns,
  type RunColumns,
  type SessionColumns,
  toAsset,
  toRunRow,
  toSessionRow,
  toStartInput,
  toTurnRow,
  type TurnColumns
} from "./stored-rows.ts"

/** Time of the newest event of the `run` of a query. */
export const newestEventAt = `
  (SELECT max((SELECT created_at FROM event WHERE event.conversation_id = session.conversation_id
      ORDER BY sequence DESC LIMIT 1))
    FROM session WHERE session.run_id = run.run_id) AS newest_event_at`

const selectRun = `
SELECT run_id, kind, workspace_path, harness, state, epoch, owner_boot_id, owner_pid, owner_start_time,
  launched_at, settled_at, input, ${newestEventAt}
FROM run`

/** Events read and parsed before other fibers get the thread. */
const batchRows = 100

interface OwnedAssetColumns extends AssetColumns {
  readonly conversation_id: ConversationId
}

interface LogEnd {
  readonly conversation_id: ConversationId
  readonly sequence: number
}

/** Whether a Run exists and is not buried. */
export const isShown = (client: SqliteClient, runId: RunId): boolean =>
  client.value("SELECT 1 FROM run WHERE run_id = ? AND buried_at IS NULL").get(runId) !== undefined

/** Undefined for a Run that is not there or is buried; throws `RecordDamaged` where Sessions name a Run that has no row. */
const selectRunRow = (client: SqliteClient, runId: RunId): RunColumns | undefined => {
  const run = client.statement<RunColumns>(`${selectRun} WHERE run_id = ? AND buried_at IS NULL`).get(runId)
  if (run !== undefined) return run
  const isOrphaned = client.value(
    "SELECT 1 FROM session WHERE run_id = ? AND NOT EXISTS (SELECT 1 FROM run WHERE run.run_id = session.run_id) LIMIT 1"
  ).get(runId)
  if (isOrphaned !== undefined) throw new LedgerError({ reason: new RecordDamaged({ subject: `the row of Run ${runId}` }) })
  return undefined
}

/** The Operation that starts a Run is stored with it, before any other of the Run. */
const selectStartInput = (client: SqliteClient, runId: RunId): StartInput | undefined =>
  toStartInput(client.value<string>("SELECT input FROM operation WHERE run_id = ? ORDER BY rowid LIMIT 1").get(runId))

/** The facts that change, of one moment, and how far each Session's log reached then. */
const selectRecord = (client: SqliteClient, runId: RunId) => {
  const run = selectRunRow(client, runId)
  if (run === undefined) return undefined
  return {
    run,
    start: selectStartInput(client, runId),
    sessions: client.statement<SessionColumns>("SELECT * FROM session WHERE run_id = ? ORDER BY creation").all(runId),
    turns: client.statement<TurnColumns>(
      "SELECT turn.* FROM session CROSS JOIN turn USING (conversation_id) WHERE run_id = ? ORDER BY turn.creation"
    ).all(runId),
    logEnds: client.statement<LogEnd>(
      `SELECT conversation_id,
         coalesce((SELECT max(sequence) FROM event WHERE event.conversation_id = session.conversation_id), 0) AS sequence
       FROM session WHERE run_id = ? ORDER BY creation`
    ).all(runId),
    unfinished: selectUnfinished(client, runId),
    assets: client.statement<AssetColumns>(
      "SELECT asset.* FROM session CROSS JOIN asset USING (conversation_id) WHERE run_id = ? ORDER BY asset.creation"
    ).all(runId)
  }
}

/** Logs only grow until their Run is removed, so what is read later up to these ends is what stood there at their moment. */
const readLogs = Effect.fnUntraced(function*(client: SqliteClient, logEnds: ReadonlyArray<LogEnd>) {
  const events: Array<LoggedEvent> = []
  for (const { conversation_id: conversationId, sequence: end } of logEnds) {
    const log = logReader(conversationId)
    let isMore = end > 0
    while (isMore) {
      isMore = yield* client.attempt("readRun", () => {
        const rows = client.statement<EventColumns>(
          "SELECT * FROM event WHERE conversation_id = ? AND sequence BETWEEN ? AND ? ORDER BY sequence LIMIT ?"
        ).all(conversationId, log.next(), end, batchRows)
        for (const row of rows) events.push(...log.take(row))
        return rows.length === batchRows
      })
      if (isMore) yield* Effect.yieldNow
    }
    events.push(...log.close(end))
  }
  return events
})

/** Text and values of a list. Each reads its rows in their order from an index that also holds what it filters by. */
const listStatement = (query: RunQuery): { readonly sql: string; readonly values: ReadonlyArray<string | number> } => {
  const states = query.states && `state IN (${query.states.map(() => "?").join(", ")})`
  const conditions = [
    "buried_at IS NULL",
    ...(query.workspacePath === undefined ? [] : ["workspace_path = ?"]),
    ...(query.before === undefined ? [] : ["run_id < ?"]),
    ...(states === undefined ? [] : [states])
  ]
  const given = [query.workspacePath, query.before, ...query.states ?? []].filter((value) => value !== undefined)
  return {
    sql: `${selectRun} WHERE ${conditions.join(" AND ")} ORDER BY run_id DESC LIMIT ?`,
    values: [...given, query.limit]
  }
}

const selectRuns = (client: SqliteClient, query: RunQuery): ReadonlyArray<RunColumns> => {
  const { sql, values } = listStatement(query)
  return client.statement<RunColumns>(sql).all(...values)
}

/** The first text that does not start with `prefix` but sorts after all that do. */
const afterPrefix = (prefix: string): string => `${prefix}\u{10FFFF}`

export const makeRunReads = (
  client: SqliteClient
): Pick<RunLedger["Service"], "ownedRuns" | "readRun" | "startInput" | "runRow" | "listRuns" | "runIdsByPrefix" | "ownedAsset"> => ({
  ownedRuns: client.attempt("ownedRuns", () =>
    client.statement<RunColumns>(`${selectRun} WHERE owner_pid IS NOT NULL ORDER BY run_id`).all().map(toRunRow)),

  readRun: Effect.fnUntraced(function*(runId) {
    const found = yield* client.attempt("readRun", () => {
      const record = client.inSnapshot(() => selectRecord(client, runId))
      return record && {
        logEnds: record.logEnds,
        run: toRunRow(record.run),
        ...(record.start === undefined ? {} : { start: record.start }),
        sessions: record.sessions.map(toSessionRow),
        turns: record.turns.map(toTurnRow),
        unfinished: record.unfinished,
        assets: record.assets.map(toAsset)
      }
    })
    if (found === undefined) return undefined
    const { logEnds, ...record } = found
    const events = yield* readLogs(client, logEnds)
    const isWhole = events.every((event) => event.type !== "unreadable" || event.reason !== "lost")
    const isThere = isWhole || (yield* client.attempt("readRun", () => isShown(client, runId)))
    return isThere ? { ...record, events } : undefined
  }),

  startInput: (runId) => client.attempt("startInput", () => selectStartInput(client, runId)),

  runRow: (runId) =>
    client.attempt("runRow", () => {
      const row = selectRunRow(client, runId)
      return row && toRunRow(row)
    }),

  ownedAsset: (assetId) =>
    client.attempt("ownedAsset", () => {
      const row = client.statement<OwnedAssetColumns>("SELECT * FROM asset WHERE asset_id = ?").get(assetId)
      return row && { conversationId: row.conversation_id, asset: toAsset(row) }
    }),

  listRuns: (query) => client.attempt("listRuns", () => selectRuns(client, query).map(toRunRow)),

  runIdsByPrefix: (prefix, limit) =>
    client.attempt("runIdsByPrefix", () =>
      client.value<RunId>(
        `SELECT run_id FROM run
         WHERE buried_at IS NULL AND run_id >= ? AND run_id < ? ORDER BY run_id DESC LIMIT ?`
      ).all(prefix, afterPrefix(prefix), limit))
})
