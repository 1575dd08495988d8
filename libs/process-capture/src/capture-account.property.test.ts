import { expect, it } from "@effect/vitest"
import fc from "fast-check"
import { droppedBytes, placedAsPlanned, placedInPart, unstoredEnd } from "./capture-account.ts"
import type { FilePlan } from "./capture-plan.ts"

/** A file of `written` and `lost` bytes; some are newlines added by us. `memory` of the lost ones were kept. */
const sizes = fc.record({
  written: fc.integer({ min: 1, max: 400 }),
  lost: fc.integer({ min: 0, max: 100 }),
  memory: fc.integer({ min: 0, max: 40 }),
  unjoined: fc.integer({ min: 0, max: 40 }),
  added: fc.uniqueArray(fc.integer({ min: 0, max: 499 }), { maxLength: 30 }),
  headKept: fc.integer({ min: 0, max: 100 }),
  tail: fc.integer({ min: 0, max: 60 }),
  marker: fc.integer({ min: 0, max: 10 }),
  fileSize: fc.integer({ min: 0, max: 170 }),
  isCut: fc.boolean(),
  isJoined: fc.boolean()
})

const headBytes = 100

/** Every position the file took: its byte, or undefined for an added newline. */
const model = ({ added, fileSize, headKept, isCut, isJoined, lost, marker, memory, tail, unjoined, written }: typeof sizes extends fc.Arbitrary<infer A> ? A : never) => {
  const total = written + lost
  const positions = added.filter((position) => position < total).toSorted((left, right) => left - right)
  const isAdded = (position: number) => positions.includes(position)
  const isOwn = (position: number) => !isAdded(position)
  const head = Math.min(headKept, written)
  const from = Math.max(head, written - tail)
  const plan: FilePlan = {
    observedBytes: 0,
    observedLines: 0,
    droppedBytes: 0,
    headKept: head,
    inserted: "m".repeat(from > head ? marker : 0),
    tailFrom: from,
    tailTo: written
  }
  const size = isCut
    ? Math.min(fileSize, head + plan.inserted.length + (written - from))
    : Math.min(fileSize, headBytes, written)
  const placed = isJoined ? placedAsPlanned(plan) : placedInPart(plan, size, isCut)
  const inFile = Array.from({ length: total }, (_, position) => position)
    .filter((position) => position < placed.headTo || position >= placed.tailFrom && position < placed.tailTo)
  const kept = Math.min(memory, lost)
  const left = Math.min(isJoined ? 0 : unjoined, written - from)
  return { total, positions, isOwn, inFile, placed, size, plan, kept, left, written, lost, isJoined, isCut }
}

it("what a file lacks is what came less what is in it, however far its join got", () => {
  fc.assert(fc.property(sizes, (given) => {
    const { inFile, isCut, isJoined, isOwn, placed, plan, positions, size, total } = model(given)
    const observedBytes = total - positions.length
    const account = { observedBytes, headBytes, added: { positions, forgotten: 0 } }
    expect(droppedBytes(account, placed)).toBe(observedBytes - inFile.filter(isOwn).length)
    const marker = inFile.length > placed.headTo || isCut && size > plan.headKept ? Math.min(plan.inserted.length, size - placed.headTo) : 0
    if (!isJoined) expect(inFile.length + marker).toBe(size)
  }))
})

it("the end in memory begins behind the file, and the count between them is exact", () => {
  fc.assert(fc.property(sizes, (given) => {
    const { isOwn, kept, left, lost, placed, positions, total, written } = model(given)
    const account = { observedBytes: total - positions.length, headBytes, added: { positions, forgotten: 0 } }
    const byteAt = (position: number) => position % 251
    const bytes = (from: number, to: number) => Uint8Array.from({ length: to - from }, (_, at) => byteAt(from + at))
    const end = unstoredEnd(account, placed, {
      written,
      unjoined: bytes(written - left, written),
      lost: { total: lost, bytes: bytes(total - kept, total) }
    })
    const stored = Math.max(placed.headTo, placed.tailTo)
    const from = Math.max(stored, lost === kept ? total - kept - left : total - kept)
    if (from >= total) {
      expect(end).toBeUndefined()
      return
    }
    expect(Buffer.from(end?.bytes ?? []).equals(Buffer.from(bytes(from, total)))).toBe(true)
    const between = Array.from({ length: from - stored }, (_, at) => stored + at)
    expect(end?.lostBytes).toBe(between.filter(isOwn).length)
  }))
})
