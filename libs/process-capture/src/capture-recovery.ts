/**
 * Finds out what a dead owner left in a capture's folder, so that it can be closed.
 *
 * Owns: reading heads, segments and plan back; output.txt when both streams printed and it was not made yet.
 * Limits: bytes that were still in the dead owner's memory are gone; newlines added to output.txt cannot be told from its
 * own any more and hide as many bytes that it lacks.
 */
import type { CaptureStream } from "@steno/contracts"
import { commandFileName } from "@steno/process-host"
import { Effect, type Scope } from "effect"
import { Buffer } from "node:buffer"
import { join } from "node:path"
import { BoundedFile, type GrownFiles } from "./bounded-file.ts"
import type { CaptureCaps } from "./capture-caps.ts"
import { readTail } from "./capture-join.ts"
import { captureStreams, fileName, partialName, planName, segmentNames } from "./capture-names.ts"
import { type FilePlan, isJoined, noneAdded } from "./capture-plan.ts"
import { openView, readView } from "./capture-view.ts"
import { closeFile, listFolder, openToAmend, readAt, removeFile, statFile } from "./file-io.ts"
import type { GrownFile } from "./grown-file.ts"
import { countLineFeeds } from "./line-feeds.ts"
import { readPlans } from "./plan-record.ts"
import type { StorageFault } from "./storage-fault.ts"
import { findSegments } from "./tail-segment.ts"

const blockBytes = 256 * 1024
const lineFeed = 0x0a

const countInFile = Effect.fnUntraced(function*(
  fd: number,
  path: string,
  sizeBytes: number
): Effect.fn.Return<number, StorageFault> {
  const block = Buffer.allocUnsafe(blockBytes)
  let lineFeeds = 0
  for (let position = 0; position < sizeBytes;) {
    const count = yield* readAt(fd, path, block, Math.min(blockBytes, sizeBytes - position), position)
    if (count === 0) break
    lineFeeds += countLineFeeds(block.subarray(0, count))
    position += count
  }
  return lineFeeds
})

const endsLine = Effect.fnUntraced(function*(
  path: string,
  files: GrownFiles,
  caps: CaptureCaps
): Effect.fn.Return<boolean, StorageFault> {
  if (files.written === 0) return true
  const last = Buffer.alloc(1)
  const at = files.written - 1
  const isInTail = files.segments.length > 0 && at >= caps.headBytes
  const count = isInTail ? yield* readTail(files, caps, last, at) : yield* readAt(files.head, path, last, 1, at)
  return count === 0 || last[0] === lineFeed
})

const grownOf = (stream: CaptureStream, files: GrownFiles, lines: number): GrownFile => ({
  stream,
  name: fileName(stream),
  files,
  observedBytes: files.written,
  observedLines: lines,
  added: noneAdded,
  fault: undefined,
  lost: undefined
})

const readGrown = Effect.fnUntraced(function*(
  directory: string,
  names: ReadonlyArray<string>,
  stream: CaptureStream,
  caps: CaptureCaps,
  plan: FilePlan | undefined
): Effect.fn.Return<GrownFile | undefined, StorageFault> {
  const name = fileName(stream)
  if (!names.includes(name)) return undefined
  const path = join(directory, name)
  const head = yield* openToAmend(path)
  const headSize = (yield* statFile(head, path)).size
  const found = yield* findSegments(directory, name, names, caps.tailBytes, openToAmend)
  const [unused, segments] = [found.filter((one) => one.ordinal < 0), found.filter((one) => one.ordinal >= 0)]
  for (const segment of unused) {
    yield* closeFile(segment.fd)
    yield* removeFile(segment.path)
  }
  const last = segments.at(-1)
  const written = last === undefined ? headSize : caps.headBytes + last.ordinal * caps.tailBytes + last.length
  const files = { head, segments, written }
  if (plan !== undefined) {
    return { ...grownOf(stream, files, plan.observedLines), earlier: { plan, isJoined: isJoined(plan, headSize) } }
  }
  const lineFeeds = last === undefined
    ? yield* countInFile(head, path, headSize)
    : last.lineFeedsBefore + (yield* countInFile(last.fd, last.path, last.length))
  return grownOf(stream, files, lineFeeds + ((yield* endsLine(path, files, caps)) ? 0 : 1))
})

/** stdout, then stderr: their order among each other is lost. */
const makeOutput = Effect.fnUntraced(function*(
  directory: string,
  caps: CaptureCaps,
  streams: ReadonlyArray<GrownFile>
): Effect.fn.Return<GrownFile, StorageFault, Scope.Scope> {
  let wake = (): void => undefined
  const file = new BoundedFile(directory, fileName("output"), caps, () => wake())
  const added: Array<number> = []
  yield* Effect.try({
    try: () => file.create(),
    catch: (): StorageFault => ({ operation: "create", path: file.path, code: "EEXIST" })
  })
  let accepted = 0
  let isLineEnd = true
  const take = (bytes: Uint8Array) => {
    file.append(bytes, countLineFeeds(bytes))
    accepted += bytes.length
    isLineEnd = bytes[bytes.length - 1] === lineFeed
  }
  const hasRoom = Effect.callback<void>((resume) => {
    const look = () => file.waiting > caps.waitingBytes ? undefined : resume(Effect.void)
    wake = look
    look()
  })
  for (const stream of streams) {
    const view = yield* openView(directory, stream.stream, false, caps)
    if (view === undefined) continue
    if (!isLineEnd) {
      added.push(accepted)
      take(new Uint8Array([lineFeed]))
    }
    for (let at = 0; at < view.totalBytes;) {
      const block = Buffer.allocUnsafe(blockBytes)
      const count = yield* readView(view, block, at)
      if (count === 0) break
      take(block.subarray(0, count))
      at += count
      yield* hasRoom
    }
  }
  yield* Effect.callback<void>((resume) => file.finish(() => resume(Effect.void)))
  return {
    stream: "output",
    name: file.name,
    files: file.grown,
    observedBytes: streams.reduce((sum, one) => sum + one.observedBytes, 0),
    observedLines: streams.reduce((sum, one) => sum + one.observedLines, 0),
    added: { positions: added, forgotten: 0 },
    fault: file.fault,
    lost: file.lost === undefined ? undefined : { total: file.lost.total, bytes: file.lost.bytes() }
  }
}, Effect.scoped)

/** Both streams came for output.txt. Where its dead owner did not write all of them into it any more, the rest counts as dropped. */
const withBothStreams = (output: GrownFile, streams: ReadonlyArray<GrownFile>): GrownFile => ({
  ...output,
  observedBytes: streams.reduce((sum, one) => sum + one.observedBytes, 0),
  observedLines: streams.reduce((sum, one) => sum + one.observedLines, 0)
})

/** The files as `closeCapture` takes them; their descriptors are open. Removes what was only begun. */
export const findLeft = Effect.fnUntraced(function*(
  directory: string,
  caps: CaptureCaps
): Effect.fn.Return<ReadonlyArray<GrownFile>, StorageFault> {
  const names = yield* listFolder(directory)
  for (const begun of [commandFileName, partialName, `${planName}.new`]) {
    if (names.includes(begun)) yield* removeFile(join(directory, begun))
  }
  const plans = yield* readPlans(directory, names)
  const found: Array<GrownFile> = []
  for (const stream of captureStreams) {
    const grown = yield* readGrown(directory, names, stream, caps, plans.get(stream))
    if (grown !== undefined) found.push(grown)
  }
  const streams = found.filter((one) => one.stream !== "output")
  const output = found.find((one) => one.stream === "output")
  if (output !== undefined) return [...streams, withBothStreams(output, streams)]
  for (const name of segmentNames(fileName("output"))) {
    if (names.includes(name)) yield* removeFile(join(directory, name))
  }
  const printed = streams.filter((one) => one.observedBytes > 0)
  return printed.length < 2 ? streams : [...streams, yield* makeOutput(directory, caps, printed)]
})
