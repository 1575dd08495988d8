/**
 * Reads rows of a Session's log as events, or as what stands where none can be read.
 *
 * Owns: the checks of stored columns and payloads, the bounded text of what failed them.
 * Never owns: what an unreadable event means for its Run (application).
 * Limits: every payload is checked against the schema of its type and version, whenever it is read.
 */
import {
  type ConversationId,
  eventManifest,
  type EventType,
  Instant,
  type LoggedEvent,
  TurnId,
  type UnreadableEvent,
  type UnreadableReason,
  unreadableTextUnits
} from "@steno/contracts"
import { Schema } from "effect"
import type { EventColumns } from "./stored-rows.ts"

const isTurnId = Schema.is(TurnId)
const isInstant = Schema.is(Instant)

const checks: ReadonlyMap<string, (payload: unknown) => boolean> = new Map(
  [...eventManifest].map(([key, event]) => [key, Schema.is<Schema.Codec<unknown, unknown>>(event.payload)])
)
const knownTypes: ReadonlySet<string> = new Set([...eventManifest.values()].map(({ type }): EventType => type))

const isWhole = (value: unknown): value is number => typeof value === "number" && Number.isInteger(value) && value >= 0
const isItemId = (value: unknown): value is string | null => value === null || typeof value === "string"
const isFirstSeen = (value: unknown): value is number | null => value === null || isWhole(value)

/** A payload is text; where damage made a blob of it, its bytes are shown as the text they may have been. */
const textOf = (payload: unknown): string | undefined =>
  typeof payload === "string" ? payload : Buffer.isBuffer(payload) ? payload.toString("utf8") : undefined

const shownText = (payload: unknown): Pick<UnreadableEvent, "text" | "sizeBytes"> => {
  const text = textOf(payload)
  return text === undefined
    ? {}
    : { text: text.slice(0, unreadableTextUnits).toWellFormed(), sizeBytes: Buffer.byteLength(text) }
}

/** Whatever its columns hold: the types of `row` are what was once written. */
const unreadable = (row: EventColumns, reason: UnreadableReason): UnreadableEvent => ({
  type: "unreadable",
  conversationId: row.conversation_id,
  sequence: row.sequence,
  reason,
  ...(isTurnId(row.turn_id) ? { turnId: row.turn_id } : {}),
  ...(typeof row.item_id === "string" ? { itemId: row.item_id } : {}),
  ...(isWhole(row.first_seen) ? { firstSeen: row.first_seen } : {}),
  ...(isInstant(row.created_at) ? { createdAt: row.created_at } : {}),
  ...(typeof row.type === "string" ? { storedType: row.type } : {}),
  ...(typeof row.version === "number" ? { storedVersion: row.version } : {}),
  ...shownText(row.payload)
})

/** Undefined: not JSON. */
const parsed = (text: string): { readonly value: unknown } | undefined => {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return undefined
  }
}

/** What stands at the sequence of this row. */
export const toLoggedEvent = (row: EventColumns): LoggedEvent => {
  if (!isTurnId(row.turn_id) || !isInstant(row.created_at) || !isItemId(row.item_id) || !isFirstSeen(row.first_seen)) {
    return unreadable(row, "column-damaged")
  }
  const isPayload = checks.get(`${row.type}.${row.version}`)
  if (isPayload === undefined) return unreadable(row, knownTypes.has(row.type) ? "version-unknown" : "type-unknown")
  const payload = typeof row.payload === "string" ? parsed(row.payload) : undefined
  if (payload === undefined) return unreadable(row, "not-json")
  if (!isPayload(payload.value)) return unreadable(row, "shape-unknown")
  return {
    conversationId: row.conversation_id,
    sequence: row.sequence,
    turnId: row.turn_id,
    ...(row.item_id !== null && { itemId: row.item_id }),
    ...(row.first_seen !== null && { firstSeen: row.first_seen }),
    type: row.type,
    version: row.version,
    payload: payload.value,
    createdAt: row.created_at
  } as LoggedEvent
}

/** What stands where the log has no row. */
const lost = (conversationId: ConversationId, first: number, last: number): UnreadableEvent => ({
  type: "unreadable",
  conversationId,
  sequence: first,
  ...(last > first ? { lastSequence: last } : {}),
  reason: "lost"
})

/** Makes the log whole: the rows that are read next, in order, and one value for each gap before one of them. */
export const logReader = (conversationId: ConversationId) => {
  let next = 1
  const upTo = (sequence: number): ReadonlyArray<LoggedEvent> =>
    sequence > next ? [lost(conversationId, next, sequence - 1)] : []
  return {
    /** The sequence that is expected next, from 1. */
    next: () => next,
    take: (row: EventColumns): ReadonlyArray<LoggedEvent> => {
      const read = [...upTo(row.sequence), toLoggedEvent(row)]
      next = row.sequence + 1
      return read
    },
    /** What is missing up to the end of the log. */
    close: (end: number): ReadonlyArray<LoggedEvent> => upTo(end + 1)
  }
}
