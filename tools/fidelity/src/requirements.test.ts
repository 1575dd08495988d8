import { expect, it } from "vitest"
import { judge, type ScoredCase } from "./requirements.ts"
import type { CaseScore } from "./score.ts"
import { summarise } from "./set-summary.ts"

const perfect: CaseScore = {
  id: "x",
  tool: "make",
  zone: "end",
  mustKept: 2,
  mustOf: 2,
  shouldKept: 2,
  shouldOf: 2,
  decoys: 0,
  shownLines: 10,
  bytes: 6_000,
  lines: 36,
  totals: "both",
  missed: [],
  missedShould: []
}

const failing = (cases: ReadonlyArray<ScoredCase>) =>
  judge(summarise(cases.map(({ score }) => score)), cases).flatMap(({ claim, holds }) => holds ? [] : [claim])

const scored = (changes: Partial<CaseScore>, payload: ScoredCase["projected"]["payload"] = { lines: 16, bytes: 4_000 }): ScoredCase => ({
  projected: { text: "", payload },
  score: { ...perfect, ...changes }
})

it("everything at its limit holds", () => {
  expect(failing([scored({})])).toEqual([])
})

it.each([
  ["mean recall of the lines that must be kept", { mustKept: 1 }],
  ["their recall in the worst zone", { mustKept: 1 }],
  ["mean recall of the lines that should be kept", { shouldKept: 1 }],
  ["mean share of decoys", { decoys: 4 }],
  ["the whole text", { bytes: 6_001 }],
  ["the whole text", { lines: 37 }],
  ["every shortened case states", { totals: "lines" as const }]
])("%s fails where it is missed: %j", (claim, changes) => {
  expect(failing([scored(changes)]).some((failed) => failed.startsWith(claim))).toBe(true)
})

it.each([{ lines: 17, bytes: 100 }, { lines: 1, bytes: 4_001 }])("a payload of %j is too large", (payload) => {
  expect(failing([scored({}), scored({}, payload)])).toEqual(["the payload of every shortened case has at most 16 lines and 4000 bytes"])
})

it("one bad zone fails also where the mean is good", () => {
  const good = Array.from({ length: 40 }, () => scored({}))
  expect(failing([...good, scored({ zone: "start", mustKept: 1 })])).toEqual(["their recall in the worst zone is at least 80.0 %"])
})

it("a case that is shown as a whole is bound by no budget and states no totals", () => {
  const whole = { projected: { text: "", payload: undefined }, score: { ...perfect, bytes: 12_000, lines: 84, totals: "none" as const } }
  expect(failing([whole])).toEqual([])
})
