/**
 * What a projection needs of an output of any length: counts, its text while that is short, its first and last lines.
 *
 * Owns: decoding, counting, keeping both ends.
 * Limits: one pass; memory is bounded by the budgets; blocks may be cut anywhere.
 */
import type { KeptLine } from "./bounded-line.ts"
import type { Budget } from "./profiles.ts"
import { makeLineCleaner } from "./text-hygiene.ts"

export interface NumberedLine extends KeptLine {
  /** 1-based line of the file. */
  readonly line: number
}

export interface OutputDigest {
  readonly totalLines: number
  readonly totalBytes: number
  /** The complete text after hygiene, while it fits `inline`; without its last newline. */
  readonly inlineText: string | undefined
  /** Bytes of `inlineText` and its last newline, if it has one. */
  readonly inlineBytes: number
  /** First lines of the file. */
  readonly head: ReadonlyArray<NumberedLine>
  /** Last lines of the file up to the last one that is not blank; may overlap `head`. */
  readonly tail: ReadonlyArray<NumberedLine>
  /** 1-based; 0 when every line is blank. */
  readonly lastInkedLine: number
  readonly binary: boolean
}

export interface OutputDigester {
  readonly push: (block: Uint8Array) => void
  /** Call once. */
  readonly finish: () => OutputDigest
}

const nulShare = 0.01
const replacementShare = 0.3
const blankLine: KeptLine = { start: "", bytes: 0 }

/** @param ends how many lines are kept at each end */
export const makeOutputDigester = (inline: Budget, ends: number): OutputDigester => {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true })
  const head: Array<NumberedLine> = []
  const tail: Array<NumberedLine> = []
  let inlineLines: Array<string> | undefined = []
  let inlineBytes = 0
  let totalLines = 0
  let totalBytes = 0
  let characters = 0
  let lastInkedLine = 0
  let lastByte = 0x0a

  const keepInline = (line: KeptLine) => {
    if (inlineLines === undefined) return
    inlineBytes += line.bytes + 1
    // One byte more than the budget may still lose the newline of the last line.
    if (totalLines > inline.lines || inlineBytes > inline.bytes + 1 || line.end !== undefined) inlineLines = undefined
    else inlineLines.push(line.start)
  }

  const keepTail = (line: NumberedLine) => {
    const missing = Math.min(ends - 1, line.line - 1 - lastInkedLine)
    for (let blank = line.line - missing; blank < line.line; blank++) tail.push({ line: blank, ...blankLine })
    tail.push(line)
    if (tail.length > 4 * ends) tail.splice(0, tail.length - ends)
  }

  const cleaner = makeLineCleaner((line, hasInk) => {
    totalLines++
    keepInline(line)
    const numbered = { line: totalLines, ...line }
    if (head.length < ends) head.push(numbered)
    if (!hasInk) return
    keepTail(numbered)
    lastInkedLine = totalLines
  })

  const pushText = (text: string) => {
    characters += text.length
    cleaner.push(text)
  }

  return {
    push: (block) => {
      if (block.length === 0) return
      totalBytes += block.length
      lastByte = block[block.length - 1] ?? lastByte
      pushText(decoder.decode(block, { stream: true }))
    },
    finish: () => {
      pushText(decoder.decode())
      const counts = cleaner.end()
      if (totalBytes > 0 && lastByte !== 0x0a) inlineBytes--
      return {
        totalLines,
        totalBytes,
        inlineText: inlineBytes > inline.bytes ? undefined : inlineLines?.join("\n"),
        inlineBytes,
        head,
        tail: tail.slice(-ends),
        lastInkedLine,
        binary: counts.nulCharacters > totalBytes * nulShare ||
          counts.replacementCharacters > characters * replacementShare
      }
    }
  }
}
