/**
 * A damaged database: its schema, and the rows of each table that can still be read.
 *
 * Owns: finding tables and pages, also where the pages that lead to them are lost.
 * Never owns: writing the rows anywhere (new-database), what a loss means (loss).
 * Ordering: rows come from the table's own pages, never through an index. Indexes only bear witness of rows that are gone.
 * Limits: pages that nothing leads to any more are taken only where the freelist proves that they are in use, all their rows
 *   fit one table, and no sound index of the table denies them.
 */
import type { Migration } from "../migrations/migration.ts"
import type { PageFile } from "./page-file.ts"
import type { StoredValue } from "./stored-record.ts"
import { fitsIndex, fitsTable, type IndexShape, schemaShape, type SchemaShape, type TableShape } from "./table-shape.ts"
import { type Cell, readTreePage } from "./tree-page.ts"
import { type Tree, walkTree } from "./tree-walk.ts"

export type KnownColumns = Readonly<Record<string, StoredValue>>

/** A row that was there and cannot be read. */
export interface LostRow {
  readonly table: string
  /** What sound indexes still say of it; empty when that is nothing. */
  readonly known: KnownColumns
}

export interface TableLoss {
  readonly table: string
  readonly rows: ReadonlyArray<LostRow>
  /** Rows that nothing bears witness of may be lost as well. */
  readonly isUncertain: boolean
}

export interface DamagedDatabase {
  readonly schema: SchemaShape
  /** Newest schema version the file tells of; may be newer than `schema`. */
  readonly storedVersion: number
  /** Gives every row that can be read to `take`, which answers whether it took it, and tells what is lost. */
  readonly salvage: (table: TableShape, take: (cell: Cell) => boolean) => TableLoss
}

const cellsOf = (file: PageFile, page: number): ReadonlyArray<Cell | undefined> => readTreePage(file, page)?.cells() ?? [undefined]

/** Root pages by name, as far as the schema table can be read. */
const storedRoots = (file: PageFile): ReadonlyMap<string, number> => {
  const roots = new Map<string, number>()
  for (const page of walkTree(file, 1, "table").pages) {
    for (const cell of cellsOf(file, page)) {
      const [, name, , root] = cell?.record ?? []
      if (typeof name === "string" && typeof root === "number" && root > 1) roots.set(name, root)
    }
  }
  return roots
}

/** How many tables and indexes have content of theirs where this layout has their roots. */
const fitOf = (file: PageFile, { tables }: SchemaShape, layout: ReadonlyMap<string, number>): number => {
  const holds = (name: string, kind: "table" | "index", fits: (record: Cell["record"]) => boolean) => {
    const first = walkTree(file, layout.get(name), kind).pages.at(0)
    return first !== undefined && cellsOf(file, first).some((cell) => cell !== undefined && fits(cell.record))
  }
  return tables.reduce((sum, table) => {
    const isFit = holds(table.name, "table", (record) => fitsTable(table, record))
    const indexes = table.indexes.filter((index) => holds(index.name, "index", (record) => fitsIndex(table, index, record)))
    return sum + (isFit ? 1 : 0) + indexes.length
  }, 0)
}

/** Where tables and indexes begin: as the schema table says, else as the layout says that fits best. */
const findRoots = (file: PageFile, schema: SchemaShape, stored: ReadonlyMap<string, number>) => {
  const isWhole = schema.layouts[0] !== undefined && [...schema.layouts[0].keys()].every((name) => stored.has(name))
  const likely = isWhole
    ? undefined
    : schema.layouts.toSorted((left, right) => fitOf(file, schema, right) - fitOf(file, schema, left))[0]
  return (name: string) => stored.get(name) ?? likely?.get(name)
}

/** Newest version whose tables and indexes are all in the schema table. */
const versionByNames = (shapes: ReadonlyArray<SchemaShape>, names: ReadonlyMap<string, number>): number =>
  shapes.findLast(({ layouts }) => [...layouts[0]?.keys() ?? []].every((name) => names.has(name)))?.version ?? 0

/** Newest version that the table of migrations names. */
const versionByRows = (file: PageFile, schema: SchemaShape, rootOf: (name: string) => number | undefined): number => {
  const table = schema.tables.find(({ name }) => name === "schema_migration")
  const tree = walkTree(file, rootOf("schema_migration"), "table")
  const versions = tree.pages.flatMap((page) =>
    cellsOf(file, page).flatMap((cell) => table !== undefined && cell !== undefined && fitsTable(table, cell.record) ? [cell.rowid] : [])
  )
  return Math.max(0, ...versions)
}

/** The table whose rows a page holds; undefined unless all that can be read fit exactly one. */
const tableOf = (file: PageFile, page: number, tables: ReadonlyArray<TableShape>): TableShape | undefined => {
  const cells = cellsOf(file, page).filter((cell) => cell !== undefined)
  const fitting = tables.filter((table) => cells.length > 0 && cells.every(({ record }) => fitsTable(table, record)))
  return fitting.length === 1 ? fitting[0] : undefined
}

/** Leaf pages of tables that no tree leads to, by the table they must belong to. */
const strayPages = (
  file: PageFile,
  tables: ReadonlyArray<TableShape>,
  trees: ReadonlyMap<string, Tree>
): ReadonlyMap<string, ReadonlyArray<number>> => {
  const broken = tables.filter(({ name }) => trees.get(name)?.isBroken === true)
  const free = broken.length === 0 ? undefined : file.freePages()
  const stray = new Map<string, Array<number>>()
  if (free === undefined) return stray
  const reached = new Set([...trees.values(), walkTree(file, 1, "table")].flatMap(({ pages }) => pages))
  for (let number = 2; number <= file.pageCount; number++) {
    if (reached.has(number) || free.has(number)) continue
    const page = readTreePage(file, number)
    const table = page?.kind === "table" && page.isLeaf ? tableOf(file, number, tables) : undefined
    if (table === undefined || !broken.includes(table)) continue
    stray.set(table.name, [...stray.get(table.name) ?? [], number])
  }
  return stray
}

interface Witness {
  /** What indexes say of rows that were not taken, by rowid. */
  readonly rows: ReadonlyMap<number, KnownColumns>
  /** Some index knows every row; then `rows` are those it knows. */
  readonly isComplete: boolean
}

interface Testimony {
  /** Those of rows that were not taken. */
  readonly entries: ReadonlyMap<number, KnownColumns>
  /** It can be read to its end and knows every row that was taken. */
  readonly isComplete: boolean
}

const testify = (file: PageFile, table: TableShape, index: IndexShape, root: number | undefined, taken: ReadonlySet<number>): Testimony => {
  const entries = new Map<number, KnownColumns>()
  const tree = walkTree(file, root, "index")
  let isWhole = !tree.isBroken
  let confirmed = 0
  for (const page of tree.pages) {
    for (const cell of cellsOf(file, page)) {
      if (cell === undefined || !fitsIndex(table, index, cell.record)) isWhole = false
      else if (taken.has(cell.rowid)) confirmed++
      else {
        entries.set(cell.rowid, Object.fromEntries(index.columns.map((name, at) => [name, cell.record[at] ?? null])))
      }
    }
  }
  return { entries, isComplete: isWhole && !index.isPartial && confirmed === taken.size }
}

const bearWitness = (
  file: PageFile,
  table: TableShape,
  rootOf: (name: string) => number | undefined,
  taken: ReadonlySet<number>
): Witness => {
  const testimonies = table.indexes.map((index) => testify(file, table, index, rootOf(index.name), taken))
  const complete = testimonies.filter(({ isComplete }) => isComplete)
  const trusted = complete.length > 0 ? complete : testimonies
  const rows = new Map<number, KnownColumns>()
  for (const rowid of new Set(trusted.flatMap(({ entries }) => [...entries.keys()]))) {
    rows.set(rowid, Object.assign({}, ...testimonies.map(({ entries }) => entries.get(rowid))))
  }
  return { rows, isComplete: complete.length > 0 }
}

const columnsOf = (table: TableShape, { record }: Cell): KnownColumns =>
  Object.fromEntries(table.columns.flatMap(({ name }, at) => name.endsWith("_id") || name === "sequence" ? [[name, record[at] ?? null]] : []))

/** @param migrations every one that this release knows */
export const openDamaged = (file: PageFile, migrations: ReadonlyArray<Migration>): DamagedDatabase => {
  const shapes = migrations.map((_, index) => schemaShape(migrations.slice(0, index + 1)))
  const newest = schemaShape(migrations)
  const roots = storedRoots(file)
  const storedVersion = Math.max(versionByRows(file, newest, findRoots(file, newest, roots)), versionByNames(shapes, roots))
  const schema = shapes[storedVersion - 1] ?? newest
  const rootOf = findRoots(file, schema, roots)
  const trees = new Map(schema.tables.map(({ name }) => [name, walkTree(file, rootOf(name), "table")]))
  const stray = strayPages(file, schema.tables, trees)
  return {
    schema,
    storedVersion,
    salvage: (table, take) => {
      const tree = trees.get(table.name)
      const taken = new Set<number>()
      const refused: Array<LostRow> = []
      let isDamaged = tree?.isBroken !== false
      const offer = (page: number, isDenied: (rowid: number) => boolean) => {
        for (const cell of cellsOf(file, page)) {
          if (cell === undefined || !fitsTable(table, cell.record)) isDamaged = true
          else if (isDenied(cell.rowid) || taken.has(cell.rowid)) continue
          else if (take(cell)) taken.add(cell.rowid)
          else refused.push({ table: table.name, known: columnsOf(table, cell) })
        }
      }
      tree?.pages.forEach((page) => offer(page, () => false))
      const { isComplete, rows } = bearWitness(file, table, rootOf, taken)
      stray.get(table.name)?.forEach((page) => offer(page, (rowid) => isComplete && !rows.has(rowid)))
      const missing = [...rows].filter(([rowid]) => !taken.has(rowid)).map(([, known]) => ({ table: table.name, known }))
      return { table: table.name, rows: [...missing, ...refused], isUncertain: isDamaged && !isComplete }
    }
  }
}
