/**
 * Looks at a database without opening it as a home.
 *
 * Owns: what SQLite itself says about a file: version, schema, integrity, sizes; for a sound one what its record lacks.
 * Limits: reads only; `PRAGMA integrity_check` reads the whole file.
 */
import Database from "better-sqlite3"
import { Effect } from "effect"
import { statSync } from "node:fs"
import { LedgerError } from "./ledger-errors.ts"
import { migrations } from "./migrations/migrations.ts"
import { lossFaults, mergeFaults } from "./loss-faults.ts"
import { inspectRecord, type RecordFault } from "./record-inspection.ts"
import { keptCopies, lossesOf } from "./salvage/database-copy.ts"
import { oldestSafeSqlite } from "./sqlite-client.ts"
import { storageReason } from "./storage-reasons.ts"

export interface DatabaseHealth {
  readonly sqliteVersion: string
  /** Older ones can corrupt a WAL file that several connections use. */
  readonly oldestSafeSqliteVersion: string
  /** Newest migration in the file; absent in a file without any. */
  readonly schemaVersion?: number
  readonly knownSchemaVersion: number
  /** What `PRAGMA integrity_check` found; empty when the file is sound. */
  readonly damage: ReadonlyArray<string>
  /** What is missing or cannot be read in a sound file of a schema that this release knows. */
  readonly faults: ReadonlyArray<RecordFault>
  /** Sessions that have a row in such a file. */
  readonly conversationIds: ReadonlySet<string>
  /** Copies of this database that repairs left beside it, oldest first. */
  readonly copies: ReadonlyArray<string>
  readonly sizeBytes: number
  readonly walBytes: number
}

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0

const nothingKnown = { faults: [], conversationIds: new Set<string>() }

/** What a sound file lacks, by itself and by what repairs wrote down. */
const recordOf = (file: string, database: Database.Database): Pick<DatabaseHealth, "faults" | "conversationIds"> => {
  const losses = keptCopies(file).flatMap((copy) => lossesOf(copy) ?? [])
  return {
    faults: mergeFaults([...inspectRecord(database), ...lossFaults(database, losses)]),
    conversationIds: new Set(database.prepare<[], string>("SELECT conversation_id FROM session").pluck().all())
  }
}

/** Absent: there is no database yet. Fails with a storage reason where it cannot be read. */
export const databaseHealth = Effect.fn("databaseHealth")(function*(file: string) {
  if (statSync(file, { throwIfNoEntry: false }) === undefined) return undefined
  return yield* Effect.try({
    try: (): DatabaseHealth => {
      const database = new Database(file, { readonly: true, fileMustExist: true, timeout: 1_000 })
      try {
        const value = (sql: string): unknown => database.prepare(sql).pluck().get()
        const hasMigrations = value("SELECT 1 FROM sqlite_schema WHERE name = 'schema_migration'") === 1
        const schemaVersion = hasMigrations ? value("SELECT max(version) FROM schema_migration") : null
        const knownSchemaVersion = Math.max(...migrations.map((migration) => migration.version))
        const checked = database.prepare<[], string>("PRAGMA integrity_check(20)").pluck().all()
        const damage = checked.length === 1 && checked[0] === "ok" ? [] : checked
        return {
          sqliteVersion: String(value("SELECT sqlite_version()")),
          oldestSafeSqliteVersion: oldestSafeSqlite,
          ...(typeof schemaVersion === "number" ? { schemaVersion } : {}),
          knownSchemaVersion,
          damage,
          ...(damage.length === 0 && schemaVersion === knownSchemaVersion ? recordOf(file, database) : nothingKnown),
          copies: keptCopies(file),
          sizeBytes: sizeOf(file),
          walBytes: sizeOf(`${file}-wal`)
        }
      } finally {
        database.close()
      }
    },
    catch: (cause) => {
      const reason = storageReason("inspect", file, cause)
      if (reason === undefined) throw cause
      return new LedgerError({ reason })
    }
  })
})
