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
import {
  type Account,
  droppedBytes,
  type InMemory,
  placedAsPlanned,
  placedInPart,
  type UnstoredEnd,
  unstoredEnd
} from "./capture-account.ts"
import type { CaptureCaps } from "./capture-caps.ts"
import type { Captured, CapturedFile } from "./capture-files.ts"
import { joinFile, removeSegments } from "./capture-join.ts"
import { captureStreams, planName } from "./capture-names.ts"
import { type FilePlan, gapOffsetOf, joinedBytes } from "./capture-plan.ts"
import { encodePlans } from "./plan-record.ts"
import { closeFile, readAt, removeFile, replaceFile, syncFolder } from "./file-io.ts"
import { scanBytes } from "./file-scan.ts"
import { type GrownFile, planOf } from "./grown-file.ts"
import { type OutputEnd, retainedText, retainedWindowBytes } from "./retained-output.ts"
import { type StorageFault, warningOf } from "./storage-fault.ts"

interface ClosedFile {
  readonly stream: CaptureStream
  readonly facts: CaptureFileFacts
  readonly file: CapturedFile | undefined
  readonly end: OutputEnd
  readonly unstored: UnstoredEnd | undefined
  readonly warning: CallReason | undefined
}

const noFacts: CaptureFileFacts = { observedBytes: 0, storedBytes: 0, droppedBytes: 0, observedLines: 0, storedLines: 0 }

const nothing = new Uint8Array()

const accountOf = ({ added, observedBytes }: GrownFile, { headBytes }: CaptureCaps): Account => ({ observedBytes, headBytes, added })

const memoryOf = ({ files, lost }: GrownFile, unjoined: Uint8Array): InMemory => ({
  written: files?.written ?? 0,
  unjoined,
  lost: lost ?? { total: 0, bytes: nothing }
})

/** The last bytes of an output: of its file, of memory, or of both where nothing is missing between. */
const endOf = (stored: OutputEnd, unstored: UnstoredEnd | undefined): OutputEnd => {
  if (unstored === undefined) return stored
  return unstored.lostBytes > 0
    ? { bytes: unstored.bytes, cut: true }
    : { bytes: Buffer.concat([stored.bytes, unstored.bytes]), cut: stored.cut }
}

/** There is no file. `unjoined`: what a failed join still read. */
const withoutFile = (grown: GrownFile, caps: CaptureCaps, fault: StorageFault | undefined, unjoined: Uint8Array = nothing): ClosedFile => {
  const unstored = unstoredEnd(accountOf(grown, caps), { headTo: 0, tailFrom: 0, tailTo: 0 }, memoryOf(grown, unjoined))
  return {
    stream: grown.stream,
    facts: {
      ...noFacts,
      observedBytes: grown.observedBytes,
      observedLines: grown.observedLines,
      droppedBytes: grown.observedBytes,
      ...(grown.observedBytes > 0 ? { gapOffset: 0, gapLine: 0 } : {})
    },
    file: undefined,
    end: endOf({ bytes: nothing, cut: grown.observedBytes > 0 && unstored === undefined }, unstored),
    unstored,
    warning: fault === undefined ? undefined : warningOf(fault, grown.observedBytes)
  }
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
    return withoutFile(grown, caps, grown.fault)
  }
  const joined = yield* joinFile(grown.earlier?.isJoined === true ? undefined : caps, files, path, plan)
  yield* removeSegments(files)
  const fault = grown.fault ?? joined.fault
  const isShort = joined.failed !== undefined || joined.sizeBytes < joinedBytes(plan)
  const placed = isShort ? placedInPart(plan, joined.sizeBytes, joined.failed?.isCut ?? true) : placedAsPlanned(plan)
  const dropped = isShort ? droppedBytes(accountOf(grown, caps), placed) : plan.droppedBytes
  const hasGapInside = placed.tailFrom > placed.headTo && placed.tailTo > placed.tailFrom
  const gap = dropped === 0 ? undefined : isShort && !hasGapInside ? joined.sizeBytes : gapOffsetOf({ ...plan, droppedBytes: dropped })
  const scanned = yield* Effect.result(
    scanBytes((block, position) => readAt(files.head, path, block, block.length, position), {
      sizeBytes: joined.sizeBytes,
      gapOffset: gap === undefined ? undefined : Math.min(gap, joined.sizeBytes),
      endBytes: retainedWindowBytes
    })
  )
  yield* closeFile(files.head)
  const left = joined.failed?.end ?? nothing
  if (scanned._tag === "Failure") return withoutFile(grown, caps, scanned.failure, left)
  const scan = scanned.success
  const facts: CaptureFileFacts = {
    observedBytes: plan.observedBytes,
    storedBytes: scan.sizeBytes,
    droppedBytes: dropped,
    observedLines: plan.observedLines,
    storedLines: scan.lines,
    ...(gap === undefined ? {} : { gapOffset: Math.min(gap, scan.sizeBytes), gapLine: scan.gapLine ?? 0 })
  }
  const unstored = unstoredEnd(accountOf(grown, caps), placed, memoryOf(grown, left))
  return {
    stream: grown.stream,
    facts,
    file: { stream: grown.stream, name: grown.name, digest: scan.digest, sizeBytes: scan.sizeBytes, facts },
    end: endOf({ bytes: scan.end, cut: scan.end.length < scan.sizeBytes || hasGapInside || isShort && unstored === undefined }, unstored),
    unstored,
    warning: fault === undefined ? undefined : warningOf(fault, dropped)
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
    else closed.set(one.stream, withoutFile(one, caps, one.fault ?? plan.failure))
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
      ? Effect.succeed(withoutFile(one, caps, one.fault))
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
    ...(output?.unstored === undefined ? {} : { unstored: output.unstored }),
    retained: incomplete ? { ...retained, incomplete: true } : retained,
    warnings: [...warnings.values()]
  }
})
