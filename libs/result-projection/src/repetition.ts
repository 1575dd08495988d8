/**
 * Whether two lines say the same, by the words that follow one another in them.
 *
 * Owns: a verdict in a list gives way to the line that says the same and more, such as the heading of its report.
 */
import { severities } from "./line-meaning.ts"
import type { WorthTable } from "./line-worth.ts"
import type { Survey } from "./output-survey.ts"
import type { SurveyedLine } from "./passing-line.ts"

/** Share of its pairs of words that a line has in common with another one that says it already. */
const saidShare = 0.85
/** With fewer pairs than this a line says nothing that could be said already. */
const leastPairs = { anywhere: 4, report: 3 } as const
/** What is left of the worth of a line that says nothing new. */
const saidWorth = 0.6
/** Errors that are compared with each other, and how often one of their shape may occur. */
const compared = { lines: 60, repeats: 6 } as const

/** Each two words that follow one another. */
const pairsOf = (line: SurveyedLine): ReadonlySet<string> => {
  const words = line.text.match(/\p{L}[\p{L}\d_]+/gu) ?? []
  return new Set(words.slice(1).map((word, at) => `${words[at]} ${word}`))
}

const isCovered = (pairs: ReadonlySet<string>, by: ReadonlySet<string>): boolean => {
  let covered = 0
  for (const pair of pairs) if (by.has(pair)) covered++
  return covered >= pairs.size * saidShare
}

/** Lowers the worth of errors that a later, fuller line reports again. */
export const preferReports = (survey: Survey, worths: WorthTable): void => {
  const errors = survey.lines.filter((line) => line.severity >= severities.error && line.shape.count <= compared.repeats)
    .sort((left, right) => worths.of(right).value - worths.of(left).value).slice(0, compared.lines)
    .map((line) => ({ line, pairs: pairsOf(line) }))
  for (const { line, pairs } of errors) {
    const isReported = pairs.size >= leastPairs.report && errors.some((other) =>
      other.line.line > line.line && other.pairs.size >= pairs.size && other.line.shape !== line.shape && isCovered(pairs, other.pairs)
    )
    if (isReported) worths.lower(line, worths.of(line).value * saidWorth)
  }
}

/** What the chosen lines have said. */
export class Said {
  readonly #pairs = new Map<SurveyedLine, ReadonlySet<string>>()
  readonly #said: Array<ReadonlySet<string>> = []

  add(line: SurveyedLine): void {
    this.#said.push(this.#pairsOf(line))
  }

  /** 1 for a line that says something new, less for one that does not. */
  share(line: SurveyedLine): number {
    const pairs = this.#pairsOf(line)
    return pairs.size >= leastPairs.anywhere && this.#said.some((said) => isCovered(pairs, said)) ? saidWorth : 1
  }

  #pairsOf(line: SurveyedLine): ReadonlySet<string> {
    const known = this.#pairs.get(line)
    if (known !== undefined) return known
    const pairs = pairsOf(line)
    this.#pairs.set(line, pairs)
    return pairs
  }
}
