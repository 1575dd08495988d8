/**
 * Domain writes and reads of Operations that act on an existing Run.
 *
 * Owns: `operation` rows. The Operation that starts a Run is written with it (runs).
 */
import type { Instant, Operation, OperationId, OperationInput, OperationOutcome, RunId } from "@steno/contracts"
import { Context, type Effect } from "effect"
import type { LedgerError } from "./ledger-errors.ts"

export interface OperationAdmission {
  readonly operationId: OperationId
  readonly input: Exclude<OperationInput, { readonly operation: "start" }>
  readonly at: Instant
}

export class OperationLedger extends Context.Service<OperationLedger, {
  /** Stores the Operation as pending and answers with it; the stored one for a repeated id and equal input; `OperationIdReused` for another input, `Conflict` for an unknown or buried Run. An id that is stored is looked at first: it is known also when its Run is removed. */
  readonly admitOperation: (admission: OperationAdmission) => Effect.Effect<Operation, LedgerError>
  /** Also of a removed Run; of one that held text only a digest is left as input then. */
  readonly operation: (operationId: OperationId) => Effect.Effect<Operation | undefined, LedgerError>
  /** Pending Operations of a Run, oldest first. */
  readonly pendingOperations: (runId: RunId) => Effect.Effect<ReadonlyArray<Operation>, LedgerError>
  /** Effective once; `false` when it was settled before or is unknown. */
  readonly settleOperation: (
    settled: { readonly operationId: OperationId; readonly outcome: OperationOutcome; readonly at: Instant }
  ) => Effect.Effect<boolean, LedgerError>
}>()("@steno/ledger/OperationLedger") {}
