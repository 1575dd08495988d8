import { expect, it } from "vitest"
import { changesBetween, readSummary, summaryOf, summaryText } from "./kept-summary.ts"
import type { CaseScore } from "./score.ts"

const score = (id: string, changes: Partial<CaseScore> = {}): CaseScore => ({
  id,
  tool: "make",
  zone: "end",
  mustKept: 1,
  mustOf: 2,
  shouldKept: 1,
  shouldOf: 1,
  decoys: 1,
  shownLines: 10,
  bytes: 100,
  lines: 10,
  totals: "both",
  missed: ["second \"cause\""],
  missedShould: [],
  ...changes
})

const summary = (...scores: ReadonlyArray<CaseScore>) => summaryOf([{ name: "cases", scores }])

it("what is written is read back, one case per line in the order of the cases", () => {
  const kept = summary(score("001-a"), score("002-b", { missed: [], mustKept: 2 }))
  const text = summaryText(kept)
  expect(readSummary(text)).toEqual(kept)
  expect(text.split("\n").slice(2, 4).map((line) => line.trim().slice(0, 20))).toEqual(["\"001-a\": {\"must\":[1,", "\"002-b\": {\"must\":[2,"])
  expect(summaryText(readSummary(text))).toBe(text)
})

it("equal summaries have no changes", () => {
  expect(changesBetween(summary(score("001-a")), summary(score("001-a")))).toEqual([])
})

it("a change names what was gained and lost, and by how much the text grew", () => {
  const before = summary(score("001-a"), score("002-b"))
  const now = summary(
    score("001-a"),
    score("002-b", { missed: ["first cause"], shouldKept: 0, missedShould: ["a hint"], bytes: 120, decoys: 0 })
  )
  expect(changesBetween(before, now)).toEqual([
    "cases/002-b",
    "  - lost: first cause",
    "  + gained: second \"cause\"",
    "  - lost (should): a hint",
    "  ~ decoys 1 → 0, bytes 100 → 120"
  ])
})

it("cases that come and go are named", () => {
  expect(changesBetween(summary(score("001-a")), summary(score("002-b")))).toEqual([
    "cases/001-a: the case is gone",
    "cases/002-b: a new case"
  ])
})
