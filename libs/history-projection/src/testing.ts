/**
 * Sessions written as scripts, for tests of whoever reads history.
 *
 * Owns: stored events that fit each other; sequences and times count up by themselves.
 */
import {
  CallId,
  ConversationId,
  type DirectCommandStarted,
  type EventPayload,
  type LoggedEvent,
  type MessageBlock,
  RunId,
  type Steer,
  SteerId,
  type ToolCallResponse,
  type TurnAdmitted,
  TurnId,
  type TurnSettled,
  type UnreadableEvent
} from "@steno/contracts"

const idCharacters = (ordinal: number) => `01ARZ3NDEKTSV4RRFFQ${String(ordinal).padStart(7, "0")}`

/** Ids that are valid and sort by `ordinal`. */
export const historyIds = {
  run: (ordinal: number) => RunId.make(`run_${idCharacters(ordinal)}`),
  conversation: (ordinal: number) => ConversationId.make(`conv_${idCharacters(ordinal)}`),
  turn: (ordinal: number) => TurnId.make(`turn_${idCharacters(ordinal)}`),
  call: (ordinal: number) => CallId.make(`call_${idCharacters(ordinal)}`),
  steer: (ordinal: number) => SteerId.make(`steer_${idCharacters(ordinal)}`)
}

/** Where a call stands; without `itemId` its call id is the item's. */
export interface CallPlace {
  readonly turn: number
  readonly call: number
  readonly firstSeen?: number
  readonly itemId?: string
}

export interface SteerPlace {
  readonly turn: number
  readonly steer: number
  readonly firstSeen?: number
}

type OutsideFactType =
  | "assistant-content"
  | "thought"
  | "model"
  | "request-raised"
  | "request-answered"
  | "request-expired"
  | "elicitation-declined"
  | "agent-call"
  | "agent-call-expired"

export type OutsideFact = {
  readonly [Type in OutsideFactType]: { readonly type: Type; readonly payload: EventPayload<Type> }
}[OutsideFactType]

export interface SessionScript {
  readonly events: ReadonlyArray<LoggedEvent>
  readonly conversationId: ConversationId
  readonly admit: (turn: number, admitted?: Partial<TurnAdmitted>) => SessionScript
  readonly start: (place: CallPlace, started?: Partial<DirectCommandStarted>) => SessionScript
  readonly end: (place: CallPlace, response?: Partial<ToolCallResponse>) => SessionScript
  /** A message of a model, known by the event's sequence. */
  readonly say: (turn: number, blocks: ReadonlyArray<MessageBlock>, model?: string) => SessionScript
  readonly steer: (place: SteerPlace, settlement: Steer["settlement"], text?: string) => SessionScript
  readonly diff: (turn: number, diff?: Partial<EventPayload<"turn-diff">>, firstSeen?: number) => SessionScript
  readonly settle: (turn: number, settled?: Partial<TurnSettled>, atMs?: number) => SessionScript
  /** The same Session with no readable event at `sequence`; only what is `known` of it is known, default: every column but the payload. */
  /** A fact of an outside agent; `firstSeen` absent: one that shows nowhere. */
  readonly tell: (turn: number, fact: OutsideFact, firstSeen?: number) => SessionScript
  readonly damage: (sequence: number, known?: Partial<UnreadableEvent>) => SessionScript
}

/** What is known of an event whose payload alone is damaged. */
const columnsOf = (event: LoggedEvent): Partial<UnreadableEvent> => {
  if (event.type === "unreadable") return event
  const { createdAt, firstSeen, itemId, turnId, type, version } = event
  return {
    turnId,
    ...(itemId === undefined ? {} : { itemId }),
    ...(firstSeen === undefined ? {} : { firstSeen }),
    createdAt,
    storedType: type,
    storedVersion: version,
    text: "{",
    sizeBytes: 1
  }
}

/** Event n happens n seconds after this. */
const startMs = Date.parse("2026-01-02T03:04:05.000Z")

/** An empty Session; each step gives a new script with one more event, `sequence` counting from 1. */
export const sessionScript = (session: number, events: ReadonlyArray<LoggedEvent> = []): SessionScript => {
  const conversationId = historyIds.conversation(session)
  const sequence = events.length + 1
  const common = (turn: number, atMs: number = startMs + sequence * 1_000) => ({
    conversationId,
    sequence,
    turnId: historyIds.turn(turn),
    version: 1,
    createdAt: new Date(atMs).toISOString()
  })
  const item = ({ call, firstSeen, itemId }: CallPlace) => ({
    itemId: itemId ?? historyIds.call(call),
    firstSeen: firstSeen ?? 0
  })
  const next = (event: LoggedEvent) => sessionScript(session, [...events, event])
  return {
    events,
    conversationId,
    admit: (turn, admitted) => {
      const payload: EventPayload<"turn-admitted"> = {
        input: `input of ${turn}`,
        origin: "user",
        harness: { id: "command" },
        ...admitted
      }
      return next({ ...common(turn), type: "turn-admitted", payload })
    },
    start: (place, started) => {
      const payload: DirectCommandStarted = {
        callId: historyIds.call(place.call),
        origin: "user",
        tool: "bash",
        arguments: { command: `command ${place.call}`, cwd: "/workspace" },
        ...started
      }
      return next({ ...common(place.turn), ...item(place), type: "tool-call-started", payload })
    },
    end: (place, response) => {
      const payload: EventPayload<"tool-call-response"> = {
        callId: historyIds.call(place.call),
        tool: "bash",
        origin: "user",
        outcome: "completed",
        survivors: [],
        warnings: [],
        assetIds: [],
        ...response
      }
      return next({ ...common(place.turn), ...item(place), type: "tool-call-response", payload })
    },
    say: (turn, blocks, model) => {
      const payload: EventPayload<"assistant-message"> = { blocks, ...(model === undefined ? {} : { model }) }
      return next({ ...common(turn), itemId: `message-${sequence}`, firstSeen: blocks[0]?.firstSeen ?? 0, type: "assistant-message", payload })
    },
    steer: ({ firstSeen = 0, steer, turn }, settlement, text = `steer ${steer}`) => {
      const steerId = historyIds.steer(steer)
      const payload: EventPayload<"steer"> = { steerId, text, sentAt: new Date(startMs).toISOString(), settlement }
      return next({ ...common(turn), itemId: steerId, firstSeen, type: "steer", payload })
    },
    diff: (turn, diff, firstSeen = 0) =>
      next({ ...common(turn), itemId: "turn-diff", firstSeen, type: "turn-diff", payload: { content: "", files: [], ...diff } }),
    settle: (turn, settled, atMs) => {
      const payload: EventPayload<"turn-settled"> = { result: "completed", availability: "open", ...settled }
      return next({ ...common(turn, atMs), type: "turn-settled", payload })
    },
    tell: (turn, fact, firstSeen) =>
      next({ ...common(turn), ...(firstSeen === undefined ? {} : { itemId: `item-${firstSeen}`, firstSeen }), ...fact }),
    damage: (damaged, known) =>
      sessionScript(session, events.map((event): LoggedEvent => event.sequence !== damaged ? event : {
        type: "unreadable",
        conversationId,
        sequence: damaged,
        reason: "not-json",
        ...known ?? columnsOf(event)
      }))
  }
}
