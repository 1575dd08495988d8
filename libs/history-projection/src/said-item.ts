/**
 * Items that are said rather than done: texts and Thoughts of a model, Steers, requests of an outside agent, the diff of a Turn.
 *
 * Owns: which facts of each count, the fields of their rows.
 * Ordering: of two facts that say the same thing the one stored first counts. What is said of a Steer's delivery counts before
 * what follows from the end of its Turn.
 */
import type { AssistantContent, ReasoningSummaryBlock, Steer, StoredEvent, TextBlock, Thought } from "@steno/contracts"
import type { MessageValue, RequestValue, RowValue, SteerValue, ThoughtValue, TurnDiffValue } from "./row-value.ts"

/** What an item shows, also where its Turn ended before the item did. */
export interface ShownItem {
  readonly value: RowValue
  readonly valueAfterTurn: RowValue
  /** Where the Turn was interrupted; absent: as after any other end. */
  readonly valueAfterInterrupt?: RowValue
  /** Sequence of the fact that made it conversation. */
  readonly conversationSince?: number
}

/** A text or Thought as it is shown, wherever it was stored. */
type Said =
  | ({ readonly type: "text" } & Pick<TextBlock | AssistantContent, "content" | "incomplete">)
  | ({ readonly type: "reasoning-summary" } & Pick<ReasoningSummaryBlock | Thought, "content" | "incomplete" | "durationMs">)

export interface TextFact {
  readonly sequence: number
  readonly block: Said
}

export interface TextItem extends ShownItem {
  readonly kind: "text"
  readonly sequence: number
}

const textValue = (block: TextFact["block"]): MessageValue | ThoughtValue => {
  const incomplete = block.incomplete === undefined ? {} : { incomplete: block.incomplete }
  return block.type === "text"
    ? { kind: "message", role: "assistant", content: block.content, ...incomplete }
    : {
      kind: "thought",
      content: block.content,
      ...incomplete,
      ...(block.durationMs === undefined ? {} : { durationMs: block.durationMs })
    }
}

export const takeText = (item: TextItem | undefined, { block, sequence }: TextFact): TextItem => {
  if (item !== undefined && item.sequence <= sequence) return item
  const value = textValue(block)
  return {
    kind: "text",
    sequence,
    value,
    valueAfterTurn: value,
    ...(block.type === "text" ? { conversationSince: sequence } : {})
  }
}

export type SteerFact = Extract<StoredEvent, { readonly type: "steer" }>

export interface SteerItem extends ShownItem {
  readonly kind: "steer"
  /** The fact of each state that was stored first. */
  readonly facts: Readonly<Partial<Record<Steer["settlement"]["state"], SteerFact>>>
}

const steerItem = (facts: SteerItem["facts"], told: SteerFact): SteerItem => {
  const { delivered, dropped } = facts
  const { steerId, text } = told.payload
  const valueOf = (delivery: SteerValue["delivery"]): SteerValue => ({ kind: "steer", steerId, content: text, delivery })
  if (delivered?.payload.settlement.state === "delivered") {
    const value = valueOf(delivered.payload.settlement.delivery)
    return { kind: "steer", facts, value, valueAfterTurn: value, conversationSince: delivered.sequence }
  }
  if (dropped?.payload.settlement.state === "dropped") {
    const value = valueOf(dropped.payload.settlement.cause === "interrupt" ? "not-delivered" : "unconfirmed")
    return { kind: "steer", facts, value, valueAfterTurn: value }
  }
  return {
    kind: "steer",
    facts,
    value: valueOf("waiting"),
    valueAfterTurn: valueOf("unconfirmed"),
    valueAfterInterrupt: valueOf("not-delivered")
  }
}

export const takeSteer = (item: SteerItem | undefined, fact: SteerFact): SteerItem => {
  const { state } = fact.payload.settlement
  const known = item?.facts[state]
  if (item !== undefined && known !== undefined && known.sequence <= fact.sequence) return item
  const facts = { ...item?.facts, [state]: fact }
  const [first = fact] = Object.values(facts).toSorted((left, right) => left.sequence - right.sequence)
  return steerItem(facts, first)
}

export type RequestFact = Extract<
  StoredEvent,
  { readonly type: "request-raised" | "request-answered" | "request-expired" | "elicitation-declined" }
>

export interface RequestItem extends ShownItem {
  readonly kind: "request"
  /** The fact of each type that was stored first. */
  readonly facts: Readonly<Partial<Record<RequestFact["type"], RequestFact>>>
}

const descriptionOf = (facts: RequestItem["facts"]): Pick<RequestValue, "description"> => {
  for (const fact of Object.values(facts)) {
    if (fact.type === "request-raised") return { description: fact.payload.description }
    if (fact.type === "elicitation-declined") return { description: fact.payload.message }
  }
  return {}
}

/** An answer that was stored counts before an expiry. */
const requestState = (facts: RequestItem["facts"]): RequestValue["state"] =>
  facts["elicitation-declined"] !== undefined
    ? "declined"
    : facts["request-answered"] !== undefined
    ? "answered"
    : facts["request-expired"] !== undefined
    ? "expired"
    : "open"

export const takeRequest = (item: RequestItem | undefined, fact: RequestFact): RequestItem => {
  const known = item?.facts[fact.type]
  if (item !== undefined && known !== undefined && known.sequence <= fact.sequence) return item
  const facts = { ...item?.facts, [fact.type]: fact }
  const state = requestState(facts)
  const value: RequestValue = { kind: "request", ...descriptionOf(facts), state }
  return { kind: "request", facts, value, valueAfterTurn: state === "open" ? { ...value, state: "expired" } : value }
}

export type DiffFact = Extract<StoredEvent, { readonly type: "turn-diff" }>

export interface DiffItem extends ShownItem {
  readonly kind: "diff"
  readonly sequence: number
}

export const takeDiff = (item: DiffItem | undefined, { payload: { content, files }, sequence }: DiffFact): DiffItem => {
  if (item !== undefined && item.sequence <= sequence) return item
  const value: TurnDiffValue = { kind: "turn-diff", content, files }
  return { kind: "diff", sequence, value, valueAfterTurn: value }
}
