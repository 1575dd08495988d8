/**
 * Chooses which lines of a long output are shown: its beginning and its end.
 *
 * Owns: fitting numbered lines into a budget, clipping long ones.
 * Limits: lines are whole or clipped with the bytes left out; number prefixes count; the last line that is not blank always stays.
 */
import { endOfText, startOfText, utf8Bytes } from "./clipped-text.ts"
import type { NumberedLine, OutputDigest } from "./output-digest.ts"
import type { Budget } from "./profiles.ts"

/** Bytes kept at each end of a line that is clipped. */
const clippedStartBytes = 700
const clippedEndBytes = 250
/** A line that saves less than this by clipping stays whole. */
const wholeLineBytes = 1_000

export interface ChosenLine {
  readonly line: number
  readonly text: string
  readonly why: "head" | "tail"
}

const withPrefix = (line: NumberedLine, text: string) => `${line.line}: ${text}`

/** The numbered line in at most `bytes` bytes; undefined when not even its ends fit. */
const render = (line: NumberedLine, bytes: number): string | undefined => {
  const prefixBytes = utf8Bytes(withPrefix(line, ""))
  if (line.end === undefined && line.bytes <= wholeLineBytes) {
    return prefixBytes + line.bytes <= bytes ? withPrefix(line, line.start) : undefined
  }
  const start = startOfText(line.start, clippedStartBytes)
  const end = endOfText(line.end ?? line.start, clippedEndBytes)
  const leftOut = line.bytes - utf8Bytes(start) - utf8Bytes(end)
  const text = withPrefix(line, `${start} […${leftOut} bytes left out…] ${end}`)
  return utf8Bytes(text) <= bytes ? text : undefined
}

/** Two lines of the end for each of the beginning: what went wrong stands more often at the end. */
const takesHead = (turn: number) => turn % 3 === 1

/** In file order. At most `budget.lines` lines and `budget.bytes` bytes, the newline of each line counted. */
export const chooseHeadAndTail = (digest: OutputDigest, budget: Budget): ReadonlyArray<ChosenLine> => {
  const head: Array<ChosenLine> = []
  const tail: Array<ChosenLine> = []
  let bytesLeft = budget.bytes
  let headOpen = true
  let tailOpen = true

  const take = (why: ChosenLine["why"], candidate: NumberedLine | undefined): boolean => {
    const text = candidate === undefined ? undefined : render(candidate, bytesLeft - 1)
    if (candidate === undefined || text === undefined) return false
    bytesLeft -= utf8Bytes(text) + 1
    if (why === "head") head.push({ line: candidate.line, text, why })
    else tail.unshift({ line: candidate.line, text, why })
    return true
  }

  for (let turn = 0; (headOpen || tailOpen) && head.length + tail.length < budget.lines; turn++) {
    const fromHead = headOpen && (takesHead(turn) || !tailOpen)
    const firstOfTail = tail[0]?.line ?? digest.lastInkedLine + 1
    const lastOfHead = head.at(-1)?.line ?? 0
    if (lastOfHead + 1 >= firstOfTail) break
    if (fromHead) headOpen = take("head", digest.head[head.length])
    else tailOpen = take("tail", digest.tail[digest.tail.length - 1 - tail.length])
  }
  return [...head, ...tail]
}

export interface SkippedLines {
  /** 1-based, inclusive. */
  readonly from: number
  readonly to: number
}

/** What lies between the chosen lines and after them, in file order. */
export const skippedLines = (chosen: ReadonlyArray<ChosenLine>, totalLines: number): ReadonlyArray<SkippedLines> => {
  const skipped: Array<SkippedLines> = []
  let next = 1
  for (const { line } of chosen) {
    if (line > next) skipped.push({ from: next, to: line - 1 })
    next = line + 1
  }
  if (next <= totalLines) skipped.push({ from: next, to: totalLines })
  return skipped
}
