/**
 * A place in a Session's log whose event cannot be read any more.
 *
 * Owns: why it cannot, what of it is still known, how much of its stored text is shown.
 * Limits: a field is present only where its column could be read; nothing is concluded from the text. `text` holds at most
 *   `unreadableTextUnits` UTF-16 units, well-formed; `sizeBytes` is the size of the whole.
 */
import { Schema } from "effect"
import { type ConversationId, TurnId } from "../ids/ids.schema.ts"
import { ByteCount, Instant, Sequence } from "../units.ts"

/**
 * - `lost`: the log has no row at this place
 * - `column-damaged`: a column beside the payload holds what it never may
 * - `type-unknown`, `version-unknown`: this release knows no such event
 * - `not-json`: the payload is not JSON
 * - `shape-unknown`: the payload is JSON, but not what its type and version say
 */
export const UnreadableReason = Schema.Literals([
  "lost",
  "column-damaged",
  "type-unknown",
  "version-unknown",
  "not-json",
  "shape-unknown"
])
export type UnreadableReason = typeof UnreadableReason.Type

export const UnreadableFacts = Schema.Struct({
  sequence: Sequence,
  /** Of several that are lost in a row; absent for one. */
  lastSequence: Schema.optionalKey(Sequence),
  reason: UnreadableReason,
  /** As stored. */
  storedType: Schema.optionalKey(Schema.String),
  storedVersion: Schema.optionalKey(Schema.Finite),
  turnId: Schema.optionalKey(TurnId),
  at: Schema.optionalKey(Instant),
  /** The beginning of the stored payload. */
  text: Schema.optionalKey(Schema.String),
  /** Of the whole stored payload in UTF-8. */
  sizeBytes: Schema.optionalKey(ByteCount)
})
export type UnreadableFacts = typeof UnreadableFacts.Type

/** What stands in a Session's log where an event cannot be read. */
export interface UnreadableEvent {
  readonly type: "unreadable"
  readonly conversationId: ConversationId
  readonly sequence: number
  readonly lastSequence?: number
  readonly turnId?: TurnId
  readonly itemId?: string
  readonly firstSeen?: number
  readonly createdAt?: Instant
  readonly reason: UnreadableReason
  readonly storedType?: string
  readonly storedVersion?: number
  readonly text?: string
  readonly sizeBytes?: number
}

/** What a client sees of it: everything but ids and orders that stay inside. */
export const unreadableFacts = (event: UnreadableEvent): UnreadableFacts => ({
  sequence: event.sequence,
  ...(event.lastSequence === undefined ? {} : { lastSequence: event.lastSequence }),
  reason: event.reason,
  ...(event.storedType === undefined ? {} : { storedType: event.storedType }),
  ...(event.storedVersion === undefined ? {} : { storedVersion: event.storedVersion }),
  ...(event.turnId === undefined ? {} : { turnId: event.turnId }),
  ...(event.createdAt === undefined ? {} : { at: event.createdAt }),
  ...(event.text === undefined ? {} : { text: event.text }),
  ...(event.sizeBytes === undefined ? {} : { sizeBytes: event.sizeBytes })
})

/** Of an entry list: where an unreadable event stands among the entries. */
export const UnreadablePlace = Schema.Struct({
  ...UnreadableFacts.fields,
  /** Entries of the same list that stand before it. */
  entriesBefore: Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))
})
export type UnreadablePlace = typeof UnreadablePlace.Type
