/**
 * One domain write: one immediate transaction, then publication.
 *
 * Owns: begin, commit, rollback, failpoints, the order of commit and publication.
 * Ordering: commit → `after-commit` → publication; a rollback publishes nothing.
 */
import type { StoredEvent } from "@steno/contracts"
import { Effect } from "effect"
import type { LedgerWrite } from "./failpoint.ts"
import { Conflict, Fenced, LedgerError, StorageReadOnly } from "./ledger-errors.ts"
import type { Fence } from "./fence.ts"
import type { SqliteClient } from "./sqlite-client.ts"

/** Runs `body` in a transaction under `name`; `body` adds the events it appends to `committed`. */
export type Write = <A>(
  name: LedgerWrite,
  body: (committed: Array<StoredEvent>) => A
) => Effect.Effect<A, LedgerError>

export interface WriteOptions {
  readonly access: "write" | "read"
  readonly failpoint: ((point: string) => void) | undefined
  readonly publish: (events: ReadonlyArray<StoredEvent>) => void
}

export const makeWrite = (client: SqliteClient, { access, failpoint, publish }: WriteOptions): Write => {
  if (access === "read") {
    return (operation) =>
      Effect.fail(new LedgerError({ reason: new StorageReadOnly({ operation, path: client.path }) }))
  }
  return (name, body) =>
    client.attempt(name, () => {
      const committed: Array<StoredEvent> = []
      client.statement("BEGIN IMMEDIATE").run()
      let result
      try {
        failpoint?.(`${name}:begin`)
        result = body(committed)
        failpoint?.(`${name}:before-commit`)
        client.statement("COMMIT").run()
      } catch (cause) {
        if (client.connection.inTransaction) client.statement("ROLLBACK").run()
        throw cause
      }
      failpoint?.(`${name}:after-commit`)
      publish(committed)
      return result
    })
}

/** Ends the transaction with `Conflict`. */
export const conflict = (subject: string): LedgerError => new LedgerError({ reason: new Conflict({ subject }) })

/** Ends the transaction with `Fenced`. */
export const fenced = ({ runId }: Fence): LedgerError => new LedgerError({ reason: new Fenced({ runId }) })

/** The Run's present owner and epoch; throws `Fenced` when the epoch is another. */
export const requireEpoch = (client: SqliteClient, fence: Fence): { readonly owned: boolean } => {
  const run = client.statement<{ readonly epoch: number; readonly owner_pid: number | null }>(
    "SELECT epoch, owner_pid FROM run WHERE run_id = ?"
  ).get(fence.runId)
  if (run === undefined || run.epoch !== fence.epoch) throw fenced(fence)
  return { owned: run.owner_pid !== null }
}

/** Throws `Fenced` unless the Run is still owned with the fence's epoch. */
export const requireOwner = (client: SqliteClient, fence: Fence): void => {
  if (!requireEpoch(client, fence).owned) throw fenced(fence)
}
