/**
 * The item of a tool call: what its start and its one end make a row show.
 *
 * Owns: which facts of a call count, the fields of a `tool` row.
 * Ordering: of two starts or two ends the one stored first counts, whichever is applied first.
 */
import { type CallBlock, type CallOrigin, type CallOutcome, startedInput, type StoredEvent, type ToolCallResponse } from "@steno/contracts"
import { callInput } from "./call-input.ts"
import type { ToolValue } from "./row-value.ts"
import type { ShownItem } from "./said-item.ts"

/** A message of a model asks for the call. */
export interface AskedFact {
  readonly type: "asked"
  readonly sequence: number
  readonly block: CallBlock
}

type Started = Extract<StoredEvent, { readonly type: "tool-call-started" }>
type Start = AskedFact | Started
type End = Extract<StoredEvent, { readonly type: "tool-call-response" }>

export type CallFact = Start | End

export interface CallItem extends ShownItem {
  readonly kind: "call"
  readonly start?: Start
  readonly end?: End
  /** What the row shows while the Turn is open. */
  readonly value: ToolValue
  /** What it shows in a settled Turn. */
  readonly valueAfterTurn: ToolValue
}

const shownOutcome = (origin: CallOrigin, outcome: CallOutcome): CallOutcome | "unconfirmed" =>
  origin === "observed" && outcome === "indeterminate" ? "unconfirmed" : outcome

const askedFields = (block: CallBlock) => {
  const cwd = "arguments" in block ? block.arguments["cwd"] : undefined
  return {
    kind: "tool",
    callId: block.callId,
    tool: block.tool,
    input: callInput({ asked: block }) ?? "",
    ...(typeof cwd === "string" ? { cwd } : {})
  } as const
}

const startFields = (start: Start) =>
  start.type === "asked" ? askedFields(start.block) : {
    kind: "tool",
    callId: start.payload.callId,
    tool: start.payload.tool,
    ...startedInput(start.payload)
  } as const

const endFields = (end: ToolCallResponse) => {
  const droppedBytes = end.capture?.output.droppedBytes ?? 0
  return {
    outcome: shownOutcome(end.origin, end.outcome),
    ...(end.cardProjection === undefined ? {} : { card: end.cardProjection }),
    ...(end.durationMs === undefined ? {} : { durationMs: end.durationMs }),
    ...(end.survivors.length === 0 ? {} : { survivors: end.survivors }),
    ...(droppedBytes === 0 ? {} : { droppedBytes }),
    ...(end.warnings.length === 0 ? {} : { warnings: end.warnings }),
    ...(end.exitCode === undefined ? {} : { exitCode: end.exitCode }),
    ...(end.signal === undefined ? {} : { signal: end.signal }),
    ...(end.reason === undefined ? {} : { reason: end.reason }),
    ...(end.retainedOutput === undefined ? {} : { output: end.retainedOutput })
  }
}

const endedItem = (end: End, start: Start | undefined): CallItem => {
  const begun = start === undefined
    ? { kind: "tool", callId: end.payload.callId, tool: end.payload.tool, input: "" } as const
    : startFields(start)
  const value = { ...begun, ...endFields(end.payload) }
  return { kind: "call", ...(start === undefined ? {} : { start }), end, value, valueAfterTurn: value }
}

const startedItem = (start: Start): CallItem => {
  const begun = startFields(start)
  const origin = start.type === "asked" ? "model" : start.payload.origin
  return {
    kind: "call",
    start,
    value: start.type === "asked" ? begun : { ...begun, state: "running" },
    valueAfterTurn: { ...begun, outcome: shownOutcome(origin, "indeterminate") }
  }
}

/** The item with one more fact; the same item when the fact does not count. */
export const takeCallFact = (item: CallItem | undefined, fact: CallFact): CallItem => {
  if (fact.type !== "tool-call-response") {
    if (item?.start !== undefined && item.start.sequence <= fact.sequence) return item
    return item?.end === undefined ? startedItem(fact) : endedItem(item.end, fact)
  }
  if (item?.end !== undefined && item.end.sequence <= fact.sequence) return item
  return endedItem(fact, item?.start)
}
