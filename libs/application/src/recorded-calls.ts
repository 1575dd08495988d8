/**
 * The calls of a Run as its record knows them, also where an event of one cannot be read.
 *
 * Owns: which calls there are and in which order, how a recorded call ended.
 * Ordering: by the first event of a call in the Run; a call of which no event can be read comes last.
 * Limits: nothing is concluded from an unreadable event but its place: what it may have said stays unknown.
 */
import {
  type CallBlock,
  callBlocks,
  type CallId,
  type CallOutcome,
  type CallReason,
  type CallState,
  type ConversationId,
  couldHaveBeen,
  type LoggedEvent,
  type ToolCallResponse,
  type ToolCallStarted,
  type TurnId,
  type UnfinishedCall
} from "@steno/contracts"
import type { RunRecord } from "@steno/ledger"
import { decideAbandoned } from "@steno/tool-call-service"
import type { Ownership } from "./ownership.ts"

export interface RecordedCall {
  readonly callId: CallId
  readonly conversationId: ConversationId
  readonly turnId: TurnId
  readonly tool: string
  /** Of a direct command; absent when the event of its start cannot be read. */
  readonly started?: ToolCallStarted
  /** Of a model; absent when the message that asked for it cannot be read. */
  readonly asked?: CallBlock
  /** Absent while it is unfinished, and when the event of its end cannot be read. */
  readonly response?: ToolCallResponse
  /** Its row; absent when it is settled. */
  readonly unfinished?: UnfinishedCall
}

type CallEvent = Extract<LoggedEvent, { readonly type: "tool-call-started" | "tool-call-response" }>
type MessageEvent = Extract<LoggedEvent, { readonly type: "assistant-message" }>

/** Events of all Sessions in one order, each with its time there. */
export interface OrderedEvent {
  readonly event: LoggedEvent
  /** Time of the event, or of the one before it where the clock went back or the event has none that can be read. */
  readonly at: string
}

/** Inside a Session the order is that of its log, whatever the clock did meanwhile; between Sessions that of the clock. */
export const inRunOrder = ({ events, run }: Pick<RunRecord, "events" | "run">): ReadonlyArray<OrderedEvent> => {
  const latest = new Map<ConversationId, string>()
  const placed = events.map((event) => {
    const before = latest.get(event.conversationId) ?? run.launchedAt
    const at = event.createdAt !== undefined && event.createdAt > before ? event.createdAt : before
    latest.set(event.conversationId, at)
    return { event, at }
  })
  return placed.toSorted((left, right) => left.at < right.at ? -1 : left.at > right.at ? 1 : 0)
}

const itemKey = ({ itemId, turnId }: { readonly itemId?: string; readonly turnId?: TurnId }): string => `${turnId ?? ""} ${itemId ?? ""}`

/** The call each item of a Turn is, as far as an event says so. */
const callOfItem = (events: ReadonlyArray<LoggedEvent>): ReadonlyMap<string, CallId> => {
  const calls = new Map<string, CallId>()
  for (const event of events) {
    if (event.type === "assistant-message") {
      for (const { block } of callBlocks(event.payload)) calls.set(itemKey({ itemId: block.itemId, turnId: event.turnId }), block.callId)
    } else if (event.type === "tool-call-started" || event.type === "tool-call-response") {
      if (event.itemId !== undefined) calls.set(itemKey(event), event.payload.callId)
    }
  }
  return calls
}

interface KnownCall {
  started?: Extract<CallEvent, { readonly type: "tool-call-started" }>
  asked?: { readonly block: CallBlock; readonly event: MessageEvent }
  response?: Extract<CallEvent, { readonly type: "tool-call-response" }>
}

class KnownCalls {
  readonly byId = new Map<CallId, KnownCall>()
  readonly #byItem: ReadonlyMap<string, CallId>

  constructor(events: ReadonlyArray<LoggedEvent>) {
    this.#byItem = callOfItem(events)
  }

  at(callId: CallId): KnownCall {
    const call = this.byId.get(callId) ?? {}
    this.byId.set(callId, call)
    return call
  }

  /** An event that says of itself no call may still be that of an item which others say is one. */
  take(event: LoggedEvent): void {
    switch (event.type) {
      case "assistant-message":
        for (const { block } of callBlocks(event.payload)) this.at(block.callId).asked ??= { block, event }
        return
      case "tool-call-started":
        this.at(event.payload.callId).started ??= event
        return
      case "tool-call-response":
        this.at(event.payload.callId).response ??= event
        return
      default: {
        const callId = this.#byItem.get(itemKey(event))
        if (callId !== undefined) this.at(callId)
      }
    }
  }
}

export const recordedCalls = (record: Pick<RunRecord, "events" | "run" | "unfinished">): ReadonlyArray<RecordedCall> => {
  const unfinished = new Map<CallId, UnfinishedCall>(record.unfinished.map((row) => [row.callId, row]))
  const calls = new KnownCalls(record.events)
  for (const { event } of inRunOrder(record)) calls.take(event)
  for (const { callId } of record.unfinished) calls.at(callId)
  return [...calls.byId].flatMap(([callId, { asked, response, started }]): ReadonlyArray<RecordedCall> => {
    const row = unfinished.get(callId)
    const place = started ?? asked?.event ?? response ?? row
    const tool = started?.payload.tool ?? asked?.block.tool ?? response?.payload.tool ?? row?.tool
    if (place === undefined || tool === undefined) return []
    return [{
      callId,
      conversationId: place.conversationId,
      turnId: place.turnId,
      tool,
      ...(started === undefined ? {} : { started: started.payload }),
      ...(asked === undefined ? {} : { asked: asked.block }),
      ...(response === undefined ? {} : { response: response.payload }),
      ...(row === undefined ? {} : { unfinished: row })
    }]
  })
}

/** Whether an unreadable event may have been the response of a call of this Turn. */
export const mayBeResponseIn = (event: LoggedEvent, turn: { readonly turnId: TurnId; readonly conversationId: ConversationId }): boolean =>
  event.type === "unreadable" && couldHaveBeen(event, "tool-call-response") &&
  (event.turnId === undefined ? event.conversationId === turn.conversationId : event.turnId === turn.turnId)

/** A call that is settled without a response that can be read. */
const unreadableEnd = {
  outcome: "indeterminate",
  reason: { code: "response-unreadable", text: "The stored response of this call cannot be read. How it ended is not known." }
} as const

export type CallEnd =
  | { readonly kind: "open"; readonly state: CallState }
  | { readonly kind: "responded"; readonly response: ToolCallResponse }
  | { readonly kind: "derived"; readonly outcome: CallOutcome; readonly reason?: CallReason }

/** Whether a call outlives its owner: one of a model that waits for a person is answered under the next one. */
export const outlivesOwner = ({ origin, state }: Pick<UnfinishedCall, "origin" | "state">): boolean =>
  origin === "model" && (state === "awaiting_approval" || state === "awaiting_input")

/** Where a call stands: what its response says, else what its row says, else nobody knows. Nothing runs on in a Run at rest. */
export const callEnd = (call: RecordedCall, ownership: Ownership): CallEnd => {
  if (call.response !== undefined) return { kind: "responded", response: call.response }
  if (call.unfinished === undefined) return { kind: "derived", ...unreadableEnd }
  const { state } = call.unfinished
  const isOver = (ownership === "abandoned" && !outlivesOwner(call.unfinished)) || (ownership === "resting" && state === "running")
  if (!isOver) return { kind: "open", state }
  const { outcome, reason } = decideAbandoned(state)
  return { kind: "derived", outcome, ...(reason === undefined ? {} : { reason }) }
}
