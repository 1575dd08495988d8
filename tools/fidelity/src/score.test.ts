import { describe, expect, it } from "vitest"
import type { LabelledCase } from "./labelled-case.ts"
import { decoyShare, mustRecall, scoreCase, shouldRecall } from "./score.ts"
import { ShownText, visibleText } from "./shown-text.ts"

const text = [
  "0 errors so far",
  "src/a.ts:3: error: no such name",
  "retry 1 failed",
  "retry 2 failed",
  "2 tests failed",
  "done {\"code\":\"E42\",\"at\":7}"
].join("\n") + "\n"

const labelled: LabelledCase = {
  id: "constructed",
  tool: "maker",
  command: "maker",
  cwd: "/srv/app",
  exitCode: 1,
  signal: null,
  lines: 6,
  bytes: Buffer.byteLength(text),
  zone: "several",
  mustKeep: [
    { text: "src/a.ts:3: error: no such name", line: 2 },
    { text: "2 tests failed", line: 5, alt: ["FAILED 2"] },
    { text: "\"code\":\"E42\"", line: 6, fragment: true },
    { text: "retry 2 failed", line: 4 }
  ],
  shouldKeep: [{ text: "0 errors so far", line: 1 }, { text: "retry 1 failed", line: 3 }],
  decoys: [{ text: "0 errors so far", line: 1 }, { text: "nearly an error", line: 1 }],
  decoyPattern: "^retry \\d",
  output: Buffer.from(text),
  text,
  visible: text
}

describe("the score of a text", () => {
  it("counts the lines kept, by themselves, behind a number, as an alternative or as a fragment", () => {
    const score = scoreCase(labelled, "2: src/a.ts:3: error: no such name\nFAILED 2\n… x\"code\":\"E42\"y …\nretry 1 failed\n")
    expect(score.mustKept).toBe(3)
    expect(mustRecall(score)).toBe(0.75)
    expect(score.missed).toEqual(["retry 2 failed"])
    expect(shouldRecall(score)).toBe(0.5)
    expect(score.missedShould).toEqual(["0 errors so far"])
  })

  it("counts a decoy by its text or by the pattern, unless it holds a line to keep", () => {
    const score = scoreCase(labelled, "nearly an error\nretry 9 failed\nretry 1 failed\n0 errors so far\n\nsomething\n")
    expect([score.decoys, score.shownLines]).toEqual([2, 5])
    expect(decoyShare(score)).toBe(0.4)
  })

  it("counts bytes and lines with blank ones, and a last line without a newline", () => {
    expect(scoreCase(labelled, "é\n\nb")).toMatchObject({ bytes: 5, lines: 3, shownLines: 2 })
    expect(scoreCase(labelled, "é\n\nb\n")).toMatchObject({ bytes: 6, lines: 3 })
  })

  it("of nothing shown is nothing", () => {
    const score = scoreCase(labelled, "")
    expect(score).toMatchObject({ mustKept: 0, shouldKept: 0, decoys: 0, bytes: 0, lines: 0, totals: "none" })
    expect(decoyShare(score)).toBe(0)
  })

  it("has no recall of lines that nothing is labelled as", () => {
    expect(shouldRecall(scoreCase({ ...labelled, shouldKeep: [] }, "x"))).toBeUndefined()
  })
})

describe("a line", () => {
  it("is not held as a part of a longer word, but as a fragment", () => {
    expect(new ShownText("12 tests failed").holds("2 tests failed")).toBe(false)
    expect(new ShownText("2 tests failed2").holds("2 tests failed")).toBe(false)
    expect(new ShownText("12 tests failed").holds("2 tests failed", true)).toBe(true)
    expect(new ShownText("5: 2 tests failed, too").holds("2 tests failed")).toBe(true)
  })

  it("is held at its second place when the first is a part of a word", () => {
    expect(new ShownText("12 fails and 2 fails").holds("2 fails")).toBe(true)
  })

  it("takes a letter outside of the basic plane before it as a part of its word", () => {
    expect(new ShownText("𝒂fails").holds("fails")).toBe(false)
    expect(new ShownText("😀fails").holds("fails")).toBe(true)
  })

  it("that begins with a sign may follow a word", () => {
    expect(new ShownText("1219- TOTAL 28").holds("- TOTAL")).toBe(true)
  })
})

it("escape sequences go, and those that move the cursor end a line", () => {
  expect(visibleText("\x1b[31mred\x1b[0m \x1b]8;;x\x07link\x1b]8;;\x1b\\ \x1b(Bplain\x1b7")).toBe("red link plain")
  expect(new ShownText("old\x1b[2Knew\rnewest\n").lines).toEqual(["old", "new", "newest"])
})
