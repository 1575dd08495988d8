/**
 * The figures of many cases in a few: means over cases, so that a case with many labels weighs no more than another.
 *
 * Owns: how scores are put together.
 */
import { type CaseScore, decoyShare, mustRecall, shouldRecall } from "./score.ts"

/** Mean recall of some cases and how many they are. */
export interface GroupRecall {
  readonly recall: number
  readonly cases: number
}

export interface SetSummary {
  readonly cases: number
  readonly mustRecall: number
  readonly shouldRecall: number
  readonly decoyShare: number
  /** Share of the cases of which nothing is missed. */
  readonly complete: number
  readonly medianBytes: number
  readonly medianLines: number
  readonly byZone: ReadonlyMap<string, GroupRecall>
  readonly byTool: ReadonlyMap<string, GroupRecall>
}

const mean = (values: ReadonlyArray<number>): number =>
  values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length

const median = (values: ReadonlyArray<number>): number => {
  const sorted = values.toSorted((left, right) => left - right)
  const upper = sorted[Math.floor(sorted.length / 2)] ?? 0
  const lower = sorted[Math.floor((sorted.length - 1) / 2)] ?? 0
  return (lower + upper) / 2
}

const recallBy = (scores: ReadonlyArray<CaseScore>, key: "zone" | "tool"): ReadonlyMap<string, GroupRecall> => {
  const groups = Map.groupBy(scores, (score) => score[key])
  return new Map(
    [...groups].sort(([left], [right]) => left < right ? -1 : 1)
      .map(([name, members]) => [name, { recall: mean(members.map(mustRecall)), cases: members.length }])
  )
}

export const summarise = (scores: ReadonlyArray<CaseScore>): SetSummary => ({
  cases: scores.length,
  mustRecall: mean(scores.map(mustRecall)),
  shouldRecall: mean(scores.flatMap((score) => shouldRecall(score) ?? [])),
  decoyShare: mean(scores.map(decoyShare)),
  complete: mean(scores.map((score) => score.missed.length === 0 ? 1 : 0)),
  medianBytes: median(scores.map(({ bytes }) => bytes)),
  medianLines: median(scores.map(({ lines }) => lines)),
  byZone: recallBy(scores, "zone"),
  byTool: recallBy(scores, "tool")
})

export const worstZone = ({ byZone }: SetSummary): number => Math.min(...[...byZone.values()].map(({ recall }) => recall))
