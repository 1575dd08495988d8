/**
 * The pages of an SQLite database file, read without SQLite (sqlite.org/fileformat2.html).
 *
 * Owns: the header, which pages can be read at all, the freelist.
 * Never owns: what a page means (tree-page), any change of the file.
 * Limits: a page of zeros is never valid and counts as unreadable. Where the header is lost, the page size is taken to be that
 *   of the databases this release makes.
 */

/** Reads `length` bytes at an offset; fewer at the end of the file. */
export type ReadBytes = (offset: number, length: number) => Buffer

export interface PageFile {
  /** Bytes of a page that hold content. */
  readonly usableBytes: number
  readonly pageCount: number
  /** Numbered from 1. Undefined: outside the file, or nothing but zeros. */
  readonly page: (number: number) => Buffer | undefined
  /** Pages that hold nothing; undefined where the list of them cannot be read to its end. */
  readonly freePages: () => ReadonlySet<number> | undefined
}

const magic = Buffer.from("SQLite format 3\0", "latin1")
export const headerBytes = 100
const defaultPageBytes = 4096

/** Size of a page and of its reserved end, as a header says; undefined for what is no header. */
export const headerSizes = (header: Buffer): { readonly pageBytes: number; readonly reservedBytes: number } | undefined => {
  if (header.length < headerBytes || !header.subarray(0, magic.length).equals(magic)) return undefined
  const stored = header.readUInt16BE(16)
  const pageBytes = stored === 1 ? 65_536 : stored
  const reservedBytes = header.readUInt8(20)
  const isPowerOfTwo = pageBytes >= 512 && (pageBytes & (pageBytes - 1)) === 0
  return isPowerOfTwo && pageBytes - reservedBytes >= 480 ? { pageBytes, reservedBytes } : undefined
}

const isBlank = (bytes: Buffer): boolean => bytes.every((byte) => byte === 0)

const readFreeList = (file: Omit<PageFile, "freePages">, header: Buffer): ReadonlySet<number> | undefined => {
  const free = new Set<number>()
  const count = header.readUInt32BE(36)
  for (let trunk = header.readUInt32BE(32); trunk !== 0;) {
    const page = file.page(trunk)
    if (page === undefined || free.has(trunk)) return undefined
    free.add(trunk)
    const leaves = page.readUInt32BE(4)
    if (leaves > file.usableBytes / 4 - 2) return undefined
    for (let index = 0; index < leaves; index++) free.add(page.readUInt32BE(8 + index * 4))
    trunk = page.readUInt32BE(0)
  }
  return free.size === count ? free : undefined
}

export const openPageFile = (read: ReadBytes, sizeBytes: number): PageFile => {
  const header = read(0, headerBytes)
  const sizes = headerSizes(header)
  const pageBytes = sizes?.pageBytes ?? defaultPageBytes
  const file = {
    usableBytes: pageBytes - (sizes?.reservedBytes ?? 0),
    pageCount: Math.floor(sizeBytes / pageBytes),
    page: (number: number): Buffer | undefined => {
      if (number < 1 || number > file.pageCount) return undefined
      const bytes = read((number - 1) * pageBytes, pageBytes)
      return bytes.length < pageBytes || isBlank(bytes) ? undefined : bytes
    }
  }
  return { ...file, freePages: () => sizes === undefined ? undefined : readFreeList(file, header) }
}
