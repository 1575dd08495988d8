/**
 * What a set of cases has to come out as.
 *
 * Owns: the limits and whether figures keep them.
 */
import type { ProjectedCase } from "./projected-case.ts"
import type { CaseScore } from "./score.ts"
import { type SetSummary, worstZone } from "./set-summary.ts"

export const limits = {
  mustRecall: 0.95,
  worstZone: 0.8,
  shouldRecall: 0.6,
  decoyShare: 0.3,
  payload: { lines: 16, bytes: 4_000 },
  wholeText: { lines: 36, bytes: 6_000 }
}

export interface Judgement {
  readonly claim: string
  readonly found: string
  readonly holds: boolean
}

/** One case with its text and figures. */
export interface ScoredCase {
  readonly projected: ProjectedCase
  readonly score: CaseScore
}

export const percent = (share: number): string => `${(100 * share).toFixed(1)} %`

const atLeast = (claim: string, found: number, limit: number): Judgement => ({
  claim: `${claim} is at least ${percent(limit)}`,
  found: percent(found),
  holds: found >= limit
})

interface Size {
  readonly lines: number
  readonly bytes: number
}

const within = (claim: string, sizes: ReadonlyArray<Size>, limit: Size): Judgement => {
  const largest = { lines: Math.max(0, ...sizes.map(({ lines }) => lines)), bytes: Math.max(0, ...sizes.map(({ bytes }) => bytes)) }
  return {
    claim: `${claim} has at most ${limit.lines} lines and ${limit.bytes} bytes`,
    found: `${largest.lines} lines, ${largest.bytes} bytes`,
    holds: largest.lines <= limit.lines && largest.bytes <= limit.bytes
  }
}

export const judge = (summary: SetSummary, cases: ReadonlyArray<ScoredCase>): ReadonlyArray<Judgement> => {
  const shortened = cases.filter(({ projected }) => projected.payload !== undefined)
  const silent = shortened.filter(({ score }) => score.totals !== "both").map(({ score }) => score.id)
  return [
    atLeast("mean recall of the lines that must be kept", summary.mustRecall, limits.mustRecall),
    atLeast("their recall in the worst zone", worstZone(summary), limits.worstZone),
    atLeast("mean recall of the lines that should be kept", summary.shouldRecall, limits.shouldRecall),
    {
      claim: `mean share of decoys is at most ${percent(limits.decoyShare)}`,
      found: percent(summary.decoyShare),
      holds: summary.decoyShare <= limits.decoyShare
    },
    within("the payload of every shortened case", shortened.flatMap(({ projected }) => projected.payload ?? []), limits.payload),
    within("the whole text of every shortened case", shortened.map(({ score }) => score), limits.wholeText),
    {
      claim: "every shortened case states the lines and bytes of its output",
      found: silent.length === 0 ? `${shortened.length} of ${shortened.length}` : `not in ${silent.join(", ")}`,
      holds: silent.length === 0
    }
  ]
}
