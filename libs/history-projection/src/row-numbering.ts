/**
 * Ids and positions that one subscription gives to rows.
 *
 * Owns: the opaque id and position of a row, which rows have fallen off this subscription's window.
 * Ordering: a row keeps id and position from its first page on; positions strictly increase in row order. A row that moved against
 * others, which events applied in the order of their sequence never cause, counts as another row.
 * Limits: a row that fell off never returns, also when fewer rows are left. Memory: the rows of one window.
 */
import type { Instant, TurnId } from "@steno/contracts"
import type { HistoryRow, HistoryWindow } from "./history-row.ts"
import { compareOrder, type RowOrder } from "./row-order.ts"
import { positionBetween } from "./row-position.ts"
import type { RowValue } from "./row-value.ts"

/** A row as a client gets it. */
export interface NumberedRow {
  /** Opaque. */
  readonly id: string
  /** Opaque; rows sort by it as a string. */
  readonly position: string
  readonly source: "stored"
  readonly turn?: TurnId
  readonly turnStartedAt?: Instant
  readonly value: RowValue
}

/** A whole page, oldest row first. */
export interface HistoryPage {
  readonly rows: ReadonlyArray<NumberedRow>
  readonly hasEarlier: boolean
}

export interface RowNumbering {
  readonly seed: string
  /** Rows that were given an id. */
  readonly count: number
  /** By row key, those of the last page. */
  readonly given: ReadonlyMap<string, NumberedRow>
  /** Position of the newest row that fell off. */
  readonly fallenPosition?: string
  /** Order of the oldest row that may still be shown; absent while none fell off. */
  readonly floor?: RowOrder
  /** The same object as long as nothing in it changes; absent before the first page. */
  readonly page?: HistoryPage
}

/** @param seed unlike that of any other subscription, for example random characters */
export const openRowNumbering = (seed: string): RowNumbering => ({ seed, count: 0, given: new Map() })

const isShown = (row: HistoryRow, floor: RowOrder | undefined): boolean =>
  floor === undefined || compareOrder(row.order, floor) >= 0

/** Of each row the position of the nearest known row below it. */
const knownBelow = (rows: ReadonlyArray<HistoryRow>, given: RowNumbering["given"]): ReadonlyArray<string | undefined> => {
  let position: string | undefined
  return rows.toReversed().map((row) => {
    const below = position
    position = given.get(row.key)?.position ?? position
    return below
  }).reverse()
}

/** Position of the newest row that stood above all that are still shown. */
const newestFallen = (numbering: RowNumbering, shown: ReadonlyArray<HistoryRow>): string | undefined => {
  const keys = new Set(shown.map(({ key }) => key))
  let fallen = numbering.fallenPosition
  for (const [key, { position }] of numbering.given) {
    if (keys.has(key)) break
    fallen = position
  }
  return fallen
}

const isAfter = (position: string | undefined, before: string | undefined): position is string =>
  position !== undefined && (before === undefined || position > before)

const isSamePage = (rows: ReadonlyArray<NumberedRow>, page: HistoryPage, hasEarlier: boolean): boolean =>
  hasEarlier === page.hasEarlier && rows.length === page.rows.length &&
  rows.every((row, index) => row === page.rows[index])

/** The next page of a subscription. Windows of one Session go in as they become newer; `page` is the one before when nothing changed. */
export const numberWindow = (
  numbering: RowNumbering,
  window: HistoryWindow
): { readonly numbering: RowNumbering; readonly page: HistoryPage } => {
  const shown = window.rows.filter((row) => isShown(row, numbering.floor))
  const below = knownBelow(shown, numbering.given)
  const fallenPosition = newestFallen(numbering, shown)
  const given = new Map<string, NumberedRow>()
  let { count } = numbering
  let last = fallenPosition
  const rows = shown.map(({ key, source, turn, turnStartedAt, value }, index): NumberedRow => {
    const earlier = numbering.given.get(key)
    const known = isAfter(earlier?.position, last) ? earlier : undefined
    const next = isAfter(below[index], last) ? below[index] : undefined
    const position = known?.position ?? positionBetween(last, next)
    last = position
    const row = known?.value === value && known.turnStartedAt === turnStartedAt
      ? known
      : {
        id: known?.id ?? `${numbering.seed}-${(count++).toString(36)}`,
        position,
        source,
        ...(turn === undefined ? {} : { turn }),
        ...(turnStartedAt === undefined ? {} : { turnStartedAt }),
        value
      }
    given.set(key, row)
    return row
  })
  const hasEarlier = window.hasEarlier || numbering.floor !== undefined
  const floor = window.hasEarlier ? shown[0]?.order ?? numbering.floor : numbering.floor
  const page = numbering.page !== undefined && isSamePage(rows, numbering.page, hasEarlier)
    ? numbering.page
    : { rows, hasEarlier }
  return {
    numbering: {
      seed: numbering.seed,
      count,
      given,
      ...(fallenPosition === undefined ? {} : { fallenPosition }),
      ...(floor === undefined ? {} : { floor }),
      page
    },
    page
  }
}
