/**
 * One page of a table or index tree: its cells and children.
 *
 * Owns: the layout of tree pages and of payloads that continue on overflow pages.
 * Limits: a cell that cannot be read is undefined and touches no other; a page whose header makes no sense is no tree page.
 */
import { headerBytes, type PageFile } from "./page-file.ts"
import { readRecord, readVarint, type StoredValue } from "./stored-record.ts"

export interface Cell {
  /** Of a table; an index entry has its row's as last value of the record. */
  readonly rowid: number
  readonly record: ReadonlyArray<StoredValue>
}

export interface TreePage {
  readonly kind: "table" | "index"
  readonly isLeaf: boolean
  /** Page numbers as stored; undefined where one cannot be one. Empty for a leaf. */
  readonly children: ReadonlyArray<number | undefined>
  /** In order; undefined for one that cannot be read. Empty for an inner page of a table, which holds no rows. */
  readonly cells: () => ReadonlyArray<Cell | undefined>
}

const kinds = {
  0x02: { kind: "index", isLeaf: false },
  0x05: { kind: "table", isLeaf: false },
  0x0a: { kind: "index", isLeaf: true },
  0x0d: { kind: "table", isLeaf: true }
} as const

const kindOf = (type: number) => type === 0x02 || type === 0x05 || type === 0x0a || type === 0x0d ? kinds[type] : undefined

/** How many bytes of a payload lie in its cell. */
const localBytes = (size: number, usable: number, kind: TreePage["kind"]): number => {
  const most = kind === "table" ? usable - 35 : Math.floor((usable - 12) * 64 / 255) - 23
  if (size <= most) return size
  const least = Math.floor((usable - 12) * 32 / 255) - 23
  const fitting = least + (size - least) % (usable - 4)
  return fitting <= most ? fitting : least
}

const readPayload = (file: PageFile, page: Buffer, at: number, size: number, kind: TreePage["kind"]): Buffer | undefined => {
  const local = localBytes(size, file.usableBytes, kind)
  if (at + local > file.usableBytes) return undefined
  const parts = [page.subarray(at, at + local)]
  let left = size - local
  let next = left > 0 && at + local + 4 <= file.usableBytes ? page.readUInt32BE(at + local) : 0
  while (left > 0) {
    const overflow = file.page(next)
    if (overflow === undefined) return undefined
    const count = Math.min(left, file.usableBytes - 4)
    parts.push(overflow.subarray(4, 4 + count))
    left -= count
    next = overflow.readUInt32BE(0)
  }
  return next === 0 ? Buffer.concat(parts) : undefined
}

const readCell = (file: PageFile, page: Buffer, at: number, { isLeaf, kind }: Pick<TreePage, "isLeaf" | "kind">): Cell | undefined => {
  const size = readVarint(page, isLeaf ? at : at + 4)
  if (size === undefined || size[0] > file.pageCount * file.usableBytes) return undefined
  const rowid = kind === "table" ? readVarint(page, size[1]) : undefined
  if (kind === "table" && rowid === undefined) return undefined
  const payload = readPayload(file, page, rowid?.[1] ?? size[1], size[0], kind)
  const record = payload === undefined ? undefined : readRecord(payload)
  if (record === undefined) return undefined
  if (rowid !== undefined) return Number.isSafeInteger(rowid[0]) ? { rowid: rowid[0], record } : undefined
  const last = record.at(-1)
  return typeof last === "number" ? { rowid: last, record: record.slice(0, -1) } : undefined
}

/** Undefined: not readable, or no page of a tree. */
export const readTreePage = (file: PageFile, number: number): TreePage | undefined => {
  const page = file.page(number)
  if (page === undefined) return undefined
  const start = number === 1 ? headerBytes : 0
  const found = kindOf(page.readUInt8(start))
  if (found === undefined) return undefined
  const { isLeaf, kind } = found
  const pointers = start + (isLeaf ? 8 : 12)
  const count = page.readUInt16BE(start + 3)
  const end = pointers + count * 2
  const content = page.readUInt16BE(start + 5)
  if (end > file.usableBytes || content < end || content > file.usableBytes) return undefined
  const places = Array.from({ length: count }, (_, index) => page.readUInt16BE(pointers + index * 2))
    .map((place) => place >= end && place <= file.usableBytes - 4 ? place : undefined)
  const isPage = (child: number) => child > 1 && child <= file.pageCount ? child : undefined
  return {
    kind,
    isLeaf,
    children: isLeaf ? [] : [
      ...places.map((place) => place === undefined ? undefined : isPage(page.readUInt32BE(place))),
      isPage(page.readUInt32BE(start + 8))
    ],
    cells: () => kind === "table" && !isLeaf
      ? []
      : places.map((place) => place === undefined ? undefined : readCell(file, page, place, found))
  }
}
