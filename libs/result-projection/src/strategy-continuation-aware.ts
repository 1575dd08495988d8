/**
 * Shows the first lines of a text that can be read on, and the offset that goes on exactly behind them.
 *
 * Limits: one line that alone exceeds the budget is not shown; its size and the offset behind it are.
 */
import { type Candidate, imagesOf } from "./candidate.ts"
import { utf8Bytes } from "./clipped-text.ts"
import { countWords } from "./process-status.ts"
import { recoveryLines } from "./file-lines.ts"
import { head } from "./strategy-head.ts"
import { contentLines, rangeFrom, type Strategy } from "./strategy.ts"
import { leadingLines, roomBeside, sizeOf } from "./text-lines.ts"

interface TextRange {
  readonly firstLine: number
  readonly totalLines: number
  /** Lines behind those shown; derived unless given. */
  readonly rest?: number
}

/** `[lines 1–200 of 500, 300 not shown; continue at offset 201]` */
const footerOf = (candidate: Candidate, range: TextRange, shown: number, nextBytes: number): ReadonlyArray<string> => {
  const { firstLine, rest = Math.max(0, range.totalLines - firstLine - shown + 1), totalLines } = range
  const next = firstLine + shown
  const goOn = `continue at offset ${next}`
  const said = shown > 0
    ? `lines ${firstLine}–${next - 1} of ${totalLines}, ${rest} not shown; ${goOn}`
    : `line ${next} of ${totalLines} alone has ${countWords(nextBytes, "byte", "bytes")}, more than fits; ${rest} not shown; ${
      rest > 1 ? `continue at offset ${next + 1}` : "nothing follows it"
    }`
  return [`[${said}]`, ...recoveryLines(candidate.files)]
}

export const continuationAware: Strategy = (candidate, profile) => {
  const { range } = candidate
  const content = contentLines(candidate)
  if (range === undefined || content.length === 0) return head(candidate, profile)
  const { contentLines: most = profile.overflow.lines, overflow } = profile
  const highest = Math.max(range.totalLines, range.firstLine + content.length)
  const widest = { firstLine: highest, totalLines: highest, rest: highest }
  const reserved = [...candidate.status, ...footerOf(candidate, widest, highest, 0)]
  const room = roomBeside(reserved, overflow)
  const count = leadingLines(content, { lines: Math.min(most, overflow.lines - 1, room.lines), bytes: room.bytes })
  const footer = footerOf(candidate, range, count, utf8Bytes(content[count] ?? ""))
  const shown = content.slice(0, count)
  return {
    strategy: "continuation-aware",
    lines: count === 0 ? footer : [...candidate.status, ...shown, ...footer],
    images: imagesOf(candidate),
    payload: sizeOf(shown),
    kept: rangeFrom(1, count, "first lines"),
    omitted: count === content.length ? [] : [{ from: count + 1, to: content.length }],
    continuation: { kind: "line", value: range.firstLine + (count === 0 ? 1 : count) }
  }
}
