/**
 * What a model and a card see of a process's output.
 *
 * Owns: the choice between the complete text, a selection, and no text at all; the frame of status, markers, totals and paths.
 * Never owns: which lines are chosen (head-and-tail), how an end is worded (process-status).
 * Limits: the budgets of the profile; the same output and facts give the same text.
 */
import { utf8Bytes } from "./clipped-text.ts"
import { cardOfCommand } from "./card-projection.ts"
import { type ChosenLine, chooseHeadAndTail, type SkippedLines, skippedLines } from "./head-and-tail.ts"
import { makeOutputDigester, type OutputDigest } from "./output-digest.ts"
import { pathText } from "./path-text.ts"
import { commandLine, countWords, reasonLines, statusLine, survivorLines, warningLines } from "./process-status.ts"
import { processDiagnosticsProfile as profile } from "./profiles.ts"
import type { DecisionRecord, ProcessFacts, Projection, ResultPolicy } from "./result-policy.ts"

/** A line around the payload; of those with the highest rank the last ones give way when room is short. */
interface FrameLine {
  readonly text: string
  readonly rank: 0 | 1 | 2 | 3
}

interface Body {
  readonly lines: ReadonlyArray<string>
  readonly decision: DecisionRecord
}

/** Room for the gap marker and for the one about blank lines at the end. */
const markers = { lines: 2, bytes: 160 }

const frameBudget = {
  lines: profile.wholeText.lines - profile.overflow.lines - markers.lines,
  bytes: profile.wholeText.bytes - profile.overflow.bytes - markers.bytes
}

const ranked = (rank: FrameLine["rank"], texts: ReadonlyArray<string>): ReadonlyArray<FrameLine> =>
  texts.map((text) => ({ text, rank }))

const costOf = (lines: ReadonlyArray<string>): number => lines.reduce((sum, line) => sum + utf8Bytes(line) + 1, 0)

const fitFrame = (frame: ReadonlyArray<FrameLine>): ReadonlyArray<string> => {
  const kept = [...frame]
  for (const rank of [3, 2] as const) {
    while (kept.length > frameBudget.lines || costOf(kept.map((line) => line.text)) > frameBudget.bytes) {
      const weakest = kept.findLastIndex((line) => line.rank === rank)
      if (weakest === -1) break
      kept.splice(weakest, 1)
    }
  }
  return kept.map((line) => line.text)
}

const quantity = (lines: number, bytes: number): string =>
  `${countWords(lines, "line", "lines")}, ${countWords(bytes, "byte", "bytes")}`

/** How much of a complete output came on each stream, when that is known. */
const streamWords = ({ capture }: ProcessFacts): string =>
  capture.output.droppedBytes > 0 || capture.stdout.observedBytes + capture.stderr.observedBytes === 0
    ? ""
    : `: ${capture.stdout.observedBytes} on stdout, ${capture.stderr.observedBytes} on stderr`

const droppedWords = (facts: ProcessFacts): string => {
  const { droppedBytes } = facts.capture.output
  return droppedBytes === 0 ? "" : `; ${countWords(droppedBytes, "byte was", "bytes were")} not captured`
}

/** Lines of everything that was printed, as far as it is known. */
const printedLines = (digest: OutputDigest, facts: ProcessFacts): number =>
  facts.capture.output.droppedBytes === 0
    ? digest.totalLines
    : Math.max(digest.totalLines, facts.capture.output.observedLines)

const opening = (facts: ProcessFacts): ReadonlyArray<FrameLine> => [
  ...(facts.origin === "user" ? ranked(0, [commandLine(facts.command)]) : []),
  ...ranked(0, [statusLine(facts)]),
  ...ranked(2, reasonLines(facts)),
  ...ranked(2, warningLines(facts)),
  ...ranked(3, survivorLines(facts))
]

/** The combined output, or the only stream's file while that serves as one. */
const outputPath = ({ files }: ProcessFacts): string | undefined =>
  files.output ?? (files.stdout === undefined ? files.stderr : files.stderr === undefined ? files.stdout : undefined)

/** Combined output first; the streams only when it does not hold everything. */
const pathLines = (facts: ProcessFacts): ReadonlyArray<FrameLine> => {
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

const decisionOf = (digest: OutputDigest, changes: Partial<DecisionRecord>): DecisionRecord => ({
  fits: true,
  profile: profile.name,
  strategy: "unchanged",
  totalLines: digest.totalLines,
  totalBytes: digest.totalBytes,
  payloadLines: 0,
  payloadBytes: 0,
  kept: [],
  omitted: [],
  ...changes
})

const blankBody = (digest: OutputDigest, facts: ProcessFacts): Body => ({
  lines: [
    ...fitFrame(opening(facts)),
    `${digest.totalLines === 0 ? "No output" : `No output but ${countWords(digest.totalLines, "blank line", "blank lines")}`}${droppedWords(facts)}.`
  ],
  decision: decisionOf(digest, {})
})

const unchangedBody = (digest: OutputDigest, facts: ProcessFacts, text: string): Body => ({
  lines: [
    ...fitFrame(opening(facts)),
    `${digest.binary ? "Binary output" : "Output"} (${quantity(digest.totalLines, digest.totalBytes)}${streamWords(facts)}${droppedWords(facts)}):`,
    text
  ],
  decision: decisionOf(digest, { payloadLines: digest.totalLines, payloadBytes: digest.inlineBytes })
})

const everythingOf = (digest: OutputDigest): ReadonlyArray<SkippedLines> => [{ from: 1, to: digest.totalLines }]

const binaryBody = (digest: OutputDigest, facts: ProcessFacts): Body => ({
  lines: fitFrame([
    ...opening(facts),
    ...ranked(1, [`Binary output, not shown (${quantity(digest.totalLines, digest.totalBytes)}${droppedWords(facts)}).`]),
    ...pathLines(facts)
  ]),
  decision: decisionOf(digest, { fits: false, strategy: "binary", omitted: everythingOf(digest) })
})

const totalsLine = (digest: OutputDigest, facts: ProcessFacts): string => {
  const inFile = quantity(digest.totalLines, digest.totalBytes)
  const { droppedBytes, observedBytes } = facts.capture.output
  return droppedBytes === 0
    ? `${inFile}${streamWords(facts)}`
    : `${quantity(printedLines(digest, facts), observedBytes)}${droppedWords(facts)}; the file has ${inFile}`
}

const gapMarker = ({ from, to }: SkippedLines): string =>
  `[… ${countWords(to - from + 1, "line", "lines")} not shown: ${from === to ? from : `${from} to ${to}`} …]`

const trailingMarker = ({ from, to }: SkippedLines): string =>
  `[${countWords(to - from + 1, "blank line", "blank lines")} at the end]`

const shownWithMarkers = (
  chosen: ReadonlyArray<ChosenLine>,
  skipped: ReadonlyArray<SkippedLines>,
  lastInkedLine: number
): ReadonlyArray<string> =>
  [
    ...chosen.map(({ line, text }) => ({ line, text })),
    ...skipped.map((gap) => ({ line: gap.from, text: gap.from > lastInkedLine ? trailingMarker(gap) : gapMarker(gap) }))
  ].sort((left, right) => left.line - right.line).map(({ text }) => text)

const headAndTailBody = (digest: OutputDigest, facts: ProcessFacts): Body => {
  const before = fitFrame([
    ...opening(facts),
    ...ranked(1, [`Output: ${totalsLine(digest, facts)}. Its head and tail, with line numbers:`]),
    ...pathLines(facts)
  ])
  const closing = new Set(pathLines(facts).map((line) => line.text))
  const budget = {
    lines: profile.overflow.lines,
    bytes: Math.min(profile.overflow.bytes, profile.wholeText.bytes - costOf(before) - markers.bytes)
  }
  const chosen = chooseHeadAndTail(digest, budget)
  const omitted = skippedLines(chosen, digest.totalLines)
  return {
    lines: [
      ...before.filter((line) => !closing.has(line)),
      ...shownWithMarkers(chosen, omitted, digest.lastInkedLine),
      ...before.filter((line) => closing.has(line))
    ],
    decision: decisionOf(digest, {
      fits: false,
      strategy: "head-and-tail",
      payloadLines: chosen.length,
      payloadBytes: costOf(chosen.map(({ text }) => text)),
      kept: chosen.map(({ line, why }) => ({ line, why })),
      omitted
    })
  }
}

const bodyOf = (digest: OutputDigest, facts: ProcessFacts): Body => {
  if (digest.lastInkedLine === 0) return blankBody(digest, facts)
  if (digest.inlineText !== undefined) return unchangedBody(digest, facts, digest.inlineText)
  return digest.binary ? binaryBody(digest, facts) : headAndTailBody(digest, facts)
}

const project = (digest: OutputDigest, facts: ProcessFacts): Projection => {
  const { decision, lines } = bodyOf(digest, facts)
  return {
    agent: lines.join("\n"),
    card: cardOfCommand(facts.command, digest, printedLines(digest, facts)),
    decision
  }
}

/** Feed the combined output; facts come at the end. */
export const processDiagnostics: ResultPolicy<ProcessFacts> = {
  profile: profile.name,
  begin: () => {
    const digester = makeOutputDigester(profile.inline, profile.overflow.lines)
    return { push: digester.push, finish: (facts) => project(digester.finish(), facts) }
  }
}
