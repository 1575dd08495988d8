/**
 * Why the ledger refused or failed.
 *
 * Refusals (`Fenced`, `Conflict`, `OperationIdReused`, `RunRemoved`): a rule said no; nothing was written.
 * Failures (`Storage*`): nothing of the attempted transaction was written, unless `committed` says unknown.
 */
import { Schema } from "effect"

/** The Run has another owner or epoch by now. Nothing was written; a retry cannot help. */
export class Fenced extends Schema.TaggedError<Fenced>()("Fenced", { runId: Schema.String }) {
  override get message() {
    return `Run ${this.runId} is owned by another process`
  }
}

/** The row is not in the expected state, or another claim holds it. Nothing was written. */
export class Conflict extends Schema.TaggedError<Conflict>()("Conflict", { subject: Schema.String }) {
  override get message() {
    return `${this.subject} is not in the expected state`
  }
}

/** The operation id was used before with another input. Nothing was written. */
export class OperationIdReused extends Schema.TaggedError<OperationIdReused>()("OperationIdReused", {
  operationId: Schema.String
}) {
  override get message() {
    return `Operation id ${this.operationId} was used before with another input`
  }
}

/** An equal Operation started a Run that was removed since. Nothing was written. */
export class RunRemoved extends Schema.TaggedError<RunRemoved>()("RunRemoved", { operationId: Schema.String }) {
  override get message() {
    return `The Run that Operation ${this.operationId} started was removed`
  }
}

/** Another process held the write lock for longer than the limit. Nothing was written; a retry may help. */
export class StorageBusy extends Schema.TaggedError<StorageBusy>()("StorageBusy", {
  operation: Schema.String,
  waitedMs: Schema.Finite
}) {
  override get message() {
    return `${this.operation}: the database stayed locked for ${this.waitedMs} ms`
  }
}

/** The file system has no space. Nothing was written. */
export class StorageFull extends Schema.TaggedError<StorageFull>()("StorageFull", {
  operation: Schema.String,
  path: Schema.String
}) {
  override get message() {
    return `${this.operation}: no space left for ${this.path}`
  }
}

/** The database may only be read. Nothing was written. */
export class StorageReadOnly extends Schema.TaggedError<StorageReadOnly>()("StorageReadOnly", {
  operation: Schema.String,
  path: Schema.String
}) {
  override get message() {
    return `${this.operation}: ${this.path} can only be read`
  }
}

/** The database was written by a newer release. It was left untouched. */
export class StorageNewer extends Schema.TaggedError<StorageNewer>()("StorageNewer", {
  path: Schema.String,
  found: Schema.Int,
  known: Schema.Int
}) {
  override get message() {
    return `${this.path} has schema ${this.found}; this release knows ${this.known}`
  }
}

/** The database file is damaged. Nothing was written; only a repair helps. */
export class StorageDamaged extends Schema.TaggedError<StorageDamaged>()("StorageDamaged", {
  operation: Schema.String,
  path: Schema.String,
  /** SQLite's code, e.g. `SQLITE_CORRUPT`, `SQLITE_NOTADB`. */
  code: Schema.String
}) {
  override get message() {
    return `${this.operation}: ${this.path} is damaged (${this.code})`
  }
}

/** Other processes have the database open. Nothing was written; a retry may help once they are gone. */
export class StorageInUse extends Schema.TaggedError<StorageInUse>()("StorageInUse", {
  operation: Schema.String,
  path: Schema.String,
  /** Those that are known; may be empty. */
  pids: Schema.Array(Schema.Int)
}) {
  override get message() {
    return `${this.operation}: ${this.path} is open in ${this.pids.length === 0 ? "another process" : `process ${this.pids.join(", ")}`}`
  }
}

/** Anything else the file system or SQLite said. */
export class StorageFailed extends Schema.TaggedError<StorageFailed>()("StorageFailed", {
  operation: Schema.String,
  path: Schema.String,
  /** SQLite's or the system's code, e.g. `SQLITE_IOERR_FSYNC`, `EACCES`. */
  code: Schema.String,
  cause: Schema.Defect()
}) {
  override get message() {
    return `${this.operation}: ${this.code} on ${this.path}`
  }
}

/** A stored row cannot be read any more; it is left as it is. A retry cannot help. */
export class RecordDamaged extends Schema.TaggedError<RecordDamaged>()("RecordDamaged", {
  /** Which row, e.g. `event 3 of conv_…`. */
  subject: Schema.String
}) {
  override get message() {
    return `${this.subject} is damaged`
  }
}

export const LedgerReason = Schema.Union([
  Fenced,
  Conflict,
  OperationIdReused,
  RunRemoved,
  StorageBusy,
  StorageFull,
  StorageReadOnly,
  StorageNewer,
  StorageDamaged,
  StorageInUse,
  StorageFailed,
  RecordDamaged
])
export type LedgerReason = typeof LedgerReason.Type

export class LedgerError extends Schema.TaggedError<LedgerError>()("LedgerError", { reason: LedgerReason }) {
  override get message() {
    return this.reason.message
  }

  /** Whether the same write may succeed later: the lock, the space or the device may come back. */
  get isRetryable() {
    const { _tag } = this.reason
    return _tag === "StorageBusy" || _tag === "StorageFull" || (_tag === "StorageFailed" && !this.refusesRows)
  }

  /** Whether the rows themselves do not fit beside those on record. */
  get refusesRows() {
    return this.reason._tag === "StorageFailed" && this.reason.code.startsWith("SQLITE_CONSTRAINT")
  }
}
