/**
 * The stored bytes of one stream as one sequence: a closed file, or a growing one's head and tail segments.
 *
 * Owns: opening without following links, which file serves as output, a consistent look at files that rotate meanwhile.
 * Limits: positions are those of the view; between two views of a growing file its middle may be rotated away.
 */
import type { CaptureStream } from "@steno/contracts"
import { Effect, Scope } from "effect"
import { join } from "node:path"
import type { CaptureCaps } from "./capture-caps.ts"
import { fileName, segmentsOf } from "./capture-names.ts"
import { closeFile, listFolder, openToRead, readAt, statFile } from "./file-io.ts"
import type { StorageFault } from "./storage-fault.ts"

export interface ViewPart {
  readonly fd: number
  readonly path: string
  readonly sizeBytes: number
  /** Names this file and its state: device, inode, size, time of change. */
  readonly stamp: string
  /** Names this file through its growth. */
  readonly node: string
  readonly startByte: number
}

export interface CaptureView {
  readonly path: string
  readonly parts: ReadonlyArray<ViewPart>
  readonly totalBytes: number
}

const attempts = 5

const openPart = Effect.fnUntraced(function*(
  path: string,
  limit: number,
  startByte: number
): Effect.fn.Return<ViewPart, StorageFault, Scope.Scope> {
  const fd = yield* Effect.acquireRelease(openToRead(path), closeFile)
  const stat = yield* statFile(fd, path)
  if (!stat.isFile()) return yield* Effect.fail({ operation: "open", path, code: "EINVAL" })
  const node = `${stat.dev}:${stat.ino}`
  return {
    fd,
    path,
    sizeBytes: Math.min(stat.size, limit),
    stamp: `${node}:${stat.size}:${stat.mtimeMs}`,
    node,
    startByte
  }
})

const openParts = Effect.fnUntraced(function*(
  directory: string,
  name: string,
  closed: boolean,
  caps: CaptureCaps
): Effect.fn.Return<CaptureView, StorageFault, Scope.Scope> {
  const path = join(directory, name)
  const segments = closed ? [] : segmentsOf(name, yield* listFolder(directory))
  const parts: Array<ViewPart> = [
    yield* openPart(path, segments.length > 0 ? caps.headBytes : Number.MAX_SAFE_INTEGER, 0)
  ]
  for (const segment of segments) {
    const before = parts.at(-1)
    const startByte = before === undefined ? 0 : before.startByte + before.sizeBytes
    parts.push(yield* openPart(join(directory, segment.name), caps.tailBytes, startByte))
  }
  const last = parts.at(-1)
  return { path, parts, totalBytes: last === undefined ? 0 : last.startByte + last.sizeBytes }
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
    for (let attempt = 1;; attempt++) {
      const opened = yield* Effect.result(openParts(directory, fileName(candidate), closed, caps))
      if (opened._tag === "Success") {
        if (opened.success.totalBytes > 0) return opened.success
        empty ??= opened.success
        break
      }
      const { code, path } = opened.failure
      if (code !== "ENOENT") return yield* Effect.fail(opened.failure)
      if (path === join(directory, fileName(candidate)) || attempt === attempts) break
    }
  }
  return empty
})

/** Bytes of the view from a position, at most to the end of one part. */
export const readView = Effect.fnUntraced(function*(
  view: CaptureView,
  block: Uint8Array,
  from: number
): Effect.fn.Return<number, StorageFault> {
  const part = view.parts.find((one) => from >= one.startByte && from < one.startByte + one.sizeBytes)
  if (part === undefined) return 0
  const inPart = from - part.startByte
  return yield* readAt(part.fd, part.path, block, Math.min(block.length, part.sizeBytes - inPart), inPart)
})
