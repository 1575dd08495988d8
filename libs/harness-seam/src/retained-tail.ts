/**
 * The last part of a text that grows.
 *
 * Limits: pure. The text has at most `retainedOutputUnits` UTF-16 units and no lone surrogate in front; `dropped` stays once it is
 * set. Growing copies nothing but short pieces: the text is put together for whoever reads it.
 */
import { retainedOutputUnits } from "@steno/contracts"

export interface RetainedTail {
  /** Oldest first; they reach beyond the tail where something was dropped, so that half a character in front is known as such. */
  readonly pieces: ReadonlyArray<string>
  /** Of all pieces. */
  readonly units: number
  readonly dropped: boolean
}

export const emptyTail: RetainedTail = { pieces: [], units: 0, dropped: false }

/** Shorter ones are put together, so that a tail has few. */
const pieceUnits = 4_096

const isLowSurrogate = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff

const lastUnits = (text: string): string => {
  if (text.length <= retainedOutputUnits) return text
  const from = text.length - retainedOutputUnits
  return text.slice(isLowSurrogate(text.charCodeAt(from)) ? from + 1 : from)
}

/** With one unit more, which may be half a character. A slice keeps the text alive that it was cut from; a copy does not. */
const endOf = (piece: string): string =>
  piece.length > 2 * retainedOutputUnits ? structuredClone(piece.slice(-retainedOutputUnits - 1)) : piece

const joined = (pieces: ReadonlyArray<string>, piece: string): ReadonlyArray<string> => {
  const last = pieces.at(-1)
  return last !== undefined && last.length + piece.length <= pieceUnits ? [...pieces.slice(0, -1), last + piece] : [...pieces, piece]
}

/** `tail` and what came after it. */
export const extendTail = (tail: RetainedTail, piece: string): RetainedTail => {
  const pieces = joined(tail.pieces, endOf(piece))
  const dropped = tail.dropped || tail.units + piece.length > retainedOutputUnits
  let units = pieces.reduce((sum, { length }) => sum + length, 0)
  let first = 0
  for (const { length } of pieces) {
    if (units - length <= retainedOutputUnits) break
    units -= length
    first++
  }
  return { pieces: pieces.slice(first), units, dropped }
}

export const tailText = ({ pieces }: RetainedTail): string => lastUnits(pieces.join(""))
