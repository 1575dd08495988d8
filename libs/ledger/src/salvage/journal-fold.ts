/**
 * Moves a write-ahead log into its database file, as SQLite's own checkpoint does, whether or not SQLite can open the file.
 *
 * Owns: which frames of a log count (sqlite.org/fileformat2.html, "The Write-Ahead Log"), their pages.
 * Ordering: pages are durable in the file before anybody may remove the log; doing it again changes nothing.
 */

const logHeaderBytes = 32
const frameHeaderBytes = 24
const logFormat = 3_007_000

type Sums = readonly [number, number]

const sum = (bytes: Buffer, isBigEndian: boolean, [first, second]: Sums): Sums => {
  let [one, two] = [first, second]
  for (let at = 0; at + 8 <= bytes.length; at += 8) {
    const left = isBigEndian ? bytes.readUInt32BE(at) : bytes.readUInt32LE(at)
    const right = isBigEndian ? bytes.readUInt32BE(at + 4) : bytes.readUInt32LE(at + 4)
    one = (one + left + two) >>> 0
    two = (two + right + one) >>> 0
  }
  return [one, two]
}

const storedSums = (bytes: Buffer, at: number): Sums => [bytes.readUInt32BE(at), bytes.readUInt32BE(at + 4)]
const isSame = (left: Sums, right: Sums): boolean => left[0] === right[0] && left[1] === right[1]

export interface FoldedLog {
  readonly pageBytes: number
  /** Pages of the database after the last commit. */
  readonly pageCount: number
  /** Where the newest committed content of each page lies in the log, by page number. */
  readonly pages: ReadonlyMap<number, number>
}

/** What the committed frames of a log say; undefined when there is none. `read` gives bytes of the log. */
export const readLog = (read: (offset: number, length: number) => Buffer, sizeBytes: number): FoldedLog | undefined => {
  if (sizeBytes < logHeaderBytes) return undefined
  const header = read(0, logHeaderBytes)
  const isBigEndian = header.readUInt32BE(0) === 0x377f0683
  if (!isBigEndian && header.readUInt32BE(0) !== 0x377f0682) return undefined
  const pageBytes = header.readUInt32BE(8)
  let sums = sum(header.subarray(0, 24), isBigEndian, [0, 0])
  if (header.readUInt32BE(4) !== logFormat || pageBytes < 512 || !isSame(sums, storedSums(header, 24))) return undefined
  const committed = new Map<number, number>()
  const waiting = new Map<number, number>()
  let pageCount = 0
  for (let at = logHeaderBytes; at + frameHeaderBytes + pageBytes <= sizeBytes; at += frameHeaderBytes + pageBytes) {
    const frame = read(at, frameHeaderBytes + pageBytes)
    const isOfThisLog = frame.subarray(8, 16).equals(header.subarray(16, 24))
    sums = sum(frame.subarray(frameHeaderBytes), isBigEndian, sum(frame.subarray(0, 8), isBigEndian, sums))
    if (!isOfThisLog || !isSame(sums, storedSums(frame, 16))) break
    waiting.set(frame.readUInt32BE(0), at + frameHeaderBytes)
    const size = frame.readUInt32BE(4)
    if (size === 0) continue
    pageCount = size
    for (const [page, offset] of waiting) committed.set(page, offset)
    waiting.clear()
  }
  return pageCount === 0 ? undefined : { pageBytes, pageCount, pages: committed }
}
