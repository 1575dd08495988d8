/**
 * What each line of an output is worth, all that speaks for it taken together.
 *
 * Owns: which lines are anchors, and what counts when nothing in an output is wrong.
 */
import { offerDepartures } from "./departures.ts"
import { severities } from "./line-meaning.ts"
import { fading, isSummary, ownWorths, type WorthTable } from "./line-worth.ts"
import type { Survey } from "./output-survey.ts"
import type { ShapeCount, SurveyedLine } from "./passing-line.ts"
import { preferReports } from "./repetition.ts"
import { offerSurroundings } from "./surroundings.ts"

const anchorWorth = 1.8
/** Stacks of one shape that are told apart from the lines around them, and what a line gains that has one below it. */
const stacks = { times: 2, gain: 1.2 } as const
/** The last error so close to the end says why a program ended. */
const closing = { lines: 60, gain: 1.2 } as const
const commonRepeats = 5
const reachedShare = 0.5
/** Errors of a shape that occurs more often are no surprise to a program that succeeded. */
const surprisingRepeats = 3
/** How much of the ends is shown of an output in which nothing is wrong. */
const calmEnds = { head: 5, tail: 12 } as const

/** Lines with a stack below them report something, whatever their words. */
const offerStackHeads = (survey: Survey, worths: WorthTable): ReadonlySet<SurveyedLine> => {
  const times = new Map<ShapeCount, number>()
  const heads = survey.lines.filter((line, at) => {
    const next = survey.lines[at + 1]
    if (line.traits.has("frame") || next?.line !== line.line + 1 || !next.traits.has("frame") || line.severity < severities.plain) return false
    const time = times.get(line.shape) ?? 0
    times.set(line.shape, time + 1)
    return time < stacks.times
  })
  for (const line of heads) worths.offer(line, worths.of(line).value + stacks.gain, "has a stack below it")
  return new Set(heads)
}

const offerProgress = (survey: Survey, worths: WorthTable, firstError: SurveyedLine | undefined): void => {
  if (firstError === undefined) return
  const before = survey.lines.filter((line) => line.line < firstError.line && line.shape.count > commonRepeats).at(-1)
  if (before !== undefined) worths.offer(before, worths.of(firstError).value * reachedShare, "how far it got before the first error")
}

const offerBeginning = (survey: Survey, worths: WorthTable, isCalm: boolean): void => {
  for (const [at, line] of survey.lines.slice(0, isCalm ? calmEnds.head : 1).entries()) {
    worths.offer(line, isCalm ? 4 - at * 0.2 : 1.5, at === 0 ? "the first line" : "the beginning", fading.none)
  }
}

const offerEnd = (survey: Survey, worths: WorthTable): void => {
  for (const [at, line] of survey.lines.slice(-calmEnds.tail).reverse().entries()) {
    worths.offer(line, 2.2 - at * 0.1, "the end", fading.none)
  }
}

/** @param exitCode weighs, never decides; absent: none is known */
export const worthsOf = (survey: Survey, exitCode: number | undefined): WorthTable => {
  const worths = ownWorths(survey)
  const stackHeads = offerStackHeads(survey, worths)
  const anchors = survey.lines.filter((line) =>
    (line.severity >= severities.trouble || stackHeads.has(line)) && !isSummary(line) && !line.traits.has("frame") &&
    worths.of(line).value >= anchorWorth
  )
  const errors = anchors.filter((line) => line.severity >= severities.error)
  if (errors.length === 0 && exitCode !== 0) offerDepartures(survey, worths)
  const lastError = errors.at(-1)
  if (lastError !== undefined && exitCode !== 0 && (survey.lines.at(-1)?.line ?? 0) - lastError.line < closing.lines) {
    worths.offer(lastError, worths.of(lastError).value + closing.gain, "the last error")
  }
  preferReports(survey, worths)
  offerSurroundings(survey, anchors, worths)
  offerProgress(survey, worths, errors[0])
  const isCalm = exitCode === 0
    ? !errors.some((line) => line.shape.count <= surprisingRepeats)
    : exitCode === undefined && anchors.length === 0
  offerBeginning(survey, worths, isCalm)
  if (errors.length === 0) offerEnd(survey, worths)
  return worths
}
