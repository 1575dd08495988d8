/**
 * One file before it is closed, and the plan of its join.
 *
 * Owns: reading what a plan needs: the borders around the gap.
 */
import type { CaptureStream } from "@steno/contracts"
import { Effect } from "effect"
import { Buffer } from "node:buffer"
import { join } from "node:path"
import type { GrownFiles } from "./bounded-file.ts"
import type { CaptureCaps } from "./capture-caps.ts"
import { readTail } from "./capture-join.ts"
import { type AddedNewlines, type FilePlan, planOutputGap, type PlanInput, planStreamGap, planWhole, tailStart } from "./capture-plan.ts"
import { readAt } from "./file-io.ts"
import type { StorageFault } from "./storage-fault.ts"

export interface GrownFile {
  readonly stream: CaptureStream
  readonly name: string
  /** Absent: it could not be made. */
  readonly files: GrownFiles | undefined
  readonly observedBytes: number
  readonly observedLines: number
  readonly added: AddedNewlines
  readonly fault: StorageFault | undefined
  /** Bytes that came after the fault: how many, and the last of them. */
  readonly lost: { readonly total: number; readonly bytes: Uint8Array } | undefined
  /** What an earlier owner planned, and whether it had joined. */
  readonly earlier?: { readonly plan: FilePlan; readonly isJoined: boolean }
}

const planInput = (grown: GrownFile, caps: CaptureCaps): PlanInput => {
  const written = grown.files?.written ?? 0
  const addedOnDisk = grown.added.forgotten + grown.added.positions.filter((position) => position < written).length
  const oldest = grown.files?.segments[0]
  return {
    caps,
    written,
    observedBytes: grown.observedBytes,
    observedLines: grown.observedLines,
    unwritten: Math.max(0, grown.observedBytes - (written - addedOnDisk)),
    oldestTailByte: caps.headBytes + (oldest === undefined ? 0 : oldest.ordinal * caps.tailBytes),
    added: grown.added
  }
}

export const planOf = Effect.fnUntraced(function*(
  directory: string,
  grown: GrownFile,
  caps: CaptureCaps
): Effect.fn.Return<FilePlan, StorageFault> {
  if (grown.earlier !== undefined) return grown.earlier.plan
  const input = planInput(grown, caps)
  const isOutput = grown.stream === "output"
  const from = tailStart(input, isOutput)
  const { files } = grown
  if (from === undefined || files === undefined) return planWhole(input)
  if (!isOutput) return planStreamGap(input, from)
  const headEnd = Buffer.alloc(Math.min(caps.borderBytes, caps.headBytes))
  yield* readAt(files.head, join(directory, grown.name), headEnd, headEnd.length, caps.headBytes - headEnd.length)
  const block = Buffer.alloc(Math.min(caps.borderBytes, input.written - from))
  let read = 0
  while (read < block.length) {
    const count = yield* readTail(files, caps, block.subarray(read), from + read)
    if (count === 0) break
    read += count
  }
  return planOutputGap(input, from, headEnd, block.subarray(0, read))
})
