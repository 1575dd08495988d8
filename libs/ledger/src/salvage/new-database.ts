/**
 * Writes salvaged rows into a new database file.
 *
 * Owns: the file until it is verified; rows that its rules refuse.
 * Ordering: schema, rows in one transaction, indexes with them; then what can be made anew; then verification.
 * Limits: parents are not required: a row whose parent is lost comes over, and whoever reads knows a lost parent as such.
 */
import type { Asset } from "@steno/contracts"
import Database from "better-sqlite3"
import { closeSync, fsyncSync, openSync, rmSync, writeFileSync } from "node:fs"
import { keepPagesMovable } from "../free-pages.ts"
import { LedgerError, StorageFailed } from "../ledger-errors.ts"
import { migrate } from "../migrations/migrate.ts"
import type { Migration } from "../migrations/migration.ts"
import type { DamagedDatabase, LostRow, TableLoss } from "./damaged-database.ts"
import { type LostFiles, lostFiles, restoreAssets } from "./restored-files.ts"
import { restoreRuns } from "./restored-runs.ts"
import type { TableShape } from "./table-shape.ts"
import type { Cell } from "./tree-page.ts"

const isConstraint = (cause: unknown): boolean => cause instanceof Database.SqliteError && cause.code.startsWith("SQLITE_CONSTRAINT")

/** Inserts a row as it was, with its rowid; false where a rule of the schema refuses it. */
const inserter = (database: Database.Database, table: TableShape) => {
  const statements = new Map<number, Database.Statement<Array<string | number | null>>>()
  const statementFor = (count: number) => {
    const columns = table.columns.slice(0, count).map(({ name }) => name).filter((name) => name !== table.rowidColumn)
    const names = ["rowid", ...columns]
    const made = database.prepare<Array<string | number | null>>(
      `INSERT OR ${table.name === "schema_migration" ? "REPLACE" : "ABORT"} INTO ${table.name} (${names.join(", ")})
       VALUES (${names.map(() => "?").join(", ")})`
    )
    statements.set(count, made)
    return made
  }
  const isStored = (index: number) => table.columns[index]?.name !== table.rowidColumn
  return ({ record, rowid }: Cell): boolean => {
    try {
      (statements.get(record.length) ?? statementFor(record.length)).run(rowid, ...record.filter((_, index) => isStored(index)))
      return true
    } catch (cause) {
      if (isConstraint(cause)) return false
      throw cause
    }
  }
}

/** A damaged index may name a row that came over as if it were another one. */
const withoutFound = (database: Database.Database, table: TableShape, loss: TableLoss): TableLoss => {
  const keys = table.indexes.filter(({ isPartial, isUnique }) => isUnique && !isPartial).map(({ columns }) => ({
    columns,
    find: database.prepare(`SELECT 1 FROM ${table.name} WHERE ${columns.map((column) => `${column} IS ?`).join(" AND ")}`)
  }))
  const isFound = ({ known }: LostRow) =>
    keys.some(({ columns, find }) =>
      columns.every((column) => known[column] !== undefined) && find.get(...columns.map((column) => known[column])) !== undefined
    )
  return { ...loss, rows: loss.rows.filter((row) => !isFound(row)) }
}

const unsound = (path: string, found: string): LedgerError =>
  new LedgerError({ reason: new StorageFailed({ operation: "repair", path, code: "SALVAGE_UNSOUND", cause: new Error(found) }) })

const sync = (path: string): void => {
  const descriptor = openSync(path, "r")
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

export interface SalvageTarget {
  readonly path: string
  /** Of the version that is salvaged, in order. */
  readonly migrations: ReadonlyArray<Migration>
  readonly at: string
}

export const removeSalvage = (path: string): void => {
  for (const suffix of ["", "-journal"]) rmSync(path + suffix, { force: true })
}

const using = <A>(path: string, use: (database: Database.Database) => A): A => {
  const database = new Database(path, { fileMustExist: true })
  try {
    database.pragma("foreign_keys = OFF")
    database.pragma("synchronous = FULL")
    return use(database)
  } finally {
    database.close()
  }
}

/** Makes the file anew, whatever lay at its path, and tells what did not come over. What migrations record of themselves is made anew. */
export const writeSalvage = (damaged: DamagedDatabase, { at, migrations, path }: SalvageTarget): ReadonlyArray<TableLoss> => {
  removeSalvage(path)
  writeFileSync(path, "", { mode: 0o600, flag: "wx" })
  return using(path, (database) => {
    keepPagesMovable(database)
    migrate(database, { path, migrations, at })
    database.pragma("foreign_keys = OFF")
    return database.transaction(() => {
      const losses = damaged.schema.tables.map((table) => withoutFound(database, table, damaged.salvage(table, inserter(database, table))))
      return losses.filter(({ table }) => table !== "schema_migration")
    })()
  })
}

export const addRuns = (path: string, losses: ReadonlyArray<TableLoss>) => using(path, (database) => restoreRuns(database, losses))

export const lostFilesIn = (path: string): ReadonlyArray<LostFiles> => using(path, lostFiles)

export const addAssets = (path: string, lost: ReadonlyArray<LostFiles>, assets: ReadonlyArray<Asset>): ReadonlyArray<Asset> =>
  using(path, (database) => restoreAssets(database, lost, assets))

/** Throws unless the file is sound; it is durable then. */
export const verifySalvage = (path: string): void => {
  const found = using(path, (database) => database.prepare<[], string>("PRAGMA integrity_check").pluck().all().join("; "))
  if (found !== "ok") throw unsound(path, found)
  sync(path)
}
