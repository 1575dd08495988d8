/**
 * Measures text as budgets count it.
 *
 * Limits: empty text has no line, one newline at the end adds none; lines are joined by a newline, the last one has none.
 */
import { utf8Bytes } from "./clipped-text.ts"
import type { Budget } from "./profiles.ts"

export const linesOf = (text: string): ReadonlyArray<string> =>
  text === "" ? [] : (text.endsWith("\n") ? text.slice(0, -1) : text).split("\n")

export const sizeOf = (lines: ReadonlyArray<string>): Budget => ({
  lines: lines.length,
  bytes: lines.reduce((sum, line) => sum + utf8Bytes(line), Math.max(0, lines.length - 1))
})

export const isWithin = (size: Budget, budget: Budget): boolean => size.lines <= budget.lines && size.bytes <= budget.bytes

/** What `taken` leaves for lines that are joined to it. */
export const roomBeside = (taken: ReadonlyArray<string>, budget: Budget): Budget => {
  const size = sizeOf(taken)
  return { lines: budget.lines - size.lines, bytes: budget.bytes - size.bytes - (taken.length > 0 ? 1 : 0) }
}

/** How many of the first lines fit. */
export const leadingLines = (lines: ReadonlyArray<string>, room: Budget): number => {
  let bytes = -1
  let count = 0
  for (const line of lines) {
    bytes += utf8Bytes(line) + 1
    if (count + 1 > room.lines || bytes > room.bytes) break
    count++
  }
  return count
}
