/**
 * Appends facts to a Session's log.
 *
 * Owns: `event` rows, their sequence, the check of a payload against its schema.
 * Ordering: the sequence is taken inside the write transaction, so it has no gap and no duplicate.
 */
import {
  type CallId,
  type ConversationId,
  durableEvents,
  eventManifest,
  type EventPayload,
  type EventType,
  eventVersions,
  type Instant,
  type StoredEvent,
  type TurnId
} from "@steno/contracts"
import { Schema } from "effect"
import type { SqliteClient } from "./sqlite-client.ts"

/** A payload that passed its schema, ready to be written. */
export interface EncodedFact {
  readonly type: EventType
  readonly version: number
  readonly payload: StoredEvent["payload"]
  readonly text: string
}

interface FactEncoder {
  readonly version: number
  readonly fits: (payload: unknown) => boolean
  readonly encode: (payload: unknown) => unknown
}

const encoders = new Map<EventType, ReadonlyArray<FactEncoder>>(durableEvents.map(({ type }) => [
  type,
  eventVersions(type).map((version) => {
    const event = eventManifest.get(`${type}.${version}`)
    if (event === undefined) throw new Error(`No schema for durable event ${type}.${version}`)
    return {
      version,
      fits: Schema.is<Schema.Codec<unknown, unknown>>(event.payload),
      encode: Schema.encodeUnknownSync<Schema.Codec<unknown, unknown>>(event.payload)
    }
  })
]))

/** The newest version that the payload fits; the newest one where it fits none, whose encoding then tells why. */
const encoderOf = (type: EventType, payload: unknown): FactEncoder => {
  const [newest, ...older] = encoders.get(type) ?? []
  if (newest === undefined) throw new Error(`No schema for durable event ${type}`)
  if (older.length === 0 || newest.fits(payload)) return newest
  return older.find(({ fits }) => fits(payload)) ?? newest
}

/** Throws, as a defect of the caller, when the payload does not fit its schema. */
export const encodeFact = <Type extends EventType>(type: Type, payload: EventPayload<Type>): EncodedFact => {
  const encoder = encoderOf(type, payload)
  return { type, version: encoder.version, payload, text: JSON.stringify(encoder.encode(payload)) }
}

/** Where a fact belongs; without item for facts of the Turn itself. */
export interface FactPlace {
  readonly conversationId: ConversationId
  readonly turnId: TurnId
  readonly item?: { readonly itemId: string; readonly firstSeen: number }
  /** The call that a response ends: no second event may name it. */
  readonly endedCall?: CallId
  readonly at: Instant
}

export interface EventLog {
  /** Inserts the event, adds it to those published after the commit and gives it. Only inside a write transaction. */
  readonly append: (committed: Array<StoredEvent>, fact: EncodedFact, place: FactPlace) => StoredEvent
}

export const makeEventLog = (client: SqliteClient): EventLog => ({
  append: (committed, fact, { conversationId, turnId, item, endedCall, at }) => {
    const newest = client.value<number | null>("SELECT max(sequence) FROM event WHERE conversation_id = ?")
      .get(conversationId)
    const sequence = (newest ?? 0) + 1
    client.statement(
      `INSERT INTO event (conversation_id, sequence, turn_id, item_id, first_seen, type, version, payload, created_at, call_id)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
    ).run(
      conversationId,
      sequence,
      turnId,
      item?.itemId ?? null,
      item?.firstSeen ?? null,
      fact.type,
      fact.version,
      fact.text,
      at,
      endedCall ?? null
    )
    const { type, version, payload } = fact
    const event = { conversationId, sequence, turnId, ...item, type, version, payload, createdAt: at } as StoredEvent
    committed.push(event)
    return event
  }
})
