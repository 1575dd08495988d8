/**
 * Makes one file out of a head and its tail segments, as planned.
 *
 * Ordering: the plan is on disk before the head is touched, segments go only after the joined file is; so a join that was
 * cut off is done again by recovery and gives the same file.
 * Limits: a fault that passes is met by a second try; one block in memory; on a full disk the tail (at most `tailBytes`), so that its segments can make room.
 */
import { Effect } from "effect"
import { Buffer } from "node:buffer"
import type { GrownFiles } from "./bounded-file.ts"
import type { CaptureCaps } from "./capture-caps.ts"
import type { FilePlan } from "./capture-plan.ts"
import { closeFile, readAt, removeFile, statFile, syncFile, truncateFile, writeAt } from "./file-io.ts"
import type { StorageFault } from "./storage-fault.ts"

const blockBytes = 512 * 1024

/** Reads bytes of the tail, counted over every byte the file ever took; fewer where they are gone. */
export const readTail = Effect.fnUntraced(function*(
  files: GrownFiles,
  caps: CaptureCaps,
  block: Uint8Array,
  from: number
): Effect.fn.Return<number, StorageFault> {
  const ordinal = Math.floor((from - caps.headBytes) / caps.tailBytes)
  const segment = files.segments.find((one) => one.ordinal === ordinal)
  if (segment === undefined) return 0
  const inSegment = from - caps.headBytes - ordinal * caps.tailBytes
  return yield* readAt(segment.fd, segment.path, block, Math.min(block.length, caps.tailBytes - inSegment), inSegment)
})

export const removeSegments = Effect.fnUntraced(function*(files: GrownFiles): Effect.fn.Return<void> {
  for (const segment of files.segments) {
    yield* closeFile(segment.fd)
    yield* Effect.ignore(removeFile(segment.path))
  }
})

const copyTail = Effect.fnUntraced(function*(
  files: GrownFiles,
  path: string,
  caps: CaptureCaps,
  plan: FilePlan
): Effect.fn.Return<void, StorageFault> {
  const block = Buffer.allocUnsafe(Math.min(blockBytes, Math.max(1, plan.tailTo - plan.tailFrom)))
  const shift = plan.headKept + plan.inserted.length - plan.tailFrom
  let at = plan.tailFrom
  while (at < plan.tailTo) {
    const count = yield* readTail(files, caps, block.subarray(0, Math.min(block.length, plan.tailTo - at)), at)
    if (count === 0) return
    yield* writeAt(files.head, path, block.subarray(0, count), at + shift)
    at += count
  }
})

const joinBesideSegments = Effect.fnUntraced(function*(
  files: GrownFiles,
  path: string,
  caps: CaptureCaps,
  plan: FilePlan
): Effect.fn.Return<void, StorageFault> {
  yield* truncateFile(files.head, path, plan.headKept)
  yield* writeAt(files.head, path, Buffer.from(plan.inserted), plan.headKept)
  yield* copyTail(files, path, caps, plan)
})

const isFull = ({ code }: StorageFault): boolean => code === "ENOSPC" || code === "EDQUOT"

/** The segments give their room to the joined file. */
const joinThroughMemory = Effect.fnUntraced(function*(
  files: GrownFiles,
  path: string,
  caps: CaptureCaps,
  plan: FilePlan
): Effect.fn.Return<void, StorageFault> {
  const tail = Buffer.allocUnsafe(plan.tailTo - plan.tailFrom)
  let read = 0
  while (read < tail.length) {
    const count = yield* readTail(files, caps, tail.subarray(read), plan.tailFrom + read)
    if (count === 0) break
    read += count
  }
  yield* removeSegments(files)
  yield* writeAt(files.head, path, Buffer.concat([Buffer.from(plan.inserted), tail.subarray(0, read)]), plan.headKept)
})

/** Joins (without caps: it is joined already) and syncs. The fault, if one came, left a file that begins as planned. */
export const joinFile = Effect.fnUntraced(function*(
  caps: CaptureCaps | undefined,
  files: GrownFiles,
  path: string,
  plan: FilePlan
): Effect.fn.Return<{ readonly sizeBytes: number; readonly fault: StorageFault | undefined }> {
  let fault: StorageFault | undefined
  const note = (cause: StorageFault) => Effect.sync(() => {
    fault ??= cause
  })
  if (caps !== undefined && (files.segments.length > 0 || plan.inserted !== "")) {
    yield* joinBesideSegments(files, path, caps, plan).pipe(
      Effect.retry({ times: 1, while: (cause) => !isFull(cause) }),
      Effect.catch((cause) => isFull(cause) ? joinThroughMemory(files, path, caps, plan) : Effect.fail(cause)),
      Effect.catch(note)
    )
  }
  yield* Effect.catch(syncFile(files.head, path), note)
  const size = yield* statFile(files.head, path).pipe(Effect.orElseSucceed(() => ({ size: 0 })))
  return { sizeBytes: size.size, fault }
})
