/**
 * What the tables of a schema version look like, asked of a new database with its migrations.
 *
 * Owns: columns, indexes and root pages of a version; whether a record can be a row of a table.
 */
import Database from "better-sqlite3"
import { keepPagesMovable } from "../free-pages.ts"
import { migrate } from "../migrations/migrate.ts"
import type { Migration } from "../migrations/migration.ts"
import type { StoredValue } from "./stored-record.ts"

interface ColumnShape {
  readonly name: string
  readonly type: string
  readonly isRequired: boolean
}

export interface IndexShape {
  readonly name: string
  readonly columns: ReadonlyArray<string>
  /** Knows only some of the rows. */
  readonly isPartial: boolean
  /** No two rows have the same entry. */
  readonly isUnique: boolean
}

export interface TableShape {
  readonly name: string
  readonly columns: ReadonlyArray<ColumnShape>
  /** The column that is the rowid, and null in the record. */
  readonly rowidColumn: string | undefined
  readonly indexes: ReadonlyArray<IndexShape>
}

export interface SchemaShape {
  readonly version: number
  readonly tables: ReadonlyArray<TableShape>
  /** Root page by name of table or index, in databases that were made with this schema: each layout there may be. */
  readonly layouts: ReadonlyArray<ReadonlyMap<string, number>>
}

interface TableInfo {
  readonly name: string
  readonly type: string
  readonly notnull: 0 | 1
  readonly pk: number
}

const tableShape = (database: Database.Database, name: string): TableShape => {
  const columns = database.prepare<[string], TableInfo>("SELECT name, type, \"notnull\", pk FROM pragma_table_info(?)").all(name)
  const keys = columns.filter(({ pk }) => pk > 0)
  const [key] = keys
  const rowidColumn = keys.length === 1 && key?.type === "INTEGER" ? key.name : undefined
  return {
    name,
    rowidColumn,
    columns: columns.map((column) => ({ name: column.name, type: column.type, isRequired: column.notnull === 1 && column.name !== rowidColumn })),
    indexes: database.prepare<[string], { name: string; partial: 0 | 1; unique: 0 | 1 }>("SELECT name, partial, \"unique\" FROM pragma_index_list(?)").all(name)
      .map((index) => ({
        name: index.name,
        isPartial: index.partial === 1,
        isUnique: index.unique === 1,
        columns: database.prepare<[string], string>("SELECT name FROM pragma_index_info(?)").pluck().all(index.name)
      }))
  }
}

const rootsIn = (database: Database.Database): ReadonlyMap<string, number> =>
  new Map(
    database.prepare<[], { name: string; rootpage: number }>("SELECT name, rootpage FROM sqlite_schema").all()
      .map(({ name, rootpage }) => [name, rootpage])
  )

/** Does with a new database what may have been done with an old one. */
const inNew = <A>(migrations: ReadonlyArray<Migration>, isMovable: boolean, use: (database: Database.Database) => A): A => {
  const database = new Database(":memory:")
  try {
    if (isMovable) keepPagesMovable(database)
    migrate(database, { path: ":memory:", migrations, at: "" })
    return use(database)
  } finally {
    database.close()
  }
}

/** As it was made, and as a rewrite leaves it. */
const layoutsOf = (migrations: ReadonlyArray<Migration>, isMovable: boolean) =>
  inNew(migrations, isMovable, (database) => {
    const made = rootsIn(database)
    database.exec("VACUUM")
    return [made, rootsIn(database)]
  })

/** The schema after the given migrations, which are those of a version and all before it. */
export const schemaShape = (migrations: ReadonlyArray<Migration>): SchemaShape => ({
  version: migrations.length,
  tables: inNew(migrations, true, (database) =>
    database.prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all().map((name) => tableShape(database, name))),
  layouts: [true, false].flatMap((isMovable) => layoutsOf(migrations, isMovable))
})

const idPrefixes: ReadonlyMap<string, string> = new Map([
  ["run_id", "run_"],
  ["conversation_id", "conv_"],
  ["parent_conversation_id", "conv_"],
  ["turn_id", "turn_"],
  ["call_id", "call_"],
  ["parent_call_id", "call_"],
  ["asset_id", "asset_"]
])

/** Where part of a page was overwritten with zeros, text goes on as NULs; only a command may hold some of its own. */
const isWholeText = (column: string, text: string): boolean =>
  column === "input" ? !text.endsWith("\0") && !text.includes("\0".repeat(8)) : !text.includes("\0")

export const isColumnValue = ({ name, type }: Pick<ColumnShape, "name" | "type">, value: StoredValue): boolean => {
  if (typeof value !== "string") return typeof value === "number" && type === "INTEGER"
  return type === "TEXT" && value.startsWith(idPrefixes.get(name) ?? "") && isWholeText(name, value)
}

/** Whether a record, without its rowid, can be an entry of this index. */
export const fitsIndex = ({ columns }: TableShape, index: IndexShape, record: ReadonlyArray<StoredValue>): boolean =>
  record.length === index.columns.length && index.columns.every((name, at) => {
    const [column, value] = [columns.find((one) => one.name === name), record[at]]
    return column !== undefined && value !== undefined && (value === null ? !column.isRequired : isColumnValue(column, value))
  })

/** Whether a record can be a row of this table; one that was stored before a column was added ends before it. */
export const fitsTable = ({ columns, rowidColumn }: TableShape, record: ReadonlyArray<StoredValue>): boolean =>
  record.length > 0 && record.length <= columns.length &&
  columns.every((column, index) => {
    const value = record[index]
    if (column.name === rowidColumn) return value === null
    return value === null || value === undefined ? !column.isRequired : isColumnValue(column, value)
  })
