/**
 * What a capture holds now, without changing it.
 *
 * For homes that cannot be written and captures that another process still fills. A growing file's head and segments are
 * read as one; bytes already rotated away are the dropped ones.
 */
import type { CaptureFileFacts, CaptureStream } from "@steno/contracts"
import { Effect, type Scope } from "effect"
import type { CaptureCaps } from "./capture-caps.ts"
import type { Captured, CapturedFile } from "./capture-files.ts"
import { captureStreams, fileName } from "./capture-names.ts"
import { type FilePlan, gapOffsetOf, isJoined } from "./capture-plan.ts"
import { type CaptureView, openView, readView, rotatedOut } from "./capture-view.ts"
import { listFolder } from "./file-io.ts"
import { type FileScan, scanBytes } from "./file-scan.ts"
import { readPlans } from "./plan-record.ts"
import { retainedText, retainedWindowBytes } from "./retained-output.ts"
import type { StorageFault } from "./storage-fault.ts"

interface Inspected {
  readonly file: CapturedFile
  readonly scan: FileScan
  readonly isCut: boolean
}

const noFacts: CaptureFileFacts = { observedBytes: 0, storedBytes: 0, droppedBytes: 0, observedLines: 0, storedLines: 0 }

const factsOf = (
  scan: FileScan,
  gap: { readonly offset: number; readonly droppedBytes: number; readonly droppedLines: number } | undefined
): CaptureFileFacts => ({
  observedBytes: scan.sizeBytes + (gap?.droppedBytes ?? 0),
  storedBytes: scan.sizeBytes,
  droppedBytes: gap?.droppedBytes ?? 0,
  observedLines: scan.lines + (gap?.droppedLines ?? 0),
  storedLines: scan.lines,
  ...(gap === undefined ? {} : { gapOffset: gap.offset, gapLine: scan.gapLine ?? 0 })
})

const scanView = (view: CaptureView, gapOffset: number | undefined): Effect.Effect<FileScan, StorageFault> =>
  scanBytes((block, position) => readView(view, block, position), {
    sizeBytes: view.totalBytes,
    gapOffset,
    endBytes: retainedWindowBytes
  })

const inspectFile = Effect.fnUntraced(function*(
  directory: string,
  names: ReadonlyArray<string>,
  stream: CaptureStream,
  caps: CaptureCaps,
  plan: FilePlan | undefined
): Effect.fn.Return<Inspected | undefined, StorageFault, Scope.Scope> {
  const name = fileName(stream)
  if (!names.includes(name)) return undefined
  const view = yield* openView(directory, stream, false, caps)
  if (view === undefined || view.totalBytes === 0) return undefined
  const closedGap = plan === undefined || !isJoined(plan, view.totalBytes) ? undefined : gapOffsetOf(plan)
  if (plan !== undefined && closedGap !== undefined) {
    const scan = yield* scanView(view, closedGap)
    const facts = {
      ...factsOf(scan, { offset: closedGap, droppedBytes: plan.droppedBytes, droppedLines: 0 }),
      observedBytes: plan.observedBytes,
      observedLines: plan.observedLines
    }
    return { scan, isCut: true, file: { stream, name, digest: scan.digest, sizeBytes: scan.sizeBytes, facts } }
  }
  const first = view.parts.find((part) => part.segment !== undefined)?.segment
  const droppedBytes = rotatedOut(view, caps)
  const scan = yield* scanView(view, droppedBytes > 0 ? caps.headBytes : undefined)
  const facts = factsOf(scan, droppedBytes === 0 || first === undefined ? undefined : {
    offset: caps.headBytes,
    droppedBytes,
    droppedLines: Math.max(0, first.lineFeedsBefore - (scan.gapLine ?? 0))
  })
  return { scan, isCut: droppedBytes > 0, file: { stream, name, digest: scan.digest, sizeBytes: scan.sizeBytes, facts } }
}, Effect.scoped)

export const inspectCapture = Effect.fnUntraced(function*(
  directory: string,
  caps: CaptureCaps
): Effect.fn.Return<Captured, StorageFault> {
  const names = yield* listFolder(directory)
  const plans = yield* readPlans(directory, names)
  const found = new Map<CaptureStream, Inspected>()
  for (const stream of captureStreams) {
    const one = yield* inspectFile(directory, names, stream, caps, plans.get(stream))
    if (one !== undefined) found.set(stream, one)
  }
  const output = found.get("output") ?? found.get("stdout") ?? found.get("stderr")
  const retained = output === undefined
    ? { text: "" }
    : retainedText({ bytes: output.scan.end, cut: output.isCut || output.scan.end.length < output.scan.sizeBytes })
  return {
    facts: {
      stdout: found.get("stdout")?.file.facts ?? noFacts,
      stderr: found.get("stderr")?.file.facts ?? noFacts,
      output: output?.file.facts ?? noFacts
    },
    files: [...found.values()].map((one) => one.file),
    outputFile: output?.file.name,
    retained: { ...retained, incomplete: true },
    warnings: []
  }
})
