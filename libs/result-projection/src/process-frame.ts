/**
 * What stands around the output of a process: how it ended, how much it printed, where the rest is.
 *
 * Owns: the words and their order of precedence when room is short.
 * Never owns: how an end is said (process-status), which lines are shown.
 */
import { utf8Bytes } from "./clipped-text.ts"
import type { OutputReading } from "./output-reading.ts"
import { pathText } from "./path-text.ts"
import { commandLine, countWords, reasonLines, statusLine, survivorLines, warningLines } from "./process-status.ts"
import type { Budget } from "./profiles.ts"
import type { ProcessFacts } from "./result-policy.ts"

/** A line around the payload; of those with the highest rank the last ones give way when room is short. */
export interface FrameLine {
  readonly text: string
  readonly rank: 0 | 1 | 2 | 3
}

export const ranked = (rank: FrameLine["rank"], texts: ReadonlyArray<string>): ReadonlyArray<FrameLine> =>
  texts.map((text) => ({ text, rank }))

/** UTF-8 bytes with a newline after each line. */
export const costOf = (lines: ReadonlyArray<string>): number => lines.reduce((sum, line) => sum + utf8Bytes(line) + 1, 0)

/** The frame in at most `budget`; lines of rank 0 and 1 stay in any case. */
export const fitFrame = (frame: ReadonlyArray<FrameLine>, budget: Budget): ReadonlyArray<FrameLine> => {
  const kept = [...frame]
  for (const rank of [3, 2] as const) {
    while (kept.length > budget.lines || costOf(kept.map(({ text }) => text)) > budget.bytes) {
      const weakest = kept.findLastIndex((line) => line.rank === rank)
      if (weakest === -1) break
      kept.splice(weakest, 1)
    }
  }
  return kept
}

export const quantity = (lines: number, bytes: number): string =>
  `${countWords(lines, "line", "lines")}, ${countWords(bytes, "byte", "bytes")}`

/** How much of a complete output came on each stream, when that is known. */
export const streamWords = ({ capture }: ProcessFacts): string =>
  capture.output.droppedBytes > 0 || capture.stdout.observedBytes + capture.stderr.observedBytes === 0
    ? ""
    : `: ${capture.stdout.observedBytes} on stdout, ${capture.stderr.observedBytes} on stderr`

export const droppedWords = ({ capture }: ProcessFacts): string => {
  const { droppedBytes } = capture.output
  return droppedBytes === 0 ? "" : `; ${countWords(droppedBytes, "byte was", "bytes were")} not captured`
}

/** Lines of everything that was printed, as far as it is known. */
export const printedLines = (reading: OutputReading, { capture }: ProcessFacts): number =>
  capture.output.droppedBytes === 0 ? reading.totalLines : Math.max(reading.totalLines, capture.output.observedLines)

/** What was run and how it ended, unless a text around this one says so. */
const endLines = (facts: ProcessFacts): ReadonlyArray<FrameLine> =>
  facts.frame === undefined
    ? [
      ...(facts.origin === "user" ? ranked(0, [commandLine(facts.command)]) : []),
      ...(facts.endUnasked === true ? [] : ranked(0, [statusLine(facts)])),
      ...ranked(2, reasonLines(facts))
    ]
    : []

export const openingLines = (facts: ProcessFacts): ReadonlyArray<FrameLine> => [
  ...endLines(facts),
  ...ranked(2, warningLines(facts)),
  ...ranked(3, survivorLines(facts))
]

/** Lines with numbers above those of the file come from memory. */
const unfiledWords = ({ filed, totalBytes }: OutputReading): string =>
  totalBytes === filed.bytes ? "" : `, the ${countWords(totalBytes - filed.bytes, "byte", "bytes")} after that come from memory`

export const totalsWords = (reading: OutputReading, facts: ProcessFacts): string => {
  const inFile = quantity(reading.filed.lines, reading.filed.bytes)
  const { droppedBytes, observedBytes } = facts.capture.output
  return droppedBytes === 0
    ? `${inFile}${streamWords(facts)}`
    : `${quantity(printedLines(reading, facts), observedBytes)}${droppedWords(facts)}; the file has ${inFile}${unfiledWords(reading)}`
}

/** The combined output, or the only stream's file while that serves as one. */
const outputPath = ({ files }: ProcessFacts): string | undefined =>
  files.output ?? (files.stdout === undefined ? files.stderr : files.stderr === undefined ? files.stdout : undefined)

/** Combined output first; the streams only when it does not hold everything. */
export const pathLines = (facts: ProcessFacts): ReadonlyArray<FrameLine> => {
  const { files, capture } = facts
  const output = outputPath(facts)
  const complete = capture.output.droppedBytes === 0
  const named: ReadonlyArray<readonly [label: string, path: string | undefined, bytes: number]> = [
    ["stdout", files.stdout, capture.stdout.storedBytes],
    ["stderr", files.stderr, capture.stderr.storedBytes]
  ]
  const streams = named.flatMap(([label, path, bytes]) =>
    path === undefined || path === output || bytes === 0
      ? []
      : [`Captured ${label}: ${pathText(path)} (${countWords(bytes, "byte", "bytes")})`]
  )
  if (output === undefined) return ranked(1, streams)
  return [
    ...ranked(1, [
      `${complete ? "Complete" : "Captured"} output, to read or search without running the command again: ${pathText(output)}`
    ]),
    ...(complete ? [] : ranked(3, streams))
  ]
}
