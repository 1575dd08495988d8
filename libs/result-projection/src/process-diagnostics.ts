/**
 * What a model and a card see of a process's output.
 *
 * Owns: the choice between the complete text, a selection, and no text at all; fitting selection and frame into one budget.
 * Never owns: which lines are chosen (line-selection), the words around them (process-frame).
 * Limits: the budgets of the profile; the same output and facts give the same text.
 */
import { cardOfCommand } from "./card-projection.ts"
import { type SkippedLines, skippedLines } from "./gaps.ts"
import type { SelectedLine } from "./line-selection.ts"
import { makeOutputReader, type OutputReader, type OutputReading } from "./output-reading.ts"
import { countWords } from "./process-status.ts"
import {
  costOf,
  droppedWords,
  fitFrame,
  openingLines,
  pathLines,
  printedLines,
  quantity,
  ranked,
  streamWords,
  totalsWords
} from "./process-frame.ts"
import { type Budget, processDiagnosticsProfile as profile } from "./profiles.ts"
import type { DecisionRecord, ProcessFacts, Projection, ResultPolicy } from "./result-policy.ts"

interface Body {
  readonly lines: ReadonlyArray<string>
  readonly decision: DecisionRecord
}

/** What the frame takes at the most, should it need all of its own; a text around it takes its room from it. */
const frameBudget = ({ frame }: ProcessFacts): Budget => ({
  lines: 18 - (frame?.room.lines ?? 0),
  bytes: 1_840 - (frame?.room.bytes ?? 0)
})

const wholeBudget = ({ frame }: ProcessFacts): Budget => ({
  lines: profile.wholeText.lines - (frame?.room.lines ?? 0),
  bytes: profile.wholeText.bytes - (frame?.room.bytes ?? 0)
})

/** With the number that the first line of the output has for its reader. */
const renumbered = (chosen: ReadonlyArray<SelectedLine>, { frame }: ProcessFacts): ReadonlyArray<SelectedLine> => {
  const shift = (frame?.firstLine ?? 1) - 1
  return shift === 0 ? chosen : chosen.map((line) => ({ ...line, text: `${line.line + shift}${line.text.slice(`${line.line}`.length)}` }))
}

const decisionOf = (reading: OutputReading, changes: Partial<DecisionRecord>): DecisionRecord => ({
  fits: true,
  profile: profile.name,
  strategy: "unchanged",
  totalLines: reading.totalLines,
  totalBytes: reading.totalBytes,
  payloadLines: 0,
  payloadBytes: 0,
  kept: [],
  omitted: [],
  ...changes
})

const textsOf = (lines: ReadonlyArray<{ readonly text: string }>): ReadonlyArray<string> => lines.map(({ text }) => text)

const blankBody = (reading: OutputReading, facts: ProcessFacts): Body => ({
  lines: [
    ...textsOf(fitFrame(openingLines(facts), frameBudget(facts))),
    `${reading.totalLines === 0 ? "No output" : `No output but ${countWords(reading.totalLines, "blank line", "blank lines")}`}${droppedWords(facts)}.`
  ],
  decision: decisionOf(reading, {})
})

const unchangedBody = (reading: OutputReading, facts: ProcessFacts, text: string): Body => ({
  lines: [
    ...textsOf(fitFrame(openingLines(facts), frameBudget(facts))),
    `${reading.binary ? "Binary output" : "Output"} (${quantity(reading.totalLines, reading.totalBytes)}${streamWords(facts)}${droppedWords(facts)}):`,
    text
  ],
  decision: decisionOf(reading, { payloadLines: reading.totalLines, payloadBytes: reading.inlineBytes })
})

const binaryBody = (reading: OutputReading, facts: ProcessFacts): Body => ({
  lines: textsOf(fitFrame([
    ...openingLines(facts),
    ...ranked(1, [`Binary output, not shown (${quantity(reading.totalLines, reading.totalBytes)}${droppedWords(facts)}).`]),
    ...pathLines(facts)
  ], frameBudget(facts))),
  decision: decisionOf(reading, { fits: false, strategy: "binary", omitted: [{ from: 1, to: reading.totalLines }] })
})

const gapMarker = ({ from, to }: SkippedLines, lastInkedLine: number): string => {
  const count = to - from + 1
  return from > lastInkedLine
    ? `[${countWords(count, "blank line", "blank lines")} at the end]`
    : `[… ${countWords(count, "line", "lines")} not shown …]`
}

const withGaps = (chosen: ReadonlyArray<SelectedLine>, reading: OutputReading): ReadonlyArray<string> =>
  [
    ...chosen.map(({ line, text }) => ({ line, text })),
    ...skippedLines(chosen, reading.totalLines).map((gap) => ({ line: gap.from, text: gapMarker(gap, reading.lastInkedLine) }))
  ].sort((left, right) => left.line - right.line).map(({ text }) => text)

const countsLine = (chosen: ReadonlyArray<SelectedLine>, reading: OutputReading): string => {
  const shown = `${countWords(chosen.length, "line is", "lines are")} shown of ${quantity(reading.totalLines, reading.totalBytes)}`
  const errors = chosen.filter(({ isError }) => isError).length
  return reading.errorLines === 0
    ? `${shown}; none of them sounds like an error.`
    : `${shown}; ${errors} of ${countWords(reading.errorLines, "line that sounds like an error", "lines that sound like errors")}.`
}

const withoutWeakest = (chosen: ReadonlyArray<SelectedLine>): ReadonlyArray<SelectedLine> => {
  const weakest = chosen.filter(({ certain }) => !certain)
    .reduce<SelectedLine | undefined>((least, line) => least === undefined || line.value < least.value ? line : least, undefined)
  return chosen.filter((line) => line !== weakest)
}

const selectionBody = (reading: OutputReading, facts: ProcessFacts): Body => {
  const paths = pathLines(facts)
  const frame = fitFrame([
    ...openingLines(facts),
    ...ranked(1, [`Output: ${totalsWords(reading, facts)}. The lines that say most of it, numbered ${
      facts.frame?.firstLine === undefined ? "as in the file" : "by their offset"
    }:`]),
    ...paths
  ], frameBudget(facts))
  const render = (chosen: ReadonlyArray<SelectedLine>): ReadonlyArray<string> => [
    ...textsOf(frame.filter((line) => !paths.includes(line))),
    ...withGaps(chosen, reading),
    countsLine(chosen, reading),
    ...textsOf(frame.filter((line) => paths.includes(line)))
  ]
  const whole = wholeBudget(facts)
  const exceeds = (shown: ReadonlyArray<SelectedLine>): boolean => {
    const lines = render(shown)
    return lines.length > whole.lines || costOf(lines) > whole.bytes || costOf(textsOf(shown)) > profile.overflow.bytes
  }
  let chosen = renumbered(reading.selected, facts)
  while (exceeds(chosen) && chosen.some(({ certain }) => !certain)) chosen = withoutWeakest(chosen)
  return {
    lines: render(chosen),
    decision: decisionOf(reading, {
      fits: false,
      strategy: "selection",
      payloadLines: chosen.length,
      payloadBytes: costOf(textsOf(chosen)),
      kept: chosen.map(({ line, why }) => ({ line, why })),
      omitted: skippedLines(chosen, reading.totalLines)
    })
  }
}

const bodyOf = (reading: OutputReading, facts: ProcessFacts): Body => {
  if (reading.lastInkedLine === 0) return blankBody(reading, facts)
  if (reading.inlineText !== undefined) return unchangedBody(reading, facts, reading.inlineText)
  return reading.binary ? binaryBody(reading, facts) : selectionBody(reading, facts)
}

/** Lines of the end that a card shows. */
const cardLines = 6

/** Reads the combined output once, for every projection of it. */
export const processOutputReader = (): OutputReader => makeOutputReader(profile, cardLines)

/** What a model and a card see of an output that was read before. */
export const projectReading = (reading: OutputReading, facts: ProcessFacts): Projection => {
  const { decision, lines } = bodyOf(reading, facts)
  return {
    agent: lines.join("\n"),
    card: cardOfCommand(facts.command, reading, printedLines(reading, facts)),
    decision
  }
}

/** Feed the combined output; facts come at the end. */
export const processDiagnostics: ResultPolicy<ProcessFacts> = {
  profile: profile.name,
  begin: () => {
    const reader = processOutputReader()
    return { push: reader.push, leaveFile: reader.leaveFile, finish: (facts) => projectReading(reader.finish(facts.exitCode), facts) }
  }
}
