/**
 * Where the bytes of a closed file ended up: in the file, in memory, nowhere. Pure.
 *
 * Owns: the exact count of what a file lacks, also when its join failed; what lies between its end and what memory has.
 * Limits: positions count every byte the file ever took, added newlines included; the counts are of the streams' own bytes.
 */
import type { AddedNewlines, FilePlan } from "./capture-plan.ts"

/** The file holds the bytes before `headTo`, and those from `tailFrom` to `tailTo` behind a gap, if any. */
export interface Placed {
  readonly headTo: number
  readonly tailFrom: number
  readonly tailTo: number
}

export const placedAsPlanned = ({ headKept, tailFrom, tailTo }: FilePlan): Placed => ({ headTo: headKept, tailFrom, tailTo })

/** After a join that failed: what the size of the file tells. `isCut`: its head had been cut to what the plan keeps. */
export const placedInPart = (plan: FilePlan, sizeBytes: number, isCut: boolean): Placed => {
  const tail = sizeBytes - plan.headKept - plan.inserted.length
  return isCut && tail > 0
    ? { headTo: plan.headKept, tailFrom: plan.tailFrom, tailTo: plan.tailFrom + tail }
    : { headTo: isCut ? Math.min(sizeBytes, plan.headKept) : sizeBytes, tailFrom: sizeBytes, tailTo: sizeBytes }
}

export interface Account {
  readonly observedBytes: number
  readonly headBytes: number
  readonly added: AddedNewlines
}

/** Bytes of the streams between two positions. Forgotten newlines lie behind the head and before what is still at hand. */
const streamBytes = ({ added, headBytes }: Account, from: number, to: number): number => {
  const forgotten = from <= headBytes && to > headBytes ? added.forgotten : 0
  return Math.max(0, to - from - forgotten - added.positions.filter((position) => position >= from && position < to).length)
}

/** Bytes that came and are not in the file. */
export const droppedBytes = (account: Account, { headTo, tailFrom, tailTo }: Placed): number =>
  account.observedBytes - streamBytes({ ...account, added: { ...account.added, forgotten: 0 } }, 0, headTo) -
  streamBytes(account, tailFrom, tailTo)

/** The end of an output that is in no file. */
export interface UnstoredEnd {
  /** Its last bytes. */
  readonly bytes: Uint8Array
  /** How many lie between the end of the file and these, and are nowhere. */
  readonly lostBytes: number
}

export interface InMemory {
  /** Bytes that were written, also those rotated away. */
  readonly written: number
  /** What a failed join could still read of the last written ones. */
  readonly unjoined: Uint8Array
  /** What came after a fault: how many bytes, and the last of them. */
  readonly lost: { readonly total: number; readonly bytes: Uint8Array }
}

/** Absent when the file has everything that memory has. */
export const unstoredEnd = (account: Account, placed: Placed, memory: InMemory): UnstoredEnd | undefined => {
  const { lost, unjoined, written } = memory
  const isWhole = lost.total === lost.bytes.length
  const bytes = isWhole ? Buffer.concat([unjoined, lost.bytes]) : lost.bytes
  const last = lost.total === 0 ? written : account.observedBytes + account.added.positions.length + account.added.forgotten
  const from = last - bytes.length
  const stored = Math.max(placed.headTo, placed.tailTo)
  const rest = bytes.subarray(Math.max(0, stored - from))
  return rest.length === 0 ? undefined : { bytes: rest, lostBytes: streamBytes(account, stored, from) }
}
