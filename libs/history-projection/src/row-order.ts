/**
 * The one order of a Session: of rows, transcript pages and exports.
 *
 * Ordering: by the sequence of a Turn's first event, its `turn-admitted`; in a Turn its input, then items by first appearance, then its
 * closing line.
 */

export interface RowOrder {
  /** Sequence of the Turn's first event. */
  readonly turn: number
  /** Place in the Turn: `inputPlace`, an item's order of first appearance from 0, or `closingPlace`. */
  readonly place: number
  /** Sequence of the first fact, for items that appeared together. */
  readonly sequence: number
}

export const inputPlace = -1
export const closingPlace = Infinity

/** Negative: `left` stands above `right`. */
export const compareOrder = (left: RowOrder, right: RowOrder): number =>
  left.turn - right.turn ||
  (left.place === right.place ? left.sequence - right.sequence : left.place < right.place ? -1 : 1)
