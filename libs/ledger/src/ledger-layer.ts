/**
 * The ledger on one SQLite file.
 *
 * Owns: joining client, writes, reads and publication.
 * Limits: one connection per layer; it closes with the scope.
 */
import { Context, Effect, Layer } from "effect"
import { makeCallWrites } from "./call-writes.ts"
import { CallLedger } from "./calls.ts"
import { CommittedFacts } from "./committed-facts.ts"
import { makeEventLog } from "./event-log.ts"
import { Failpoint } from "./failpoint.ts"
import type { LedgerError } from "./ledger-errors.ts"
import { migrations } from "./migrations/migrations.ts"
import { openDatabase, type OpenOptions } from "./open-database.ts"
import { makeOperationWrites } from "./operation-writes.ts"
import { OperationLedger } from "./operations.ts"
import { makePublication } from "./publication.ts"
import { makeRetentionReads } from "./retention-reads.ts"
import { makeRetentionWrites } from "./retention-writes.ts"
import { RetentionLedger } from "./retention.ts"
import { makeRunReads } from "./run-reads.ts"
import { makeRunWrites } from "./run-writes.ts"
import { RunLedger } from "./runs.ts"
import { makeSqliteClient } from "./sqlite-client.ts"
import { makeTurnWrites } from "./turn-writes.ts"
import { TurnLedger } from "./turns.ts"
import { makeWrite } from "./write-transaction.ts"

/** The services of one ledger. */
export type Ledger = RunLedger | TurnLedger | CallLedger | OperationLedger | RetentionLedger | CommittedFacts

/** As `ledgerLayer`, with the migrations and limits a test chooses. */
export const ledgerLayerWith = (options: OpenOptions): Layer.Layer<Ledger, LedgerError> =>
  Layer.effectContext(Effect.gen(function*() {
    const connection = yield* openDatabase(options)
    const client = makeSqliteClient(options.file, connection)
    const { publish, facts } = yield* makePublication(client)
    const failpoint = yield* Failpoint
    const write = makeWrite(client, { access: options.access, failpoint, publish })
    const log = makeEventLog(client)
    return Context.make(RunLedger, { ...makeRunWrites(client, write, log), ...makeRunReads(client) }).pipe(
      Context.add(TurnLedger, makeTurnWrites(client, write, log)),
      Context.add(CallLedger, makeCallWrites(client, write, log)),
      Context.add(OperationLedger, makeOperationWrites(client, write)),
      Context.add(RetentionLedger, { ...makeRetentionWrites(client, write), ...makeRetentionReads(client) }),
      Context.add(CommittedFacts, facts)
    )
  }))

/**
 * Opens `file` and closes it with the scope.
 *
 * `write`: creates the file if its folder exists, migrates an older one after a backup `<file>.backup-<version>`.
 * `read`: writes nothing beside SQLite's own index; a missing file reads as empty; every write fails with
 * `StorageReadOnly`. Where the index cannot be kept, or for an older schema, a private copy of that moment is read.
 *
 * Fails with `StorageNewer` (file untouched), `StorageReadOnly`, `StorageFull`, `StorageBusy` or `StorageFailed`.
 */
export const ledgerLayer = (
  options: { readonly file: string; readonly access: "write" | "read" }
): Layer.Layer<Ledger, LedgerError> => ledgerLayerWith({ ...options, migrations })
