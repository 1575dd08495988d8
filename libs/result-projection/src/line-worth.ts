/**
 * What a line is worth by itself: how grave it sounds, and how rare its shape is in this output.
 *
 * Owns: weighing severity against rarity; the first of a burst outranks the later ones.
 * Never owns: what a line gains from the grave lines around it (surroundings).
 */
import { severities } from "./line-meaning.ts"
import type { Survey } from "./output-survey.ts"
import type { ShapeCount, SurveyedLine } from "./passing-line.ts"

export interface Worth {
  readonly value: number
  /** What is left of it after one line of the same shape was chosen. */
  readonly fading: number
  /** In words, for the decision record. */
  readonly why: string
}

/** A line of a kind says less the second time; one that explains another line fades less, one of an end not at all. */
export const fading = { own: 0.82, near: 0.92, none: 1 } as const

/** The best that speaks for each line. */
export class WorthTable {
  readonly #worths = new Map<SurveyedLine, Worth>()
  of(line: SurveyedLine): Worth {
    return this.#worths.get(line) ?? { value: 0, fading: fading.own, why: "nothing" }
  }
  lower(line: SurveyedLine, value: number): void {
    this.#worths.set(line, { ...this.of(line), value })
  }
  /** Keeps what is worth more. */
  offer(line: SurveyedLine, value: number, why: string, share: number = fading.own): void {
    const worth = this.#worths.get(line)
    if (worth === undefined || value > worth.value) this.#worths.set(line, { value, fading: share, why })
  }
}

/** A summary counts failures once or twice; what does so all the time reports events. */
const summaryRepeats = 3
/** Lines from the end in which a summary stands. */
const summaryLines = 40
const closingLines = 16
const burstLines = 8

export const isSummary = (line: SurveyedLine): boolean => line.shape.tally && line.shape.count <= summaryRepeats

/** From 1 for a shape that stands alone to 0 for what most lines are like. */
export const rarityIn = (survey: Survey): (line: SurveyedLine) => number => {
  const counts = survey.shapes.map((shape) => shape.count).sort((left, right) => left - right)
  const linesUpTo = new Map<number, number>()
  let sum = survey.forgottenLines
  for (const count of counts) linesUpTo.set(count, sum += count)
  const whole = Math.log(survey.totalLines + 1)
  return ({ shape }) => Math.max(0, 1 - Math.log(linesUpTo.get(shape.count) ?? shape.count) / whole)
}

const weights = new Map<number, number>([
  [severities.fatal, 5.5],
  [severities.error, 4.5],
  [severities.trouble, 2.4],
  [severities.warning, 0.9],
  [severities.plain, 0],
  [severities.passed, -1.5]
])

const names = new Map<number, string>([
  [severities.fatal, "fatal"],
  [severities.error, "error"],
  [severities.trouble, "trouble"],
  [severities.warning, "warning"]
])

const penalties = [
  ["hint", 3],
  ["frame", 2],
  ["quotedSource", 0.8],
  ["caret", 1]
] as const

const mostCommonError = (survey: Survey): ShapeCount | undefined =>
  survey.shapes.filter((shape) => shape.severity >= severities.error && shape.count >= 5)
    .reduce<ShapeCount | undefined>((most, shape) => most === undefined || shape.count > most.count ? shape : most, undefined)

export const ownWorths = (survey: Survey): WorthTable => {
  const table = new WorthTable()
  const rarityOf = rarityIn(survey)
  const cascade = mostCommonError(survey)
  const lastLine = survey.lines.at(-1)?.line ?? 0
  const times = new Map<ShapeCount, number>()
  let errors = 0
  let run = 0
  let previous: SurveyedLine | undefined
  for (const line of survey.lines) {
    const { severity, shape, traits } = line
    const rarity = rarityOf(line)
    const time = times.get(shape) ?? 0
    times.set(shape, time + 1)
    const isError = severity >= severities.error
    run = isError && previous?.line === line.line - 1 && previous.severity >= severities.error ? run + 1 : 0
    previous = line

    const weight = weights.get(shape.tally && !isSummary(line) ? Math.min(severity, severities.trouble) : severity) ?? 0
    let value = weight > 0 ? weight * (0.45 + 0.55 * rarity) : weight
    value += rarity * (severity <= severities.plain ? 2.2 : 0.8)
    if (shape.names && severity >= severities.trouble) value += 0.4
    if (shape === cascade && time < 2) value += 0.8
    if (isSummary(line) && severity >= severities.plain) value += lastLine - line.line < summaryLines ? 1.5 : -1
    else if (isError) value += 1.2 * Math.max(0, 1 - errors++ / burstLines)
    if (severity >= severities.trouble && lastLine - line.line < closingLines) value += 0.5
    if (isError) value /= 1 + run / 25
    for (const [trait, penalty] of penalties) if (traits.has(trait)) value -= penalty
    if (traits.has("banner") && !isSummary(line)) value -= 1.2
    if (!/[\p{L}\p{N}]/u.test(line.text)) value -= 3
    table.offer(line, value, isSummary(line) ? "counts failures" : names.get(severity) ?? "rare in this output")
  }
  return table
}
