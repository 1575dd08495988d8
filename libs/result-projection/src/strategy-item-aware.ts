/**
 * Shows the first items of a list, whole and in order.
 *
 * Limits: it stops at the first item that does not fit; one that alone exceeds the budget is clipped and marked.
 */
import { type Candidate, imagesOf, type Item, linesOfBlocks } from "./candidate.ts"
import { clipLine } from "./clipped-text.ts"
import { countWords } from "./process-status.ts"
import type { Budget } from "./profiles.ts"
import { head, noticeAlone } from "./strategy-head.ts"
import { noticeLines, rangeFrom, type Strategy } from "./strategy.ts"
import { isWithin, linesOf, roomBeside, sizeOf } from "./text-lines.ts"

/** What an item that alone exceeds the budget keeps: its first lines, of these the start and the end. */
const clippedLines = 6
const clippedBytes = 1_000

/** The tool's own count where it found more than came back. */
const totalOf = (candidate: Candidate): number => Math.max(candidate.items.length, candidate.counts[0]?.total ?? 0)

const itemNotice = (candidate: Candidate, shown: number, omitted: number, clipped: number): ReadonlyArray<string> => {
  const { noun, plural } = candidate.overflow
  return noticeLines(
    candidate,
    `${shown} of ${countWords(totalOf(candidate), noun, plural)} shown, ${omitted} not shown${
      clipped === 0 ? "" : `, ${clipped} shown in part`
    }`
  )
}

const clipItem = (text: string): string => {
  const lines = linesOf(text)
  const cutLines = lines.length > clippedLines ? ` [${countWords(lines.length - clippedLines, "line", "lines")} left out]` : ""
  return `${clipLine(lines.slice(0, clippedLines).join("\n"), clippedBytes)}${cutLines}`
}

interface Shown {
  readonly lines: ReadonlyArray<string>
  readonly items: ReadonlyArray<Item>
  readonly clipped: ReadonlySet<number>
}

const takeItems = (items: ReadonlyArray<Item>, room: Budget, most: number): Shown => {
  const lines: Array<string> = []
  const taken: Array<Item> = []
  const clipped = new Set<number>()
  for (const item of items) {
    if (taken.length === most) break
    const whole = linesOfBlocks(item.blocks)
    const exceedsAlone = !isWithin(sizeOf(whole), room)
    const shown = exceedsAlone ? linesOf(clipItem(whole.join("\n"))) : whole
    if (!isWithin(sizeOf([...lines, ...shown]), room)) break
    if (exceedsAlone) clipped.add(taken.length)
    lines.push(...shown)
    taken.push(item)
  }
  return { lines, items: taken, clipped }
}

export const itemAware: Strategy = (candidate, profile) => {
  const { items: most = Infinity, overflow } = profile
  const isList = candidate.items.length > 0 && candidate.reports.length === 0 && linesOfBlocks(candidate.blocks).length === 0
  if (!isList) return head(candidate, profile)
  const total = totalOf(candidate)
  const fixed = [...candidate.status, ...itemNotice(candidate, total, total, total)]
  if (!isWithin(sizeOf(fixed), overflow)) {
    return noticeAlone(candidate, "item-aware", itemNotice(candidate, 0, total, 0), total)
  }
  const shown = takeItems(candidate.items, roomBeside(fixed, overflow), most)
  const count = shown.items.length
  return {
    strategy: "item-aware",
    lines: [...candidate.status, ...shown.lines, ...itemNotice(candidate, count, total - count, shown.clipped.size)],
    images: imagesOf({ ...candidate, items: shown.items }),
    payload: sizeOf(shown.lines),
    kept: rangeFrom(1, count, "in order").map((kept, index) =>
      shown.clipped.has(index) ? { ...kept, why: "in order, clipped: it alone exceeds the budget" } : kept
    ),
    omitted: count === total ? [] : [{ from: count + 1, to: total }]
  }
}
