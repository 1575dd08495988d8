/**
 * A row of a Session before a subscription gives it an id and a position.
 */
import type { Instant, TurnId } from "@steno/contracts"
import type { RowOrder } from "./row-order.ts"
import type { RowValue } from "./row-value.ts"

export interface HistoryRow {
  /** Turn, item type and item id: never leaves the process. */
  readonly key: string
  readonly order: RowOrder
  readonly source: "stored"
  /** Absent for an unreadable event of which no Turn is known. */
  readonly turn?: TurnId
  /** Time of the Turn's first event; absent where that is not known. */
  readonly turnStartedAt?: Instant
  readonly value: RowValue
  /** Sequence of the fact that made the row conversation; absent: it is not in a transcript. */
  readonly conversationSince?: number
}

/** The newest rows of a Session, oldest first. */
export interface HistoryWindow {
  readonly rows: ReadonlyArray<HistoryRow>
  /** Older rows exist that are not in `rows`. */
  readonly hasEarlier: boolean
}
