/**
 * What one event says of the items of its Turn.
 *
 * Owns: which items an event is about, their identity and place.
 * Limits: a blank Thought is no item, nor is text said under a call; a retry of a model request shows nowhere.
 */
import { type AgentCallName, isAgentCall, type LoggedEvent, type MessageBlock, type StoredEvent } from "@steno/contracts"
import { type AgentCallFact, agentCallOfModel, agentCallOfOutside } from "./agent-call-item.ts"
import type { CallFact } from "./call-item.ts"
import type { DiffFact, RequestFact, SteerFact, TextFact } from "./said-item.ts"

interface ItemPlace {
  /** Item type and item id: the identity inside the Turn. */
  readonly key: string
  readonly itemId: string
  readonly place: number
}

export type ItemFact = ItemPlace & (
  | { readonly kind: "call"; readonly fact: CallFact }
  | { readonly kind: "agent-call"; readonly call: AgentCallName; readonly fact: AgentCallFact }
  | { readonly kind: "text"; readonly fact: TextFact }
  | { readonly kind: "steer"; readonly fact: SteerFact }
  | { readonly kind: "request"; readonly fact: RequestFact }
  | { readonly kind: "diff"; readonly fact: DiffFact }
)

/** A call for control of the Run is no row of a tool. */
const ofCall = (itemId: string, place: number, tool: string, fact: CallFact): ItemFact =>
  isAgentCall(tool)
    ? { kind: "agent-call", key: `agent-call ${itemId}`, itemId, place, call: tool, fact: agentCallOfModel(fact) }
    : { kind: "call", key: `tool ${itemId}`, itemId, place, fact }

type MessageEvent = Extract<StoredEvent, { readonly type: "assistant-message" }>

const ofBlock = (event: MessageEvent, block: MessageBlock): ReadonlyArray<ItemFact> => {
  const { firstSeen: place, itemId } = block
  if (block.type === "call") {
    return [ofCall(itemId, place, block.tool, { type: "asked", sequence: event.sequence, block })]
  }
  if (block.type === "reasoning-summary" && block.content.trim() === "") return []
  const fact = { sequence: event.sequence, block }
  return [{ kind: "text", key: `${block.type === "text" ? "message" : "thought"} ${itemId}`, itemId, place, fact }]
}

const placeOf = ({ firstSeen, sequence }: StoredEvent): number => Math.max(0, firstSeen ?? sequence)

/** In the order in which the event holds them. */
export const itemFacts = (event: LoggedEvent): ReadonlyArray<ItemFact> => {
  switch (event.type) {
    case "assistant-message":
      return event.payload.blocks.flatMap((block) => ofBlock(event, block))
    case "assistant-content": {
      const { content, incomplete, messageId: itemId, parentItemId } = event.payload
      if (parentItemId !== undefined) return []
      const block = { type: "text" as const, content, ...(incomplete === undefined ? {} : { incomplete }) }
      return [{ kind: "text", key: `message ${itemId}`, itemId, place: placeOf(event), fact: { sequence: event.sequence, block } }]
    }
    case "thought": {
      const { summaryId: itemId, ...said } = event.payload
      if (said.content.trim() === "") return []
      const block = { type: "reasoning-summary" as const, ...said }
      return [{ kind: "text", key: `thought ${itemId}`, itemId, place: placeOf(event), fact: { sequence: event.sequence, block } }]
    }
    case "request-raised":
    case "request-answered":
    case "request-expired": {
      const itemId = event.payload.requestId
      return [{ kind: "request", key: `request ${itemId}`, itemId, place: placeOf(event), fact: event }]
    }
    case "elicitation-declined": {
      const itemId = event.itemId ?? `elicitation ${event.sequence}`
      return [{ kind: "request", key: `request ${itemId}`, itemId, place: placeOf(event), fact: event }]
    }
    case "tool-call-started":
    case "tool-call-response": {
      const { callId, tool } = event.payload
      return [ofCall(event.itemId ?? callId, placeOf(event), tool, event)]
    }
    case "steer": {
      const itemId = event.payload.steerId
      return [{ kind: "steer", key: `steer ${itemId}`, itemId, place: placeOf(event), fact: event }]
    }
    case "agent-call": {
      const { call, id: itemId } = event.payload
      return [{ kind: "agent-call", key: `agent-call ${itemId}`, itemId, place: placeOf(event), call, fact: agentCallOfOutside(event) }]
    }
    case "turn-diff":
      return [{ kind: "diff", key: "turn-diff", itemId: "turn-diff", place: placeOf(event), fact: event }]
    default:
      return []
  }
}
