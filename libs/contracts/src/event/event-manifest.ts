/**
 * The manifest of durable events: each type and version with its schema.
 *
 * Owns: which payload a stored `type.version` has.
 * Limits: a duplicate key is a defect and throws when the manifest is made.
 */
import { Schema } from "effect"
import { DirectCommandStarted, OutsideCallStarted, ToolCallResponse } from "../call/call.events.ts"
import { ConversationId, TurnId } from "../ids/ids.schema.ts"
import { AssistantMessage, ProviderRetry, Steer, TurnDiff } from "../message/message.events.ts"
import {
  AgentCall,
  AgentCallExpired,
  AssistantContent,
  EffectiveModel,
  ElicitationDeclined,
  RequestAnswered,
  RequestExpired,
  RequestRaised,
  Thought
} from "../message/outside-agent.events.ts"
import { TurnAdmitted, TurnSettled } from "../turn/turn.events.ts"
import { Instant, Sequence } from "../units.ts"
import type { UnreadableEvent } from "./unreadable-event.schema.ts"

interface DurableEvent<Type extends string, Payload extends Schema.Codec<unknown, unknown>> {
  readonly type: Type
  readonly version: number
  readonly payload: Payload
}

const durable = <const Type extends string, Payload extends Schema.Codec<unknown, unknown>>(
  type: Type,
  version: number,
  payload: Payload
): DurableEvent<Type, Payload> => ({ type, version, payload })

export const durableEvents = [
  durable("turn-admitted", 1, TurnAdmitted),
  durable("tool-call-started", 1, DirectCommandStarted),
  durable("tool-call-started", 2, OutsideCallStarted),
  durable("tool-call-response", 1, ToolCallResponse),
  durable("turn-settled", 1, TurnSettled),
  durable("assistant-message", 1, AssistantMessage),
  durable("provider-retry", 1, ProviderRetry),
  durable("steer", 1, Steer),
  durable("turn-diff", 1, TurnDiff),
  durable("assistant-content", 1, AssistantContent),
  durable("thought", 1, Thought),
  durable("model", 1, EffectiveModel),
  durable("request-raised", 1, RequestRaised),
  durable("request-answered", 1, RequestAnswered),
  durable("request-expired", 1, RequestExpired),
  durable("elicitation-declined", 1, ElicitationDeclined),
  durable("agent-call", 1, AgentCall),
  durable("agent-call-expired", 1, AgentCallExpired)
] as const

type Declared = typeof durableEvents[number]
export type EventType = Declared["type"]
export type EventPayload<Type extends EventType> = Extract<Declared, { readonly type: Type }>["payload"]["Type"]

/** Keyed `type.version`; throws on a duplicate. */
export const makeEventManifest = <Event extends DurableEvent<string, Schema.Codec<unknown, unknown>>>(
  events: ReadonlyArray<Event>
): ReadonlyMap<string, Event> => {
  const manifest = new Map<string, Event>()
  for (const event of events) {
    const key = `${event.type}.${event.version}`
    if (manifest.has(key)) throw new Error(`Duplicate durable event ${key}`)
    manifest.set(key, event)
  }
  return manifest
}

export const eventManifest = makeEventManifest<Declared>(durableEvents)

/** Versions of a type, the newest first: a new event is stored with the first one that its payload fits. */
export const eventVersions = (type: EventType): ReadonlyArray<number> =>
  durableEvents.filter((event) => event.type === type).map(({ version }) => version).toSorted((left, right) => right - left)

/** An event as it is stored in a Session's log. */
export const StoredEvent = Schema.Struct({
  conversationId: ConversationId,
  /** Gap-free in its Session, from 1. */
  sequence: Sequence,
  turnId: TurnId,
  /** Opaque id of the item inside its Turn; absent for facts of the Turn itself. */
  itemId: Schema.optionalKey(Schema.String),
  /** Order of first appearance inside the Turn, from 0; absent for facts of the Turn itself. */
  firstSeen: Schema.optionalKey(Schema.Int),
  type: Schema.Literals([
    "turn-admitted",
    "tool-call-started",
    "tool-call-response",
    "turn-settled",
    "assistant-message",
    "provider-retry",
    "steer",
    "turn-diff",
    "assistant-content",
    "thought",
    "model",
    "request-raised",
    "request-answered",
    "request-expired",
    "elicitation-declined",
    "agent-call",
    "agent-call-expired"
  ]),
  version: Schema.Int,
  payload: Schema.Json,
  createdAt: Instant
})

/** A stored event with its decoded payload, discriminated by `type`. */
export type StoredEvent = {
  readonly [Type in EventType]: Omit<typeof StoredEvent.Type, "type" | "payload"> & {
    readonly type: Type
    readonly payload: EventPayload<Type>
  }
}[EventType]

/** What a Session's log holds at one sequence when it is read. */
export type LoggedEvent = StoredEvent | UnreadableEvent

const eventTypes: ReadonlySet<string> = new Set(durableEvents.map(({ type }) => type))

/** Whether the event that stood there may have been one of `type`: nothing that is still known of it says otherwise. */
export const couldHaveBeen = (event: UnreadableEvent, type: EventType): boolean =>
  event.storedType === undefined || event.storedType === type || !eventTypes.has(event.storedType)
