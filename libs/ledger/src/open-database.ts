/**
 * Opens the database file for its one owner of writes, or for reading only.
 *
 * Owns: creation (mode 0600), journal mode, refusal of what must not be touched.
 * Never owns: the schema (migrations), statements.
 * Limits: the parent folder must exist for writing. A refused database keeps its bytes, those of its journal too.
 */
import { DateTime, Effect, type Scope } from "effect"
import { accessSync, closeSync, constants, openSync, statSync } from "node:fs"
import { dirname } from "node:path"
import { keepPagesMovable } from "./free-pages.ts"
import { LedgerError, StorageFailed, StorageReadOnly } from "./ledger-errors.ts"
import { appliedMigrations, migrate, pendingMigrations } from "./migrations/migrate.ts"
import type { Migration } from "./migrations/migration.ts"
import { openForReading } from "./read-database.ts"
import { attemptSync, connect, type Connection } from "./sqlite-client.ts"
import { errorCode } from "./storage-reasons.ts"

export interface OpenOptions {
  readonly file: string
  readonly access: "write" | "read"
  readonly migrations: ReadonlyArray<Migration>
  /** Tests: the largest size of the database in pages of 4 KiB; a write beyond it finds the disk full. */
  readonly maximumPages?: number
}

/** A journal that one large write made longer is cut to this when it is used anew. */
const journalBytes = 4 * 1024 * 1024

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0

/** Creates the file if it is missing. An existing one is never opened here: closing it would drop SQLite's locks of this process. */
const createFile = (file: string): void => {
  try {
    closeSync(openSync(file, "wx", 0o600))
  } catch (cause) {
    if (errorCode(cause) !== "EEXIST") throw cause
  }
}

const openFailure = (file: string, cause: unknown): LedgerError =>
  new LedgerError({
    reason: new StorageFailed({ operation: "open", path: file, code: errorCode(cause) ?? "UNKNOWN", cause })
  })

/** Throws `StorageFailed` if the file cannot be read. */
const requireReadable = (file: string): void => {
  try {
    accessSync(file, constants.R_OK)
  } catch (cause) {
    throw openFailure(file, cause)
  }
}

/** Throws `StorageReadOnly` unless the file can be written and its journal kept beside it. */
const requireWritable = (file: string): void => {
  requireReadable(file)
  try {
    accessSync(file, constants.W_OK)
    accessSync(dirname(file), constants.W_OK)
  } catch {
    throw new LedgerError({ reason: new StorageReadOnly({ operation: "open", path: file }) })
  }
}

/**
 * The last connection to close moves a journal into the database, unless a reader is still there.
 * So a reader stays until the writing connection is closed.
 */
const closeUntouched = (file: string, connection: Connection, hadJournal: boolean): void => {
  let reader: Connection | undefined
  try {
    if (hadJournal) {
      reader = connect(file, { readonly: true })
      reader.pragma("schema_version")
    }
  } catch {
    // A file that cannot be read takes no journal in; the first failure is the one to report.
  } finally {
    connection.close()
    reader?.close()
  }
}

const withReader = (file: string, use: (reader: Connection) => void): void => {
  const reader = connect(file, { readonly: true })
  try {
    use(reader)
  } finally {
    reader.close()
  }
}

const openForWriting = (options: OpenOptions, at: string): Connection => {
  const { file, migrations } = options
  createFile(file)
  requireWritable(file)
  const hadJournal = sizeOf(`${file}-wal`) > 0
  const connection = connect(file, { readonly: false })
  try {
    if (options.maximumPages !== undefined) connection.pragma(`max_page_count = ${options.maximumPages}`)
    const applied = appliedMigrations(file, connection)
    const pending = pendingMigrations(file, applied, migrations)
    if (applied.length === 0) keepPagesMovable(connection)
    const mode = connection.pragma("journal_mode = WAL", { simple: true })
    if (mode !== "wal") throw openFailure(file, Object.assign(new Error(`Journal mode ${String(mode)}`), { code: "WAL_REFUSED" }))
    connection.pragma(`journal_size_limit = ${journalBytes}`)
    if (pending.length > 0 && applied.length === 0) migrate(connection, { path: file, migrations, at })
    else if (pending.length > 0) {
      withReader(file, (backupFrom) => migrate(connection, { path: file, migrations, at, backupFrom }))
    }
    return connection
  } catch (cause) {
    closeUntouched(file, connection, hadJournal)
    throw cause
  }
}

/** Resolves when the database is usable; closes it with the scope. Busy openings are tried again like writes. */
export const openDatabase = (options: OpenOptions): Effect.Effect<Connection, LedgerError, Scope.Scope> =>
  Effect.gen(function*() {
    const at = DateTime.formatIso(yield* DateTime.now)
    const { file } = options
    if (options.access === "write") {
      return yield* Effect.acquireRelease(
        attemptSync("open", file, () => openForWriting(options, at)),
        (connection) => Effect.sync(() => connection.close())
      )
    }
    const reading = yield* Effect.acquireRelease(
      attemptSync("open", file, () => {
        const entry = statFile(file)
        if (entry) requireReadable(file)
        return openForReading({ file, exists: entry, migrations: options.migrations, at })
      }),
      (opened) => Effect.sync(opened.close)
    )
    return reading.connection
  })

/** Whether the file exists; throws `StorageFailed` if that cannot be said. */
const statFile = (file: string): boolean => {
  try {
    return statSync(file, { throwIfNoEntry: false }) !== undefined
  } catch (cause) {
    throw openFailure(file, cause)
  }
}
