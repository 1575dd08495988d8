/**
 * Appends facts to a Session's log.
 *
 * Owns: `event` rows, their sequence, the check of a payload against its schema.
 * Ordering: the sequence is taken inside the write transaction, so it has no gap and no duplicate.
 */
import {
  type CallId,
  type ConversationId,
  currentEventVersion,
  durableEvents,
  eventManifest,
  type EventPayload,
  type EventType,
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
  readonly encode: (payload: unknown) => unknown
}

const encoders = new Map<EventType, FactEncoder>(durableEvents.map(({ type }) => {
  const version = currentEventVersion(type)
  const event = eventManifest.get(`${type}.${version}`)
  if (event === undefined) throw new Error(`No schema for durable event ${type}.${version}`)
  return [type, { version, encode: Schema.encodeUnknownSync<Schema.Codec<unknown, unknown>>(event.payload) }]
}))

/** Throws, as a defect of the caller, when the payload does not fit its schema. */
export const encodeFact = <Type extends EventType>(type: Type, payload: EventPayload<Type>): EncodedFact => {
  const encoder = encoders.get(type)
  if (encoder === undefined) throw new Error(`No schema for durable event ${type}`)
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
