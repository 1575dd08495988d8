/**
 * Makes one file out of a head and its tail segments, as planned.
 *
 * Ordering: the plan is on disk before the head is touched, segments go only after the joined file is; so a join that was
 * cut off is done again by recovery and gives the same file.
 * Limits: a fault that passes is met by a second try; one block in memory; on a full disk the tail (at most `tailBytes`), so that
 * its segments can make room. Where the join fails all the same, the last 64 KiB of the tail come back in memory.
 */
import { Effect } from "effect"
import { Buffer } from "node:buffer"
import type { GrownFiles } from "./bounded-file.ts"
import type { CaptureCaps } from "./capture-caps.ts"
import type { FilePlan } from "./capture-plan.ts"
import { memoryTailBytes } from "./memory-tail.ts"
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
  plan: FilePlan,
  onCut: () => void
): Effect.fn.Return<void, StorageFault> {
  yield* truncateFile(files.head, path, plan.headKept)
  onCut()
  yield* writeAt(files.head, path, Buffer.from(plan.inserted), plan.headKept)
  yield* copyTail(files, path, caps, plan)
})

const isFull = ({ code }: StorageFault): boolean => code === "ENOSPC" || code === "EDQUOT"

/** As much of the tail from a position on as can still be read. */
const tailInMemory = Effect.fnUntraced(function*(
  files: GrownFiles,
  caps: CaptureCaps,
  plan: FilePlan,
  from: number
): Effect.fn.Return<Uint8Array, StorageFault> {
  const tail = Buffer.allocUnsafe(Math.max(0, plan.tailTo - from))
  let read = 0
  while (read < tail.length) {
    const count = yield* readTail(files, caps, tail.subarray(read), from + read)
    if (count === 0) break
    read += count
  }
  return tail.subarray(0, read)
})

const endOf = (tail: Uint8Array): Uint8Array => tail.subarray(Math.max(0, tail.length - memoryTailBytes))

/** What is left of a tail that did not get into its file. */
interface Unjoined {
  readonly fault: StorageFault
  readonly end: Uint8Array
}

/** The segments give their room to the joined file. */
const joinThroughMemory = Effect.fnUntraced(function*(
  files: GrownFiles,
  path: string,
  caps: CaptureCaps,
  plan: FilePlan
): Effect.fn.Return<Unjoined | undefined, StorageFault> {
  const tail = yield* tailInMemory(files, caps, plan, plan.tailFrom)
  yield* removeSegments(files)
  return yield* Effect.match(writeAt(files.head, path, Buffer.concat([Buffer.from(plan.inserted), tail]), plan.headKept), {
    onFailure: (fault) => ({ fault, end: endOf(tail) }),
    onSuccess: () => undefined
  })
})

const unjoined = (files: GrownFiles, caps: CaptureCaps, plan: FilePlan, fault: StorageFault): Effect.Effect<Unjoined> =>
  tailInMemory(files, caps, plan, Math.max(plan.tailFrom, plan.tailTo - memoryTailBytes)).pipe(
    Effect.orElseSucceed(() => new Uint8Array()),
    Effect.map((end) => ({ fault, end }))
  )

export interface JoinedFile {
  readonly sizeBytes: number
  readonly fault: StorageFault | undefined
  /** Present when the join failed: the file begins as planned, or (not cut) as its head did. */
  readonly failed: { readonly isCut: boolean; readonly end: Uint8Array } | undefined
}

/** Joins (without caps: it is joined already) and syncs. */
export const joinFile = Effect.fnUntraced(function*(
  caps: CaptureCaps | undefined,
  files: GrownFiles,
  path: string,
  plan: FilePlan
): Effect.fn.Return<JoinedFile> {
  let isCut = false
  let left: Unjoined | undefined
  if (caps !== undefined && (files.segments.length > 0 || plan.inserted !== "")) {
    const onCut = () => {
      isCut = true
    }
    left = yield* Effect.as(joinBesideSegments(files, path, caps, plan, onCut), undefined).pipe(
      Effect.retry({ times: 1, while: (cause) => !isFull(cause) }),
      Effect.catch((cause) => isFull(cause) ? joinThroughMemory(files, path, caps, plan) : Effect.fail(cause)),
      Effect.catch((cause) => unjoined(files, caps, plan, cause))
    )
    if (left !== undefined && isCut && plan.tailFrom > plan.headKept) {
      yield* Effect.ignore(truncateFile(files.head, path, plan.headKept))
    }
  }
  const synced = yield* Effect.result(syncFile(files.head, path))
  const size = yield* statFile(files.head, path).pipe(Effect.orElseSucceed(() => ({ size: 0 })))
  return {
    sizeBytes: size.size,
    fault: left?.fault ?? (synced._tag === "Failure" ? synced.failure : undefined),
    failed: left === undefined ? undefined : { isCut, end: left.end }
  }
})
