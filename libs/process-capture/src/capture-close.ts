/**
 * Closes a capture: plans, joins, syncs, digests, and says what there is.
 *
 * Owns: the closed facts of every file and the retained text.
 * Ordering: plan, join, sync, segments removed, digest over the final file; empty files go.
 * Limits: never fails: a fault of the file system is a warning with what was lost.
 */
import type { CallReason, CaptureFileFacts, CaptureStream } from "@steno/contracts"
import { Effect } from "effect"
import { Buffer } from "node:buffer"
import { join } from "node:path"
import type { GrownFiles } from "./bounded-file.ts"
import type { CaptureCaps } from "./capture-caps.ts"
import type { Captured, CapturedFile } from "./capture-files.ts"
import { joinFile, readTail, removeSegments } from "./capture-join.ts"
import { captureStreams, planName } from "./capture-names.ts"
import {
  type AddedNewlines,
  type FilePlan,
  gapOffsetOf,
  joinedBytes,
  planOutputGap,
  type PlanInput,
  planStreamGap,
  planWhole,
  tailStart
} from "./capture-plan.ts"
import { encodePlans } from "./plan-record.ts"
import { closeFile, readAt, removeFile, replaceFile, syncFolder } from "./file-io.ts"
import { scanBytes } from "./file-scan.ts"
import { type OutputEnd, retainedText, retainedWindowBytes } from "./retained-output.ts"
import { type StorageFault, warningOf } from "./storage-fault.ts"

/** One file before it is closed. */
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

interface ClosedFile {
  readonly stream: CaptureStream
  readonly facts: CaptureFileFacts
  readonly file: CapturedFile | undefined
  readonly end: OutputEnd
  readonly warning: CallReason | undefined
}

const noFacts: CaptureFileFacts = { observedBytes: 0, storedBytes: 0, droppedBytes: 0, observedLines: 0, storedLines: 0 }

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

const planOf = Effect.fnUntraced(function*(
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

const unstored = (grown: GrownFile, fault: StorageFault | undefined): ClosedFile => ({
  stream: grown.stream,
  facts: {
    ...noFacts,
    observedBytes: grown.observedBytes,
    observedLines: grown.observedLines,
    droppedBytes: grown.observedBytes,
    ...(grown.observedBytes > 0 ? { gapOffset: 0, gapLine: 0 } : {})
  },
  file: undefined,
  end: { bytes: grown.lost?.bytes ?? new Uint8Array(), cut: grown.observedBytes > (grown.lost?.bytes.length ?? 0) },
  warning: fault === undefined ? undefined : warningOf(fault, grown.observedBytes)
})

const endOf = (grown: GrownFile, plan: FilePlan, stored: Uint8Array, sizeBytes: number): OutputEnd => {
  const cut = stored.length < sizeBytes || plan.tailFrom > plan.headKept
  const { lost } = grown
  if (lost === undefined || lost.total === 0) return { bytes: stored, cut }
  if (lost.total > lost.bytes.length) return { bytes: lost.bytes, cut: true }
  return { bytes: Buffer.concat([stored, lost.bytes]), cut }
}

const closeFileOf = Effect.fnUntraced(function*(
  directory: string,
  grown: GrownFile,
  files: GrownFiles,
  plan: FilePlan,
  caps: CaptureCaps
): Effect.fn.Return<ClosedFile> {
  const path = join(directory, grown.name)
  if (files.written === 0) {
    yield* closeFile(files.head)
    yield* Effect.ignore(removeFile(path))
    return unstored(grown, grown.fault)
  }
  const joined = yield* joinFile(grown.earlier?.isJoined === true ? undefined : caps, files, path, plan)
  yield* removeSegments(files)
  const fault = grown.fault ?? joined.fault
  const droppedBytes = plan.droppedBytes + Math.max(0, joinedBytes(plan) - joined.sizeBytes)
  const gap = gapOffsetOf({ ...plan, droppedBytes })
  const scanned = yield* Effect.result(
    scanBytes((block, position) => readAt(files.head, path, block, block.length, position), {
      sizeBytes: joined.sizeBytes,
      gapOffset: gap === undefined ? undefined : Math.min(gap, joined.sizeBytes),
      endBytes: retainedWindowBytes
    })
  )
  yield* closeFile(files.head)
  if (scanned._tag === "Failure") return unstored(grown, scanned.failure)
  const scan = scanned.success
  const facts: CaptureFileFacts = {
    observedBytes: plan.observedBytes,
    storedBytes: scan.sizeBytes,
    droppedBytes,
    observedLines: plan.observedLines,
    storedLines: scan.lines,
    ...(gap === undefined ? {} : { gapOffset: Math.min(gap, scan.sizeBytes), gapLine: scan.gapLine ?? 0 })
  }
  return {
    stream: grown.stream,
    facts,
    file: { stream: grown.stream, name: grown.name, digest: scan.digest, sizeBytes: scan.sizeBytes, facts },
    end: endOf(grown, plan, scan.end, scan.sizeBytes),
    warning: fault === undefined ? undefined : warningOf(fault, droppedBytes)
  }
})

/** Output is the file of its own, else the only stream that printed. */
const combined = (closed: ReadonlyMap<CaptureStream, ClosedFile>): ClosedFile | undefined =>
  closed.get("output") ??
    [closed.get("stdout"), closed.get("stderr")].find((one) => one !== undefined && one.facts.observedBytes > 0)

/** Empty files are gone before the folder is synced. */
const emptyFirst = (one: GrownFile, other: GrownFile): number =>
  Math.min(1, one.files?.written ?? 0) - Math.min(1, other.files?.written ?? 0)

/** Closes the descriptors of all files. Idempotent over a crash: what was planned is done again. */
export const closeCapture = Effect.fnUntraced(function*(
  directory: string,
  grown: ReadonlyArray<GrownFile>,
  caps: CaptureCaps,
  incomplete: boolean
): Effect.fn.Return<Captured> {
  const plans = new Map<CaptureStream, FilePlan>()
  const closed = new Map<CaptureStream, ClosedFile>()
  for (const one of grown) {
    const plan = yield* Effect.result(planOf(directory, one, caps))
    if (plan._tag === "Success") plans.set(one.stream, plan.success)
    else closed.set(one.stream, unstored(one, one.fault ?? plan.failure))
  }
  const planPath = join(directory, planName)
  const isJoin = grown.some((one) => (one.files?.segments.length ?? 0) > 0)
  const drops = [...plans.values()].some((plan) => plan.droppedBytes > 0)
  if (isJoin || drops) yield* Effect.ignore(replaceFile(planPath, encodePlans(plans)))
  const finish = (one: GrownFile) => {
    const plan = plans.get(one.stream)
    if (plan === undefined) return Effect.void
    const { files } = one
    return (files === undefined
      ? Effect.succeed(unstored(one, one.fault))
      : closeFileOf(directory, one, files, plan, caps)).pipe(
        Effect.map((file) => {
          closed.set(one.stream, file)
        })
      )
  }
  const keepsFiles = grown.some((one) => (one.files?.written ?? 0) > 0)
  const nameFiles = keepsFiles ? Effect.ignore(syncFolder(directory)) : Effect.void
  const closing = grown.toSorted(emptyFirst).map(finish)
  yield* Effect.all(isJoin ? closing : [...closing, nameFiles], { concurrency: "unbounded", discard: true })
  if (!drops && (isJoin || incomplete)) yield* Effect.ignore(removeFile(planPath))
  if (isJoin) yield* nameFiles
  const output = combined(closed)
  const retained = output === undefined ? { text: "" } : retainedText(output.end)
  const warnings = new Map<string, CallReason>()
  const inOrder = captureStreams.flatMap((stream) => closed.get(stream) ?? [])
  for (const { warning } of inOrder) if (warning !== undefined) warnings.set(warning.code, warning)
  return {
    facts: {
      stdout: closed.get("stdout")?.facts ?? noFacts,
      stderr: closed.get("stderr")?.facts ?? noFacts,
      output: output?.facts ?? noFacts
    },
    files: inOrder.flatMap((one) => one.file === undefined ? [] : [one.file]),
    outputFile: output?.file?.name,
    retained: incomplete ? { ...retained, incomplete: true } : retained,
    warnings: [...warnings.values()]
  }
})
