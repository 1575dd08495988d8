import { describe, expect, it } from "vitest"
import { borderAfter, borderBefore, gapMarker, gapOffsetOf, joinedBytes, noneAdded, planOutputGap, type PlanInput } from "./capture-plan.ts"

const bytes = (text: string) => Buffer.from(text)
const caps = {
  headBytes: 10,
  tailBytes: 100,
  borderBytes: 5,
  partialLineMs: 200,
  partialLineBytes: 8,
  waitingBytes: 100,
  writeBytes: 10
}
const input: PlanInput = {
  caps,
  written: 1_000,
  observedBytes: 1_000,
  observedLines: 50,
  unwritten: 0,
  oldestTailByte: 810,
  added: noneAdded
}

describe("borders", () => {
  it.each([
    ["ab\ncd", 3],
    ["abcde", 5],
    ["abc\xc3\xa9".slice(0, 3), 3]
  ])("the head of %j ends after byte %d", (text, end) => {
    expect(borderBefore(bytes(text))).toBe(end)
  })

  it("no border splits a character", () => {
    for (const character of ["é", "語", "😀"]) {
      const whole = bytes(`aaa${character}`)
      for (let cut = 4; cut <= whole.length; cut++) {
        expect(borderBefore(whole.subarray(0, cut))).toBe(cut === whole.length ? cut : 3)
      }
      for (let cut = 4; cut < whole.length; cut++) expect(borderAfter(whole.subarray(cut))).toBe(whole.length - cut)
    }
    expect(borderAfter(bytes("tail\nnext"))).toBe(5)
  })
})

describe("the gap of output.txt", () => {
  it("is one marker line with the dropped bytes, between whole lines, inside the cap", () => {
    const plan = planOutputGap(input, 964, bytes("b\nccc"), bytes("dd\nee"))
    expect(plan).toMatchObject({ headKept: 7, tailFrom: 967, tailTo: 1_000, droppedBytes: 960, inserted: gapMarker(960) })
    expect(joinedBytes(plan)).toBeLessThanOrEqual(caps.headBytes + caps.tailBytes)
    expect(gapOffsetOf(plan)).toBe(7)
  })

  it("begins a line of its own where the head has no line end", () => {
    const plan = planOutputGap(input, 964, bytes("ccccc"), bytes("ddddd"))
    expect(plan.inserted).toBe(`\n${gapMarker(954)}`)
    expect(gapOffsetOf(plan)).toBe(11)
  })

  it("does not count added newlines as dropped", () => {
    const added = { positions: [3, 500, 990], forgotten: 4 }
    expect(planOutputGap({ ...input, added }, 964, bytes("b\nccc"), bytes("dd\nee")).droppedBytes).toBe(955)
  })
})
