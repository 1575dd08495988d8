/**
 * Decides which bytes of a file that grew past its cap stay, and what stands at the gap.
 *
 * Owns: borders, the marker line, the numbers of what is dropped. Pure.
 * Limits: stdout.txt and stderr.txt are cut at a byte and get no marker; output.txt is cut at a line end within
 * `borderBytes`, else between characters, and its marker is inside the cap.
 */
import type { CaptureCaps } from "./capture-caps.ts"

/** How head and tail of one file become one; positions count every byte the file ever took. */
export interface FilePlan {
  /** Bytes that came for this file; newlines added between streams do not count. */
  readonly observedBytes: number
  readonly observedLines: number
  readonly droppedBytes: number
  /** The file begins with bytes 0 … headKept. */
  readonly headKept: number
  /** Then this text, empty without a gap. */
  readonly inserted: string
  /** Then bytes tailFrom … tailTo; both equal headKept when nothing lies behind the head. */
  readonly tailFrom: number
  readonly tailTo: number
}

/** Newlines put between the streams' partial lines. */
export interface AddedNewlines {
  /** Positions in the file, ascending: all of its head and of its last two segments. */
  readonly positions: ReadonlyArray<number>
  /** How many more lie between. */
  readonly forgotten: number
}

export const noneAdded: AddedNewlines = { positions: [], forgotten: 0 }

export interface PlanInput {
  readonly caps: CaptureCaps
  /** Bytes that reached the disk, also those rotated away. */
  readonly written: number
  readonly observedBytes: number
  readonly observedLines: number
  /** Bytes that never reached the disk, and are counted as dropped. */
  readonly unwritten: number
  /** Oldest byte of the tail that is still on disk. */
  readonly oldestTailByte: number
  readonly added: AddedNewlines
}

const lineFeed = 0x0a
const isContinuation = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80

/** Where to end a block so that it ends with a line, else between characters. */
export const borderBefore = (block: Uint8Array): number => {
  const line = block.lastIndexOf(lineFeed)
  if (line >= 0) return line + 1
  for (let back = 1; back <= Math.min(4, block.length); back++) {
    const byte = block[block.length - back] as number
    if (isContinuation(byte)) continue
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1
    return length > back ? block.length - back : block.length
  }
  return block.length
}

/** Where to begin in a block so that it begins a line, else a character. */
export const borderAfter = (block: Uint8Array): number => {
  const line = block.indexOf(lineFeed)
  if (line >= 0) return line + 1
  let start = 0
  while (start < 3 && isContinuation(block[start])) start++
  return start
}

/** Widest marker, so that its room can be set aside before its number is known. */
const markerRoom = 64

export const gapMarker = (droppedBytes: number): string => `[steno: ${droppedBytes} bytes dropped here]\n`

/** `undefined`: everything is kept. Otherwise the first byte of the tail before any border is sought. */
export const tailStart = (input: PlanInput, hasMarker: boolean): number | undefined => {
  const { caps, written, added } = input
  if (written - added.positions.length - added.forgotten <= caps.headBytes + caps.tailBytes && input.oldestTailByte <= caps.headBytes) return undefined
  const room = Math.max(0, caps.tailBytes - (hasMarker ? markerRoom : 0))
  return Math.max(written - room, input.oldestTailByte, caps.headBytes)
}

export const planWhole = (input: PlanInput): FilePlan => {
  const headKept = Math.min(input.written, input.caps.headBytes)
  return {
    observedBytes: input.observedBytes,
    observedLines: input.observedLines,
    droppedBytes: input.unwritten,
    headKept,
    inserted: "",
    tailFrom: headKept,
    tailTo: input.written
  }
}

export const planStreamGap = (input: PlanInput, tailFrom: number): FilePlan => ({
  observedBytes: input.observedBytes,
  observedLines: input.observedLines,
  droppedBytes: tailFrom - input.caps.headBytes + input.unwritten,
  headKept: input.caps.headBytes,
  inserted: "",
  tailFrom,
  tailTo: input.written
})

/** `headEnd`: the last bytes of the head; `tailBegin`: the first of the tail, from `tailFrom` on. */
export const planOutputGap = (
  input: PlanInput,
  tailFrom: number,
  headEnd: Uint8Array,
  tailBegin: Uint8Array
): FilePlan => {
  const headKept = input.caps.headBytes - headEnd.length + borderBefore(headEnd)
  const from = Math.min(input.written, tailFrom + borderAfter(tailBegin))
  const addedInGap = input.added.forgotten +
    input.added.positions.filter((position) => position >= headKept && position < from).length
  const droppedBytes = from - headKept - addedInGap + input.unwritten
  const lastKept = headEnd[borderBefore(headEnd) - 1]
  const endsLine = headKept === 0 || lastKept === lineFeed
  return {
    observedBytes: input.observedBytes,
    observedLines: input.observedLines,
    droppedBytes,
    headKept,
    inserted: `${endsLine ? "" : "\n"}${gapMarker(droppedBytes)}`,
    tailFrom: from,
    tailTo: input.written
  }
}

/** Size of the file once joined. */
export const joinedBytes = (plan: FilePlan): number =>
  plan.headKept + plan.inserted.length + (plan.tailTo - plan.tailFrom)

/** Whether a file of this size is what the plan was to make. */
export const isJoined = (plan: FilePlan, sizeBytes: number): boolean => joinedBytes(plan) === sizeBytes

/** Where bytes are missing in the joined file. */
export const gapOffsetOf = (plan: FilePlan): number | undefined => {
  if (plan.droppedBytes === 0) return undefined
  if (plan.inserted !== "") return plan.headKept + (plan.inserted.startsWith("\n") ? 1 : 0)
  return plan.tailFrom > plan.headKept ? plan.headKept : joinedBytes(plan)
}
