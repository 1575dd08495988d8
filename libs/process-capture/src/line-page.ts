/**
 * One page of lines out of a view.
 *
 * Owns: where a page begins and ends, decoding, the cut of over-long lines. A page is what its lines cost.
 * Limits: a line is cut at 64 KiB between characters and listed with its whole length; a CR before LF is not shown.
 */
import { pageLimits } from "@steno/contracts"
import { Effect, Result } from "effect"
import { Buffer } from "node:buffer"
import type { LinePage, PageRequest } from "./capture-files.ts"
import { type ByteView, readView } from "./capture-view.ts"
import { indexBlockBytes, type PartIndex } from "./line-index.ts"
import { PageOutOfRange } from "./process-capture-errors.ts"

const lineFeed = 0x0a
const carriageReturn = 0x0d

export interface PageRange {
  readonly offset: number | undefined
  readonly limit: number
}

export const pageRange = (request: Pick<PageRequest, "offset" | "limit">): Result.Result<PageRange, PageOutOfRange> => {
  const { offset, limit = pageLimits.defaultLines } = request
  if (offset !== undefined && (!Number.isSafeInteger(offset) || offset < 0)) {
    return Result.fail(new PageOutOfRange({ field: "offset", value: offset }))
  }
  if (!Number.isSafeInteger(limit) || limit < 1 || limit > pageLimits.maximumLines) {
    return Result.fail(new PageOutOfRange({ field: "limit", value: limit }))
  }
  return Result.succeed({ offset, limit })
}

export const emptyPage = (range: PageRange, closed: boolean): LinePage => {
  const offset = range.offset ?? 0
  return {
    totalLines: 0,
    totalBytes: 0,
    droppedBytes: 0,
    offset,
    endOffset: offset,
    ...(closed ? {} : { nextOffset: offset }),
    complete: closed,
    lines: [],
    truncatedLines: []
  }
}

/** Lines of a view whose parts have these indexes, a last one without line feed included. */
export const totalLines = (indexes: ReadonlyArray<PartIndex>): number => {
  const lineFeeds = indexes.reduce((sum, index) => sum + index.lineFeeds, 0)
  const last = indexes.findLast((index) => index.sizeBytes > 0)
  return lineFeeds + (last === undefined || last.endsLine ? 0 : 1)
}

/** A byte at or before the start of a line, and the line feeds before that byte. */
const seek = <E>(view: ByteView<E>, indexes: ReadonlyArray<PartIndex>, line: number) => {
  let lineFeeds = 0
  let found = { byte: 0, lineFeeds: 0 }
  indexes.forEach((index, at) => {
    const startByte = view.parts[at]?.startByte ?? 0
    if (lineFeeds < line) {
      let low = 0
      let high = index.before.length - 1
      while (low < high) {
        const middle = (low + high + 1) >> 1
        if (lineFeeds + (index.before[middle] as number) < line) low = middle
        else high = middle - 1
      }
      found = { byte: startByte + low * indexBlockBytes, lineFeeds: lineFeeds + (index.before[low] as number) }
    }
    lineFeeds += index.lineFeeds
  })
  return found
}

/** Where to cut so that no character is split. */
const cutLength = (bytes: Uint8Array, length: number): number => {
  let cut = length
  while (cut > length - 4 && cut > 0 && ((bytes[cut] ?? 0) & 0xc0) === 0x80) cut--
  return ((bytes[cut] ?? 0) & 0xc0) === 0x80 ? length : cut
}

class LineReader {
  readonly lines: Array<string> = []
  readonly truncated: Array<{ readonly line: number; readonly bytes: number }> = []
  readonly #firstLine: number
  readonly #limit: number
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true })
  #parts: Array<Uint8Array> = []
  #kept = 0
  #length = 0
  #last = 0
  #skip: number

  constructor(firstLine: number, limit: number, skip: number) {
    this.#firstLine = firstLine
    this.#limit = limit
    this.#skip = skip
  }

  get isFull(): boolean {
    return this.lines.length >= this.#limit
  }

  push(block: Uint8Array): void {
    let from = 0
    while (from < block.length && !this.isFull) {
      const end = block.indexOf(lineFeed, from)
      if (this.#skip > 0) {
        if (end < 0) return
        this.#skip -= 1
      } else {
        this.#take(block.subarray(from, end < 0 ? block.length : end))
        if (end >= 0) this.#finish(true)
      }
      from = end < 0 ? block.length : end + 1
    }
  }

  end(): void {
    if (this.#length > 0 && !this.isFull) this.#finish(false)
  }

  #take(bytes: Uint8Array): void {
    if (bytes.length === 0) return
    this.#length += bytes.length
    this.#last = bytes[bytes.length - 1] as number
    const room = pageLimits.lineBytes + 4 - this.#kept
    if (room <= 0) return
    const part = new Uint8Array(bytes.subarray(0, room))
    this.#parts.push(part)
    this.#kept += part.length
  }

  #finish(hasLineFeed: boolean): void {
    const length = hasLineFeed && this.#last === carriageReturn ? this.#length - 1 : this.#length
    const bytes = Buffer.concat(this.#parts)
    if (length > pageLimits.lineBytes) {
      this.truncated.push({ line: this.#firstLine + this.lines.length, bytes: length })
      this.lines.push(this.#decoder.decode(bytes.subarray(0, cutLength(bytes, pageLimits.lineBytes))))
    } else this.lines.push(this.#decoder.decode(bytes.subarray(0, length)))
    this.#parts = []
    this.#kept = 0
    this.#length = 0
    this.#last = 0
  }
}

export const readPage = Effect.fnUntraced(function*<E>(
  view: ByteView<E>,
  indexes: ReadonlyArray<PartIndex>,
  droppedBytes: number,
  range: PageRange,
  closed: boolean
): Effect.fn.Return<LinePage, E> {
  const total = totalLines(indexes)
  const offset = range.offset ?? Math.max(0, total - range.limit)
  const start = seek(view, indexes, offset)
  const reader = new LineReader(offset, Math.min(range.limit, Math.max(0, total - offset)), offset - start.lineFeeds)
  const block = Buffer.allocUnsafe(indexBlockBytes)
  let at = start.byte
  while (!reader.isFull && at < view.totalBytes) {
    const count = yield* readView(view, block, at)
    if (count === 0) break
    reader.push(block.subarray(0, count))
    at += count
  }
  reader.end()
  const endOffset = offset + reader.lines.length
  return {
    totalLines: total,
    totalBytes: view.totalBytes,
    droppedBytes,
    offset,
    endOffset,
    ...(endOffset < total || !closed ? { nextOffset: endOffset } : {}),
    complete: closed && endOffset >= total,
    lines: reader.lines,
    truncatedLines: reader.truncated,
    path: view.path
  }
})
