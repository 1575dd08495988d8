/**
 * The last part of a text that grows.
 *
 * Limits: at most `retainedOutputUnits` UTF-16 units, no lone surrogate in front; `dropped` stays once it is set. Pure. It
 * keeps at most twice as many units alive.
 */
import { retainedOutputUnits } from "@steno/contracts"

export interface RetainedTail {
  readonly text: string
  readonly dropped: boolean
}

export const emptyTail: RetainedTail = { text: "", dropped: false }

/** A slice is a view of the text it was cut from, which lives as long as the slice does; a copy is not. */
const apart = (kept: string, from: string): string =>
  from.length > 2 * retainedOutputUnits ? structuredClone(kept) : kept

const isLowSurrogate = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff

/** `tail` and what came after it. */
export const extendTail = (tail: RetainedTail, piece: string): RetainedTail => {
  const text = tail.text + piece
  if (text.length <= retainedOutputUnits) return { text, dropped: tail.dropped }
  const from = text.length - retainedOutputUnits
  const kept = text.slice(isLowSurrogate(text.charCodeAt(from)) ? from + 1 : from)
  return { text: apart(kept, text), dropped: true }
}
