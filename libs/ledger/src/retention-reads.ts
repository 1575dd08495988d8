/**
 * Reads what retention works on: tombstones, Runs at rest for long, the owners of files.
 *
 * Owns: the queries, each in batches by an index, so that no batch holds the thread for long.
 * Ordering: calls are read before assets, and assets before Sessions. A call that settles meanwhile is so found as
 * unfinished or by its assets, never neither.
 * Limits: what is committed between two batches may be missing; memory is in proportion to what is answered.
 */
import type { CallId, ConversationId, Instant, RunId } from "@steno/contracts"
import { Effect } from "effect"
import type { LedgerError } from "./ledger-errors.ts"
import type { RetentionLedger, Tombstone } from "./retention.ts"
import { newestEventAt } from "./run-reads.ts"
import { keptCopies } from "./salvage/database-copy.ts"
import type { SqliteClient } from "./sqlite-client.ts"
import { latest } from "./stored-rows.ts"

const batchRuns = 100
const batchRows = 500

interface TombstoneColumns {
  readonly run_id: RunId
  readonly conversation_ids: string
}

const tombstoneColumns =
  `run_id, (SELECT json_group_array(conversation_id ORDER BY creation) FROM session WHERE session.run_id = run.run_id)
     AS conversation_ids`

const toTombstone = (row: TombstoneColumns): Tombstone => ({
  runId: row.run_id,
  conversationIds: JSON.parse(row.conversation_ids)
})

/** The Sessions of a Run that exists, with its id. Only inside an attempt. */
export const selectTombstone = (client: SqliteClient, runId: RunId): Tombstone => ({
  runId,
  conversationIds: client.value<ConversationId>("SELECT conversation_id FROM session WHERE run_id = ? ORDER BY creation")
    .all(runId)
})

interface Batches<Row> {
  readonly operation: string
  /** Rows of one batch; a shorter one is the last, so that nobody runs after writers that add rows. */
  readonly size: number
  readonly after: (last: Row | undefined, size: number) => ReadonlyArray<Row>
}

/** Hands every row to `take`, batch by batch; other fibers get the thread in between. */
const everyRow = <Row>(
  client: SqliteClient,
  { operation, size, after }: Batches<Row>,
  take: (row: Row) => void
): Effect.Effect<void, LedgerError> =>
  Effect.gen(function*() {
    let last: Row | undefined
    for (;;) {
      const batch = yield* client.attempt(operation, () => after(last, size))
      batch.forEach(take)
      if (batch.length < size) return
      last = batch.at(-1)
      yield* Effect.yieldNow
    }
  })

const tombstones = (client: SqliteClient) =>
  Effect.gen(function*() {
    const found: Array<Tombstone> = []
    yield* everyRow<TombstoneColumns>(
      client,
      {
        operation: "tombstones",
        size: batchRuns,
        after: (last, size) =>
          client.statement<TombstoneColumns>(
            `SELECT ${tombstoneColumns} FROM run
             WHERE buried_at IS NOT NULL AND run_id > ? ORDER BY run_id LIMIT ?`
          ).all(last?.run_id ?? "", size)
      },
      (row) => found.push(toTombstone(row))
    )
    return found
  })

interface RestingColumns extends TombstoneColumns {
  readonly launched_at: Instant
  readonly settled_at: Instant
  readonly newest_event_at: Instant | null
}

const runsRestingSince = Effect.fnUntraced(function*(client: SqliteClient, before: Instant) {
  const found: Array<{ readonly activityAt: Instant; readonly tombstone: Tombstone }> = []
  yield* everyRow<RestingColumns>(
    client,
    {
      operation: "runsRestingSince",
      size: batchRuns,
      after: (last, size) =>
        client.statement<RestingColumns>(
          `SELECT ${tombstoneColumns}, launched_at, settled_at, ${newestEventAt} FROM run
           WHERE owner_pid IS NULL AND buried_at IS NULL AND settled_at < ? AND (settled_at, run_id) > (?, ?)
           ORDER BY settled_at, run_id LIMIT ?`
        ).all(before, last?.settled_at ?? "", last?.run_id ?? "", size)
    },
    (row) => {
      const activityAt = latest(row.launched_at, row.settled_at, row.newest_event_at)
      if (activityAt < before) found.push({ activityAt, tombstone: toTombstone(row) })
    }
  )
  const byActivity = found.sort((left, right) =>
    left.activityAt < right.activityAt ? -1 : left.activityAt > right.activityAt ? 1 : 0
  )
  return byActivity.map(({ tombstone }) => tombstone)
})

interface OwningCallColumns {
  readonly creation: number
  readonly conversation_id: ConversationId
  readonly call_id: CallId
}

interface OwningSessionColumns {
  readonly creation: number
  readonly run_id: RunId
  readonly conversation_id: ConversationId
}

const fileOwners = (client: SqliteClient) =>
  Effect.gen(function*() {
    const calls = new Map<ConversationId, Set<CallId>>()
    for (const table of ["tool_call", "asset"]) {
      yield* everyRow<OwningCallColumns>(
        client,
        {
          operation: "fileOwners",
          size: batchRows,
          after: (last, size) =>
            client.statement<OwningCallColumns>(
              `SELECT creation, conversation_id, call_id FROM ${table} WHERE creation > ? ORDER BY creation LIMIT ?`
            ).all(last?.creation ?? 0, size)
        },
        ({ conversation_id: conversationId, call_id: callId }) => {
          const known = calls.get(conversationId) ?? new Set()
          calls.set(conversationId, known.add(callId))
        }
      )
    }
    const owners: Array<{ runId: RunId; conversationId: ConversationId; callIds: ReadonlyArray<CallId> }> = []
    yield* everyRow<OwningSessionColumns>(
      client,
      {
        operation: "fileOwners",
        size: batchRows,
        after: (last, size) =>
          client.statement<OwningSessionColumns>(
            `SELECT creation, run_id, conversation_id FROM session LEFT JOIN run USING (run_id)
             WHERE creation > ? AND buried_at IS NULL ORDER BY creation LIMIT ?`
          ).all(last?.creation ?? 0, size)
      },
      ({ run_id: runId, conversation_id: conversationId }) => {
        owners.push({ runId, conversationId, callIds: [...calls.get(conversationId) ?? []] })
      }
    )
    return owners
  })

export const makeRetentionReads = (
  client: SqliteClient
): Pick<RetentionLedger["Service"], "damagedCopies" | "tombstones" | "runsRestingSince" | "fileOwners"> => ({
  damagedCopies: client.attempt("damagedCopies", () => keptCopies(client.path)),
  tombstones: tombstones(client),
  runsRestingSince: (before) => runsRestingSince(client, before),
  fileOwners: fileOwners(client)
})
