export { CallLedger } from "./calls.ts"
export type {
  CallAdvance,
  CallSettlement,
  MessageProposal,
  NewCall,
  ProposedCall,
  ProposedStep,
  ResponseEvent,
  ResolutionOutcome
} from "./calls.ts"
export { databaseHealth } from "./database-health.ts"
export type { DatabaseHealth } from "./database-health.ts"
export { CommittedFacts } from "./committed-facts.ts"
export { Failpoint, failpoints } from "./failpoint.ts"
export type { Fence } from "./fence.ts"
export { ledgerLayer } from "./ledger-layer.ts"
export type { Ledger } from "./ledger-layer.ts"
export {
  Conflict,
  Fenced,
  LedgerError,
  OperationIdReused,
  RecordDamaged,
  StorageBusy,
  StorageDamaged,
  StorageFailed,
  StorageFull,
  StorageInUse,
  StorageNewer,
  StorageReadOnly
} from "./ledger-errors.ts"
export type { LedgerReason } from "./ledger-errors.ts"
export type { RecordFault, RecordFaultKind } from "./record-inspection.ts"
export { RunLedger } from "./runs.ts"
export type { OwnedAsset, RunAdmission, RunAdmitted, RunQuery, RunRecord, RunRow, SessionRow, TurnRow } from "./runs.ts"
export { TurnLedger } from "./turns.ts"
export type { ContextPage, TurnAdmission, TurnEvent, TurnFact, TurnSettlement } from "./turns.ts"
export { OperationLedger } from "./operations.ts"
export type { OperationAdmission } from "./operations.ts"
export { RetentionLedger } from "./retention.ts"
export type { Tombstone } from "./retention.ts"
export type { KnownColumns, LostRow, TableLoss } from "./salvage/damaged-database.ts"
export { keptCopies } from "./salvage/database-copy.ts"
export { repairDatabase, repairPoints } from "./salvage/repair-database.ts"
export type { Repaired, RepairOptions, RepairPoint } from "./salvage/repair-database.ts"
export type { LostFiles } from "./salvage/restored-files.ts"
