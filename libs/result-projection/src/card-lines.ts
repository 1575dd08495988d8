/**
 * Cuts both sides of a card to its lines and bytes.
 *
 * Owns: head and tail of a text on a card, sharing of the bytes, the count of what is hidden.
 * Limits: six lines a side unless a tool shows its questions whole, 8 KiB a card; cuts between graphemes; hidden counts are those of the original.
 */
import { type AssetId, cardLimits, type CardPreview, type CardProjection } from "@steno/contracts"
import { cleanText } from "./clean-text.ts"
import { clipAtGrapheme, utf8Bytes } from "./clipped-text.ts"
import { leadingLines, linesOf } from "./text-lines.ts"
import { withoutUserInfo } from "./url-secrets.ts"

/** The side that comes second keeps up to this much. */
const secondSideBytes = 1_024

/** The first `cardLimits.lines` of `lines`, of which there are `total`. */
export const firstOf = (lines: ReadonlyArray<string>, noun: string, total = lines.length): CardPreview => {
  const shown = lines.slice(0, cardLimits.lines)
  return { lines: shown, hidden: Math.max(0, total - shown.length), noun, direction: "head" }
}

export const lastOf = (lines: ReadonlyArray<string>, noun: string, total = lines.length): CardPreview => {
  const shown = lines.slice(-cardLimits.lines)
  return { lines: shown, hidden: Math.max(0, total - shown.length), noun, direction: "tail" }
}

export const firstLinesOf = (text: string): CardPreview => firstOf(linesOf(cleanText(text)), "lines")

export const lastLinesOf = (text: string): CardPreview => lastOf(linesOf(cleanText(text)), "lines")

/** All lines that the card has bytes for; the first one at any rate. */
export const wholeOf = (lines: ReadonlyArray<string>): CardPreview => {
  const count = Math.max(1, leadingLines(lines, { lines: lines.length, bytes: cardLimits.bytes - secondSideBytes }))
  const shown = lines.slice(0, count)
  return { lines: shown, hidden: lines.length - shown.length, noun: "lines", direction: "head" }
}

export const withImages = (preview: CardPreview, images: ReadonlyArray<AssetId>): CardPreview =>
  images.length === 0 ? preview : { ...preview, images }

const oneLine = (line: string): string => withoutUserInfo(linesOf(cleanText(line)).join(" "))

/** The largest line that still lets all of them fit, shorter lines leaving their share to longer ones. */
const fairShare = (sizes: ReadonlyArray<number>, bytes: number): number => {
  let left = bytes
  const sorted = sizes.toSorted((one, other) => one - other)
  for (const [at, size] of sorted.entries()) {
    const share = Math.floor(left / (sorted.length - at))
    if (size > share) return share
    left -= size
  }
  return bytes
}

const bytesOf = (lines: ReadonlyArray<string>): number => lines.reduce((sum, line) => sum + utf8Bytes(line), 0)

const clipTo = (lines: ReadonlyArray<string>, bytes: number): ReadonlyArray<string> => {
  const share = fairShare(lines.map(utf8Bytes), bytes)
  return lines.map((line) => clipAtGrapheme(line, share))
}

const overflowOf = (args: CardPreview, result: CardPreview): CardProjection["overflow"] => {
  const cut = [args, result].filter(({ hidden }) => hidden > 0)
  const [first, second] = cut
  if (first === undefined) return undefined
  return second === undefined
    ? { hidden: first.hidden, noun: first.noun, direction: first.direction }
    : { hidden: first.hidden + second.hidden, noun: second.noun, direction: "mixed" }
}

export interface CardParts {
  readonly arguments: CardPreview
  readonly result: CardPreview
  readonly first: "arguments" | "result"
  readonly stats?: CardProjection["stats"]
}

export const makeCard = ({ arguments: args, first, result, stats }: CardParts): CardProjection => {
  const argumentLines = args.lines.map(oneLine)
  const resultLines = result.lines.map(oneLine)
  const [leading, following] = first === "arguments" ? [argumentLines, resultLines] : [resultLines, argumentLines]
  const leadingClipped = clipTo(leading, cardLimits.bytes - Math.min(secondSideBytes, bytesOf(following)))
  const followingClipped = clipTo(following, cardLimits.bytes - bytesOf(leadingClipped))
  const [shownArguments, shownResult] = first === "arguments"
    ? [leadingClipped, followingClipped]
    : [followingClipped, leadingClipped]
  const overflow = overflowOf(args, result)
  return {
    arguments: { ...args, lines: shownArguments },
    result: { ...result, lines: shownResult },
    ...(overflow === undefined ? {} : { overflow }),
    ...(stats === undefined ? {} : { stats })
  }
}
