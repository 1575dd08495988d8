/**
 * Stored bytes as one sequence: a verified file, a closed one, or a growing one's head and tail segments.
 *
 * Owns: opening without following links, which file serves as output, a consistent look at files that rotate meanwhile.
 * Never owns: whether a file is the recorded one; a verified file comes opened from its store.
 * Limits: positions are those of the view; between two views of a growing file its middle may be rotated away.
 */
import type { CaptureStream } from "@steno/contracts"
import { Effect, type Scope } from "effect"
import { join } from "node:path"
import type { CaptureCaps } from "./capture-caps.ts"
import type { VerifiedFile } from "./capture-files.ts"
import { fileName } from "./capture-names.ts"
import { closeFile, listFolder, openToRead, readAt, statFile } from "./file-io.ts"
import type { StorageFault } from "./storage-fault.ts"
import { findSegments, type FoundSegment, readHeader } from "./tail-segment.ts"

/** `E`: how reading fails. */
export interface ViewPart<E = StorageFault> {
  /** Fills the block from a position of the part on; fewer only at its end. */
  readonly read: (block: Uint8Array, position: number) => Effect.Effect<number, E>
  readonly sizeBytes: number
  /** Names these bytes and their state: device, inode, size, time of change. */
  readonly stamp: string
  /** Names these bytes while they grow. */
  readonly node: string
  readonly startByte: number
  /** Present for a tail segment. */
  readonly segment?: FoundSegment
}

export interface ByteView<E = StorageFault> {
  readonly path: string
  readonly parts: ReadonlyArray<ViewPart<E>>
  readonly totalBytes: number
}

export interface CaptureView extends ByteView {
  /** Whose file it is: `output` without a file of its own shows another one's. */
  readonly stream: CaptureStream
}

export const viewOf = <E>({ identity, path, read, sizeBytes }: VerifiedFile<E>): ByteView<E> => ({
  path,
  parts: [{ read, sizeBytes, stamp: identity, node: identity, startByte: 0 }],
  totalBytes: sizeBytes
})

const openFile = (path: string): Effect.Effect<number, StorageFault, Scope.Scope> =>
  Effect.acquireRelease(openToRead(path), closeFile)

const openHead = Effect.fnUntraced(function*(
  path: string
): Effect.fn.Return<ViewPart, StorageFault, Scope.Scope> {
  const fd = yield* openFile(path)
  const stat = yield* statFile(fd, path)
  if (!stat.isFile()) return yield* Effect.fail({ operation: "open", path, code: "EINVAL" })
  const node = `${stat.dev}:${stat.ino}`
  const read: ViewPart["read"] = (block, position) => readAt(fd, path, block, block.length, position)
  return { read, sizeBytes: stat.size, stamp: `${node}:${stat.size}:${stat.mtimeMs}`, node, startByte: 0 }
})

const openParts = Effect.fnUntraced(function*(
  directory: string,
  stream: CaptureStream,
  closed: boolean,
  caps: CaptureCaps
): Effect.fn.Return<CaptureView, StorageFault, Scope.Scope> {
  const name = fileName(stream)
  const path = join(directory, name)
  const names = closed ? [] : yield* listFolder(directory)
  const found = yield* findSegments(directory, name, names, caps.tailBytes, openFile)
  const segments = found.filter((segment) => segment.ordinal >= 0)
  const head = yield* openHead(path)
  const parts = [segments.length > 0 ? { ...head, sizeBytes: Math.min(head.sizeBytes, caps.headBytes) } : head]
  for (const segment of segments) {
    const before = parts.at(-1) ?? head
    const node = `${head.node}:${segment.ordinal}`
    parts.push({
      read: (block, position) => readAt(segment.fd, segment.path, block, block.length, position),
      sizeBytes: segment.length,
      stamp: `${node}:${segment.length}`,
      node,
      startByte: before.startByte + before.sizeBytes,
      segment
    })
  }
  return { stream, path, parts, totalBytes: parts.reduce((sum, part) => sum + part.sizeBytes, 0) }
})

/** Bytes of a growing file that lie between its head and the oldest segment still there. */
export const rotatedOut = (view: CaptureView, caps: CaptureCaps): number =>
  (view.parts.find((part) => part.segment !== undefined)?.segment?.ordinal ?? 0) * caps.tailBytes

/** Whether what was read from the view is what it said: no segment was begun anew meanwhile, none joined. */
export const isUnchanged = Effect.fnUntraced(function*(
  view: CaptureView,
  caps: CaptureCaps
): Effect.fn.Return<boolean, StorageFault> {
  for (const { segment } of view.parts) {
    if (segment === undefined) continue
    const now = yield* readHeader(segment.fd, segment.path, caps.tailBytes)
    if (now?.ordinal !== segment.ordinal) return false
  }
  return true
})

/** Candidates in the order they are tried; output without a file of its own is the only stream's. */
const candidates = (stream: CaptureStream): ReadonlyArray<CaptureStream> =>
  stream === "output" ? ["output", "stdout", "stderr"] : [stream]

/** Absent: nothing was printed (or not yet). The descriptors live as long as the scope. */
export const openView = Effect.fnUntraced(function*(
  directory: string,
  stream: CaptureStream,
  closed: boolean,
  caps: CaptureCaps
): Effect.fn.Return<CaptureView | undefined, StorageFault, Scope.Scope> {
  let empty: CaptureView | undefined
  for (const candidate of candidates(stream)) {
    const opened = yield* Effect.result(openParts(directory, candidate, closed, caps))
    if (opened._tag === "Failure") {
      if (opened.failure.code !== "ENOENT") return yield* Effect.fail(opened.failure)
    } else if (opened.success.totalBytes > 0) return opened.success
    else empty ??= opened.success
  }
  return empty
})

/** Bytes of the view from a position, at most to the end of one part. */
export const readView = Effect.fnUntraced(function*<E>(
  view: ByteView<E>,
  block: Uint8Array,
  from: number
): Effect.fn.Return<number, E> {
  const part = view.parts.find((one) => from >= one.startByte && from < one.startByte + one.sizeBytes)
  if (part === undefined) return 0
  const inPart = from - part.startByte
  return yield* part.read(block.subarray(0, part.sizeBytes - inPart), inPart)
})
