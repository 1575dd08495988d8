/**
 * A segment of a tail: `tailBytes` of data, then a header that says which segment it is and how much of it counts.
 *
 * A segment file is overwritten in place: a fresh file each time would make the disk write what is thrown away at once.
 * Owns: the header's form; reading the segments that count.
 * Ordering: a header with length 0 comes before new data, the new length after it; so what a header counts is there.
 */
import { Effect } from "effect"
import { Buffer } from "node:buffer"
import { join } from "node:path"
import { segmentNames } from "./capture-names.ts"
import { readAt } from "./file-io.ts"
import type { StorageFault } from "./storage-fault.ts"

export interface SegmentHeader {
  /** Segment n begins `headBytes` + n × `tailBytes` behind the file's first byte. */
  readonly ordinal: number
  /** Line feeds of the file before this segment. */
  readonly lineFeedsBefore: number
  /** Bytes that count. */
  readonly length: number
}

export const headerBytes = 32
const magic = 0x5354_454e

export const encodeHeader = (header: SegmentHeader): Uint8Array => {
  const bytes = Buffer.alloc(headerBytes)
  bytes.writeDoubleLE(magic, 0)
  bytes.writeDoubleLE(header.ordinal, 8)
  bytes.writeDoubleLE(header.lineFeedsBefore, 16)
  bytes.writeDoubleLE(header.length, 24)
  return bytes
}

const isCount = (value: number): boolean => Number.isSafeInteger(value) && value >= 0

/** Absent: no header, the segment holds nothing that counts. */
export const decodeHeader = (bytes: Uint8Array, tailBytes: number): SegmentHeader | undefined => {
  if (bytes.length < headerBytes) return undefined
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, headerBytes)
  const header = {
    ordinal: view.readDoubleLE(8),
    lineFeedsBefore: view.readDoubleLE(16),
    length: view.readDoubleLE(24)
  }
  const isValid = view.readDoubleLE(0) === magic && Object.values(header).every(isCount) && header.length <= tailBytes
  return isValid ? header : undefined
}

export const readHeader = (
  fd: number,
  path: string,
  tailBytes: number
): Effect.Effect<SegmentHeader | undefined, StorageFault> => {
  const bytes = Buffer.alloc(headerBytes)
  return Effect.map(readAt(fd, path, bytes, headerBytes, tailBytes), (count) =>
    decodeHeader(bytes.subarray(0, count), tailBytes))
}

export interface FoundSegment extends SegmentHeader {
  readonly fd: number
  readonly path: string
}

/** A segment is full before the next one begins; its header may not say so yet. */
const isFollowed = (segment: SegmentHeader, next: SegmentHeader | undefined): boolean =>
  next !== undefined && segment.ordinal >= 0 && next.ordinal === segment.ordinal + 1

/** Opens the segments that count, oldest first; `open` decides how long the descriptors live. */
export const findSegments = Effect.fnUntraced(function*<R>(
  directory: string,
  base: string,
  names: ReadonlyArray<string>,
  tailBytes: number,
  open: (path: string) => Effect.Effect<number, StorageFault, R>
): Effect.fn.Return<ReadonlyArray<FoundSegment>, StorageFault, R> {
  const found: Array<FoundSegment> = []
  for (const name of segmentNames(base)) {
    if (!names.includes(name)) continue
    const path = join(directory, name)
    const fd = yield* open(path)
    const header = yield* readHeader(fd, path, tailBytes)
    found.push({ ...(header ?? { ordinal: -1, lineFeedsBefore: 0, length: 0 }), fd, path })
  }
  const inOrder = found.toSorted((one, other) => one.ordinal - other.ordinal)
  return inOrder.map((segment, at) => isFollowed(segment, inOrder[at + 1]) ? { ...segment, length: tailBytes } : segment)
})
