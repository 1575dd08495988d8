import { expect, it } from "vitest"
import type { CaseScore } from "./score.ts"
import { summarise, worstZone } from "./set-summary.ts"

const score = (changes: Partial<CaseScore>): CaseScore => ({
  id: "x",
  tool: "make",
  zone: "end",
  mustKept: 1,
  mustOf: 1,
  shouldKept: 0,
  shouldOf: 0,
  decoys: 0,
  shownLines: 10,
  bytes: 100,
  lines: 10,
  totals: "both",
  missed: [],
  missedShould: [],
  ...changes
})

const scores = [
  score({ mustKept: 4, mustOf: 4, shouldKept: 1, shouldOf: 2, bytes: 400 }),
  score({ zone: "start", mustKept: 0, missed: ["a"], decoys: 5, bytes: 200 }),
  score({ zone: "start", tool: "go", mustKept: 1, mustOf: 2, missed: ["b"], bytes: 100 }),
  score({ tool: "go", shouldKept: 1, shouldOf: 1, decoys: 1, bytes: 300, lines: 20 })
]

it("means are over cases, those of shouldKeep over the cases that have some", () => {
  const summary = summarise(scores)
  expect(summary).toMatchObject({ cases: 4, mustRecall: 0.625, shouldRecall: 0.75, complete: 0.5, medianBytes: 250, medianLines: 10 })
  expect(summary.decoyShare).toBeCloseTo(0.15)
})

it("recall by zone and by tool is that of their cases; the worst zone is the lowest of them", () => {
  const summary = summarise(scores)
  expect([...summary.byZone]).toEqual([["end", { recall: 1, cases: 2 }], ["start", { recall: 0.25, cases: 2 }]])
  expect([...summary.byTool]).toEqual([["go", { recall: 0.75, cases: 2 }], ["make", { recall: 0.5, cases: 2 }]])
  expect(worstZone(summary)).toBe(0.25)
})
