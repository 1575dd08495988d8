/**
 * Removing Runs: a tombstone first, then their files, then their rows.
 *
 * Owns: tombstones, the removal of rows, giving the pages they leave back to the file system.
 * Never owns: the files (asset-store).
 * Ordering: a Run with a tombstone is gone for every reader; what a crash leaves is finished at the next open.
 */
import type { ConversationId, Instant, RunId } from "@steno/contracts"
import { Context, type Effect } from "effect"
import type { Fence } from "./fence.ts"
import type { LedgerError } from "./ledger-errors.ts"

export interface Tombstone {
  readonly runId: RunId
  readonly conversationIds: ReadonlyArray<ConversationId>
}

export class RetentionLedger extends Context.Service<RetentionLedger, {
  /** Needs ownership of a Run without unsettled Turn (`Fenced`, `Conflict`); ends it, and from then on no reading shows the Run and nobody can own it. */
  readonly buryRun: (fence: Fence, at: Instant) => Effect.Effect<Tombstone, LedgerError>
  /** Runs that were buried and whose rows are still there. */
  readonly tombstones: Effect.Effect<ReadonlyArray<Tombstone>, LedgerError>
  /** Removes every row of a buried Run, its Operations included, in transactions of bounded size. Idempotent, also after a crash in between; `Conflict` for a Run that is not buried. */
  readonly removeRun: (runId: RunId) => Effect.Effect<void, LedgerError>
  /** Makes the file shorter where a good part of it is free, in transactions of bounded size. Repeatable; nothing of a Run changes. */
  readonly giveBackPages: Effect.Effect<void, LedgerError>
  /** Resting Runs whose newest fact is older than `before`, oldest first. */
  readonly runsRestingSince: (before: Instant) => Effect.Effect<ReadonlyArray<Tombstone>, LedgerError>
  /** Copies of this database that repairs left beside it. While there is one, a file without a row may belong to a Run whose rows are only there. */
  readonly damagedCopies: Effect.Effect<ReadonlyArray<string>, LedgerError>
  /** Sessions of Runs that are not buried, with the ids of their calls that own files or are unfinished. */
  readonly fileOwners: Effect.Effect<
    ReadonlyArray<{ readonly runId: RunId; readonly conversationId: ConversationId; readonly callIds: ReadonlyArray<string> }>,
    LedgerError
  >
}>()("@steno/ledger/RetentionLedger") {}
