/**
 * What a model sees of an output, in words for a person, and why.
 *
 * Never owns: which lines are kept and for what reason (result-projection).
 */
import type { ProjectionDocument } from "@steno/contracts"
import { byteText, lineText } from "./quantity-text.ts"
import { visibleLine, visibleOutput } from "./visible-text.ts"

/** Ends with a newline. */
export const projectionText = ({ text }: ProjectionDocument): string => `${visibleOutput(text)}\n`

const shownPart = (document: ProjectionDocument): string => {
  if (document.totalLines === 0) return "there is no output"
  if (document.fits) return "the whole output fits"
  return `${document.payloadLines} of ${lineText(document.totalLines)} shown, in ${byteText(document.payloadBytes)}`
}

interface Row {
  readonly line: number
  readonly label: string
  readonly words: string
}

const rowsOf = ({ kept, omitted }: ProjectionDocument): ReadonlyArray<Row> =>
  [
    ...kept.map(({ line, why }): Row => ({ line, label: `${line}`, words: visibleLine(why) })),
    ...omitted.map(({ from, to }): Row => ({
      line: from,
      label: from === to ? `${from}` : `${from}-${to}`,
      words: `not shown (${lineText(to - from + 1)})`
    }))
  ].toSorted((left, right) => left.line - right.line)

/** The text, then for each line of the output why it is shown or that it is not; ends with a newline. */
export const explainedText = (document: ProjectionDocument): string => {
  const rows = rowsOf(document)
  const width = Math.max(...rows.map(({ label }) => label.length))
  return [
    projectionText(document),
    `Why: ${visibleLine(document.profile)}, ${visibleLine(document.strategy)}; ${shownPart(document)}.`,
    ...rows.map(({ label, words }) => `  ${label.padEnd(width)}  ${words}`),
    ...(document.warnings ?? []).map(({ text }) => `Note: ${visibleLine(text)}`),
    ...(document.storedText === undefined ? [] : ["", "The stored text:", visibleOutput(document.storedText)]),
    ""
  ].join("\n")
}
