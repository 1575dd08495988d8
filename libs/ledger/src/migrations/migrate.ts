/**
 * Brings a database to the newest schema this release knows, or refuses it.
 *
 * Owns: `schema_migration`, checksums, the backup before a change.
 * Ordering: backup durable → every pending migration in one transaction, under the write lock.
 * Limits: runs synchronously at open; nothing of a failed migration stays.
 */
import { createHash } from "node:crypto"
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import { LedgerError, StorageFailed, StorageNewer } from "../ledger-errors.ts"
import type { Connection } from "../sqlite-client.ts"
import type { Migration } from "./migration.ts"

export interface AppliedMigration {
  readonly version: number
  readonly checksum: string
}

export const migrationChecksum = (migration: Migration): string =>
  createHash("sha256").update(migration.sql).digest("hex")

const failed = (path: string, code: string, message: string) =>
  new LedgerError({ reason: new StorageFailed({ operation: "open", path, code, cause: new Error(message) }) })

/** What was applied to this database, by version; empty for a new one. Throws `UNKNOWN_SCHEMA` for a database that is not ours. */
export const appliedMigrations = (path: string, connection: Connection): ReadonlyArray<AppliedMigration> => {
  const tables = connection.prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all()
  if (tables.length === 0) return []
  if (!tables.includes("schema_migration")) throw failed(path, "UNKNOWN_SCHEMA", "Not a database of Steno")
  return connection.prepare<[], AppliedMigration>("SELECT version, checksum FROM schema_migration ORDER BY version").all()
}

/** Those of `known` that are still to be applied. Throws `StorageNewer`, or `MIGRATION_CHECKSUM` when an applied one was changed. */
export const pendingMigrations = (
  path: string,
  applied: ReadonlyArray<AppliedMigration>,
  known: ReadonlyArray<Migration>
): ReadonlyArray<Migration> => {
  const newest = known.length
  const found = applied.at(-1)?.version ?? 0
  if (found > newest) throw new LedgerError({ reason: new StorageNewer({ path, found, known: newest }) })
  for (const migration of known.slice(0, found)) {
    const stored = applied.find(({ version }) => version === migration.version)
    if (stored?.checksum !== migrationChecksum(migration)) {
      throw failed(path, "MIGRATION_CHECKSUM", `Migration ${migration.version} differs from the one that was applied`)
    }
  }
  return known.slice(found)
}

const syncPath = (path: string): void => {
  const descriptor = openSync(path, "r")
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

export const backupPath = (path: string, version: number): string => `${path}.backup-${version}`

/** Writes a durable copy of what `source` reads; a copy of the same version is replaced. Mode 0600. */
const writeBackup = (source: Connection, path: string, version: number): void => {
  const target = backupPath(path, version)
  const partial = `${target}.partial`
  rmSync(partial, { force: true })
  writeFileSync(partial, "", { mode: 0o600, flag: "wx" })
  source.prepare("VACUUM INTO ?").run(partial)
  syncPath(partial)
  renameSync(partial, target)
  syncPath(dirname(target))
}

const createSchemaMigration = `
CREATE TABLE IF NOT EXISTS schema_migration (
  version INTEGER NOT NULL PRIMARY KEY CHECK (version >= 1),
  name TEXT NOT NULL,
  checksum TEXT NOT NULL,
  applied_at TEXT NOT NULL
) STRICT`

/** Rows without parent by table. A repair leaves such rows where the parent is lost; a migration leaves no others. */
const orphans = (connection: Connection): ReadonlyMap<string, number> =>
  new Map(
    connection.prepare<[], { table: string; count: number }>(
      "SELECT \"table\", count(*) AS count FROM pragma_foreign_key_check GROUP BY \"table\""
    ).all().map(({ count, table }) => [table, count])
  )

export interface MigrateOptions {
  readonly path: string
  readonly migrations: ReadonlyArray<Migration>
  readonly at: string
  /** A second connection to the same file, to copy from while the lock is held; absent: no backup is made. */
  readonly backupFrom?: Connection
}

/** Applies what is pending. Throws a busy error while another process holds the lock; safe to call again then. */
export const migrate = (connection: Connection, options: MigrateOptions): void => {
  const { path } = options
  connection.pragma("foreign_keys = OFF")
  try {
    connection.transaction(() => {
      const applied = appliedMigrations(path, connection)
      const pending = pendingMigrations(path, applied, options.migrations)
      const current = applied.at(-1)
      if (pending.length > 0 && current !== undefined && options.backupFrom !== undefined) {
        writeBackup(options.backupFrom, path, current.version)
      }
      const before = current === undefined ? new Map<string, number>() : orphans(connection)
      connection.exec(createSchemaMigration)
      const record = connection.prepare("INSERT INTO schema_migration (version, name, checksum, applied_at) VALUES (?, ?, ?, ?)")
      for (const migration of pending) {
        connection.exec(migration.sql)
        record.run(migration.version, migration.name, migrationChecksum(migration), options.at)
      }
      const [broken] = [...orphans(connection)].find(([table, count]) => count > (before.get(table) ?? 0)) ?? []
      if (broken !== undefined) {
        throw failed(path, "SQLITE_CONSTRAINT_FOREIGNKEY", `A migration left a row of ${broken} without its parent`)
      }
    }).immediate()
  } finally {
    connection.pragma("foreign_keys = ON")
  }
}
