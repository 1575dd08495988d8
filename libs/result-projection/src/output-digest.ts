/**
 * What a projection needs of an output of any length: counts, its text while that is short, a survey of its lines.
 *
 * Owns: cutting bytes into lines, decoding, counting.
 * Limits: one pass; memory is bounded; blocks may be cut anywhere. Lines of clean text are read as bytes, without making strings.
 */
import { Result } from "effect"
import { type KeptLine, longLineUnits } from "./bounded-line.ts"
import { purityOf } from "./line-shape.ts"
import { OutputSurvey, type Survey } from "./output-survey.ts"
import type { Budget } from "./profiles.ts"
import { makeLineCleaner } from "./text-hygiene.ts"

export interface OutputDigest {
  /** Of what was fed; a line that marks lost bytes counts as one. */
  readonly totalLines: number
  readonly totalBytes: number
  /** How much of it is in the file. */
  readonly filed: { readonly lines: number; readonly bytes: number }
  /** The complete text after hygiene, while it fits `inline`; without its last newline. */
  readonly inlineText: string | undefined
  /** Bytes of `inlineText` and its last newline, if it has one. */
  readonly inlineBytes: number
  readonly survey: Survey
  /** The last lines up to the last one that is not blank. */
  readonly lastLines: ReadonlyArray<string>
  /** 1-based; 0 when every line is blank. */
  readonly lastInkedLine: number
  readonly binary: boolean
}

export interface OutputDigester {
  readonly push: (block: Uint8Array) => void
  /** The file ends here; `lostBytes` are nowhere, and a line says so. Call at most once. */
  readonly leaveFile: (lostBytes: number) => void
  /** Call once. */
  readonly finish: () => OutputDigest
}

const nulShare = 0.01
const replacementShare = 0.3
const lineFeed = 0x0a
const carriageReturn = 0x0d
/** Bytes of an unfinished line that are held back before it is read as a stream. */
const heldBytes = 16_384

const strictDecoder = new TextDecoder("utf-8", { fatal: true })
const isUtf8 = (bytes: Uint8Array): boolean => Result.isSuccess(Result.try(() => strictDecoder.decode(bytes)))

/** Bytes that only end a character whose start was lost. */
const continuationsOf = (block: Uint8Array): number => {
  let count = 0
  while (count < 3 && ((block[count] ?? 0) & 0xc0) === 0x80) count++
  return count
}

/** @param lastLines how many lines of the end are kept as they are */
export const makeOutputDigester = (inline: Budget, lastLines: number): OutputDigester => {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true })
  const encoder = new TextEncoder()
  const survey = new OutputSurvey()
  let inlineLines: Array<string> | undefined = []
  let inlineBytes = 0
  let totalBytes = 0
  let characters = 0
  let lastByte = lineFeed
  let held = new Uint8Array()
  /** The line that is being read is too long to be held. */
  let streaming = false
  let filed: OutputDigest["filed"] | undefined
  let isAfterLoss = false

  const keepInline = (line: string | undefined, bytes: number) => {
    if (inlineLines === undefined) return
    inlineBytes += bytes + 1
    // One byte more than the budget may still lose the newline of the last line.
    if (survey.totalLines > inline.lines || inlineBytes > inline.bytes + 1 || line === undefined) inlineLines = undefined
    else inlineLines.push(line)
  }

  const cleaner = makeLineCleaner(({ long, whole }: KeptLine) => {
    const text = long === undefined ? whole ?? "" : long.start.slice(0, longLineUnits).toWellFormed()
    const bytes = encoder.encode(text)
    survey.add(bytes, 0, bytes.length, long)
    keepInline(whole, long === undefined ? bytes.length : long.bytes)
  })

  const clean = (bytes: Uint8Array) => {
    const text = decoder.decode(bytes, { stream: true })
    characters += text.length
    cleaner.push(text)
  }

  /** A complete line, `end` at its newline; `isBlockUtf8`: whether all lines of its block are UTF-8. */
  const readLine = (bytes: Uint8Array, start: number, end: number, isBlockUtf8: () => boolean) => {
    const last = end > start && bytes[end - 1] === carriageReturn ? end - 1 : end
    if (last - start > longLineUnits) return clean(bytes.subarray(start, end + 1))
    const purity = purityOf(bytes, start, last)
    const isText = purity === "ascii" || (purity === "wide" && (isBlockUtf8() || isUtf8(bytes.subarray(start, last))))
    if (!isText) return clean(bytes.subarray(start, end + 1))
    characters += end + 1 - start
    survey.add(bytes, start, last)
    if (inlineLines !== undefined) keepInline(Buffer.from(bytes.buffer, bytes.byteOffset + start, last - start).toString(), last - start)
  }

  const readRest = (block: Uint8Array, from: number): number => {
    const end = block.indexOf(lineFeed, from)
    const rest = block.subarray(from, end === -1 ? block.length : end + 1)
    if (streaming) clean(rest)
    else {
      const joined = new Uint8Array(held.length + rest.length)
      joined.set(held)
      joined.set(rest, held.length)
      held = joined
      if (end !== -1) readLine(held, 0, held.length - 1, () => false)
      else if (held.length > heldBytes) {
        streaming = true
        clean(held)
      }
      if (end !== -1 || streaming) held = new Uint8Array()
    }
    if (end !== -1) streaming = false
    return end === -1 ? block.length : end + 1
  }

  const read = (block: Uint8Array) => {
    lastByte = block[block.length - 1] ?? lastByte
    let at = held.length > 0 || streaming ? readRest(block, 0) : 0
    const first = at
    let known: boolean | undefined
    const isBlockUtf8 = () => known ??= isUtf8(block.subarray(first, block.lastIndexOf(lineFeed) + 1))
    while (at < block.length) {
      const end = block.indexOf(lineFeed, at)
      if (end === -1) at = readRest(block, at)
      else {
        readLine(block, at, end, isBlockUtf8)
        at = end + 1
      }
    }
    survey.endBlock()
  }

  return {
    push: (block) => {
      if (block.length === 0) return
      totalBytes += block.length
      read(isAfterLoss ? block.subarray(continuationsOf(block)) : block)
      isAfterLoss = false
    },
    leaveFile: (lostBytes) => {
      filed = { lines: survey.totalLines + (lastByte === lineFeed ? 0 : 1), bytes: totalBytes }
      if (lostBytes === 0) return
      read(encoder.encode(`${lastByte === lineFeed ? "" : "\n"}[steno: ${lostBytes} bytes dropped here]\n`))
      isAfterLoss = true
    },
    finish: () => {
      if (held.length > 0) clean(held)
      const text = decoder.decode()
      characters += text.length
      cleaner.push(text)
      const counts = cleaner.end()
      survey.endBlock()
      if (totalBytes > 0 && lastByte !== lineFeed) inlineBytes--
      return {
        totalLines: survey.totalLines,
        totalBytes,
        filed: filed ?? { lines: survey.totalLines, bytes: totalBytes },
        inlineText: inlineBytes > inline.bytes ? undefined : inlineLines?.join("\n"),
        inlineBytes,
        survey: survey.finish(),
        lastLines: survey.lastLines(lastLines),
        lastInkedLine: survey.lastInkedLine,
        binary: counts.nulCharacters > totalBytes * nulShare ||
          counts.replacementCharacters > characters * replacementShare
      }
    }
  }
}
