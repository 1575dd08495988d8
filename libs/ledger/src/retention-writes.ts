/**
 * Buries a Run, and removes the rows of a buried one; what stays are its Operations, so that their ids are known.
 *
 * Owns: tombstones, the order in which rows go.
 * Ordering: children before parents; Sessions and the Run itself last, in one transaction, so a tombstone names all
 * its Sessions until it is gone.
 * Limits: a transaction removes at most `sliceRows` rows and `sliceBytes` of payload, so that none holds the thread for
 * long; other fibers and other processes get their turn in between.
 */
import type { OperationId, RunId } from "@steno/contracts"
import { Effect } from "effect"
import { makePageReturn } from "./free-pages.ts"
import { removedInput } from "./removed-input.ts"
import { selectTombstone } from "./retention-reads.ts"
import type { RetentionLedger } from "./retention.ts"
import type { SqliteClient } from "./sqlite-client.ts"
import { conflict, requireOwner, type Write } from "./write-transaction.ts"
import { requireSettled } from "./run-writes.ts"

export const sliceRows = 250
const sliceBytes = 1024 * 1024

/** Rows besides events that go in slices, by Run and largest number of rows. */
const otherRows = [
  "DELETE FROM input_queue WHERE rowid IN (SELECT position FROM input_queue WHERE run_id = ? LIMIT ?)",
  "DELETE FROM tool_call WHERE rowid IN (SELECT creation FROM tool_call WHERE run_id = ? LIMIT ?)",
  `DELETE FROM asset WHERE rowid IN
     (SELECT asset.creation FROM session CROSS JOIN asset USING (conversation_id) WHERE run_id = ? LIMIT ?)`,
  `DELETE FROM turn WHERE rowid IN
     (SELECT turn.creation FROM session CROSS JOIN turn USING (conversation_id) WHERE run_id = ? LIMIT ?)`
]

/** Operations of removed Runs that are known; the oldest are forgotten. */
const rememberedOperations = 1_000

const forgetOldest = (client: SqliteClient): void => {
  client.statement(
    `DELETE FROM operation WHERE run_id IS NULL AND rowid <=
       (SELECT rowid FROM operation WHERE run_id IS NULL ORDER BY rowid DESC LIMIT 1 OFFSET ${rememberedOperations})`
  ).run()
}

/** Operations stay, without what they said: a repeated one must not act on another Run, nor a start run again. Gives how many were left. */
const leaveOperations = (client: SqliteClient, runId: RunId, most: number): number => {
  const left = client.statement<{ readonly operation_id: OperationId; readonly input: string; readonly operation: string }>(
    "SELECT operation_id, input, input ->> 'operation' AS operation FROM operation WHERE run_id = ? LIMIT ?"
  ).all(runId, most)
  for (const { input, operation, operation_id } of left) {
    client.statement("UPDATE operation SET run_id = NULL, input = ? WHERE operation_id = ?")
      .run(removedInput(operation, input), operation_id)
  }
  return left.length
}

interface StoredSize {
  readonly row: number
  readonly bytes: number
}

/** Removes events up to the limits of a slice; gives how many more rows the slice may remove. */
const removeEvents = (client: SqliteClient, runId: RunId): number => {
  const events = client.statement<StoredSize>(
    `SELECT event.rowid AS row, octet_length(payload) AS bytes
     FROM session CROSS JOIN event USING (conversation_id) WHERE run_id = ? LIMIT ?`
  ).all(runId, sliceRows)
  let bytes = 0
  for (const [index, event] of events.entries()) {
    client.statement("DELETE FROM event WHERE rowid = ?").run(event.row)
    bytes += event.bytes
    if (bytes >= sliceBytes) return index + 1 < events.length ? 0 : sliceRows - events.length
  }
  return sliceRows - events.length
}

/** One slice; whether the Run is gone. */
const removeSlice = (client: SqliteClient, runId: RunId): boolean => {
  const run = client.statement<{ readonly buried_at: string | null }>("SELECT buried_at FROM run WHERE run_id = ?").get(runId)
  if (run === undefined) return true
  if (run.buried_at === null) throw conflict(`Run ${runId}`)
  let left = removeEvents(client, runId)
  for (const removal of otherRows) {
    if (left > 0) left -= client.statement(removal).run(runId, left).changes
  }
  if (left > 0) left -= leaveOperations(client, runId, left)
  if (left <= 0) return false
  client.statement("DELETE FROM session WHERE run_id = ?").run(runId)
  client.statement("DELETE FROM run WHERE run_id = ?").run(runId)
  forgetOldest(client)
  return true
}

export const makeRetentionWrites = (
  client: SqliteClient,
  write: Write
): Pick<RetentionLedger["Service"], "buryRun" | "removeRun" | "giveBackPages"> => ({
  giveBackPages: makePageReturn(client),

  buryRun: (fence, at) =>
    write("buryRun", () => {
      requireOwner(client, fence)
      requireSettled(client, fence.runId)
      client.statement(
        `UPDATE run SET buried_at = ?, owner_boot_id = NULL, owner_pid = NULL, owner_start_time = NULL WHERE run_id = ?`
      ).run(at, fence.runId)
      return selectTombstone(client, fence.runId)
    }),

  removeRun: Effect.fnUntraced(function*(runId) {
    while (!(yield* write("removeRun", () => removeSlice(client, runId)))) yield* Effect.yieldNow
  })
})
