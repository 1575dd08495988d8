/**
 * Chooses the lines of an output that matter most, from the survey of all of it.
 *
 * Owns: the order of choice, fitting the budget.
 * Never owns: what a line is worth (survey-worths).
 * Limits: the first and the last line of the gravest class and the last line that is not blank are always chosen.
 */
import { severities } from "./line-meaning.ts"
import type { WorthTable } from "./line-worth.ts"
import { NumberedText } from "./numbered-text.ts"
import type { Survey } from "./output-survey.ts"
import type { ShapeCount, SurveyedLine } from "./passing-line.ts"
import type { Budget } from "./profiles.ts"
import { Said } from "./repetition.ts"
import { worthsOf } from "./survey-worths.ts"

export interface SelectedLine {
  /** 1-based line of the file. */
  readonly line: number
  /** With its number, clipped if it had to be. */
  readonly text: string
  /** In words. */
  readonly why: string
  readonly isError: boolean
  /** Shown whatever else has to give way. */
  readonly certain: boolean
  /** What it was worth when it was chosen: the weakest gives way first. */
  readonly value: number
}

/** The most of one line, in bytes; one of which parts stand out gets more. */
const lineBytes = { whole: 1_010, inParts: 1_600 } as const
/** The more lines of a shape were chosen, the faster the next one fades. */
const fadingGrowth = 1.4
/** What is worth less than this, or than this share of the best, is left out even where there is room. */
const least = { worth: 0.9, share: 0.22, ofAtMost: 5 } as const
/** Where few lines say it all, the first errors fill up to this many. */
const filledLines = 10

class Choice {
  readonly chosen: Array<SelectedLine> = []
  readonly #worths: WorthTable
  readonly #pool: Set<SurveyedLine>
  readonly #times = new Map<ShapeCount, number>()
  readonly #said = new Said()
  #bytesLeft: number

  constructor(survey: Survey, worths: WorthTable, bytes: number) {
    this.#worths = worths
    this.#pool = new Set(survey.lines.filter((line) => worths.of(line).value >= least.worth || line.severity >= severities.error))
    this.#bytesLeft = bytes
  }

  /** What a line still says beside those chosen. */
  #worthOf(line: SurveyedLine, atLeast: number): number {
    const { fading, value } = this.#worths.of(line)
    const times = this.#times.get(line.shape)
    const worth = times === undefined ? value : value * fading ** times ** fadingGrowth
    return worth > atLeast ? worth * this.#said.share(line) : worth
  }

  /** The line that says most beside those chosen. */
  best(): { readonly line: SurveyedLine; readonly value: number } | undefined {
    let best: { line: SurveyedLine; value: number } | undefined
    for (const line of this.#pool) {
      const value = this.#worthOf(line, best?.value ?? -Infinity)
      if (best === undefined || value > best.value) best = { line, value }
    }
    return best
  }

  has(line: SurveyedLine): boolean {
    return this.#pool.has(line)
  }

  takeCertain(line: SurveyedLine, bytes: number, why: string): void {
    this.#take(line, new NumberedText(line, bytes), this.#worths.of(line).value, why, true)
  }

  takeIfFits(line: SurveyedLine, value: number, why: string): void {
    const most = line.long === undefined ? lineBytes.whole : lineBytes.inParts
    const numbered = new NumberedText(line, Math.min(most, this.#bytesLeft - 1))
    if (numbered.isFit && numbered.bytes < this.#bytesLeft) this.#take(line, numbered, value, why, false)
    else this.#pool.delete(line)
  }

  #take(line: SurveyedLine, numbered: NumberedText, value: number, why: string, certain: boolean): void {
    this.#pool.delete(line)
    this.#bytesLeft -= numbered.bytes + 1
    this.chosen.push({ line: line.line, text: numbered.text, why, isError: line.severity >= severities.error, certain, value })
    this.#times.set(line.shape, (this.#times.get(line.shape) ?? 0) + 1)
    this.#said.add(line)
  }
}

/**
 * In file order. At most `budget.lines` lines and `budget.bytes` bytes, number prefixes and newlines counted.
 *
 * @param exitCode weighs, never decides; absent: none is known
 */
export const selectLines = (survey: Survey, budget: Budget, exitCode?: number): ReadonlyArray<SelectedLine> => {
  const worths = worthsOf(survey, exitCode)
  const choice = new Choice(survey, worths, budget.bytes)
  const last = survey.certain.at(-1)
  const share = Math.floor(survey.certain.length === 1 ? budget.bytes * 0.9 : budget.bytes / (survey.certain.length + 1))
  for (const line of survey.certain) {
    const { why } = worths.of(line)
    choice.takeCertain(line, share, line !== last ? why : line.severity >= severities.error ? `${why}, the last line` : "the last line")
  }
  let most = 0
  while (choice.chosen.length < budget.lines) {
    const best = choice.best()
    if (best === undefined) break
    most = Math.min(least.ofAtMost, Math.max(most, best.value))
    if (best.value < Math.max(least.worth, most * least.share)) break
    choice.takeIfFits(best.line, best.value, worths.of(best.line).why)
  }
  for (const line of survey.lines) {
    if (choice.chosen.length >= Math.min(filledLines, budget.lines)) break
    if (choice.has(line) && line.severity >= severities.error && !line.traits.has("hint")) {
      choice.takeIfFits(line, 0, "one of the first errors")
    }
  }
  return choice.chosen.sort((left, right) => left.line - right.line)
}
