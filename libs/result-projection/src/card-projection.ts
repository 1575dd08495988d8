/**
 * The card of a command: the first lines of what was asked, the last lines of what was printed.
 *
 * Limits: at most six lines a side and 8 KiB a card; hidden counts are those of the whole output; never feeds a model.
 */
import { cardLimits, type CardProjection } from "@steno/contracts"
import { firstOf, makeCard } from "./card-lines.ts"
import { clipAtGrapheme } from "./clipped-text.ts"
import type { OutputReading } from "./output-reading.ts"
import { visibleLines } from "./visible-lines.ts"

/** A line that was not kept whole has more, so that its cut is marked and falls between graphemes. */
const lineBytes = Math.floor(cardLimits.bytes / (2 * cardLimits.lines))

/** The last lines, blank ones included. */
const lastLines = (reading: OutputReading): ReadonlyArray<string> => {
  const blank = Math.min(cardLimits.lines, reading.totalLines - reading.lastInkedLine)
  const inked = cardLimits.lines - blank
  return [
    ...(inked === 0 ? [] : reading.lastLines.slice(-inked)),
    ...Array.from({ length: blank }, () => "")
  ]
}

/** @param totalLines lines of the output, those not captured included */
export const cardOfCommand = (command: string, reading: OutputReading, totalLines: number): CardProjection => {
  const shown = lastLines(reading)
  return makeCard({
    arguments: firstOf(visibleLines(command), "lines"),
    result: {
      lines: shown.map((line) => clipAtGrapheme(line, lineBytes)),
      hidden: totalLines - shown.length,
      noun: "lines",
      direction: "tail"
    },
    first: "arguments"
  })
}
