/**
 * The item of a tool call: what its start and its one end make a row show.
 *
 * Owns: which facts of a call count, the fields of a `tool` row.
 * Ordering: of two starts or two ends the one stored first counts, whichever is applied first.
 */
import type { CallOrigin, CallOutcome, StoredEvent, ToolCallResponse, ToolCallStarted } from "@steno/contracts"
import type { ToolValue } from "./row-value.ts"

export type CallFact = Extract<StoredEvent, { readonly type: "tool-call-started" | "tool-call-response" }>

type Start = Extract<CallFact, { readonly type: "tool-call-started" }>
type End = Extract<CallFact, { readonly type: "tool-call-response" }>

export interface CallItem {
  readonly start?: Start
  readonly end?: End
  /** What the row shows while the Turn is open. */
  readonly value: ToolValue
  /** What it shows in a settled Turn. */
  readonly valueAfterTurn: ToolValue
}

const shownOutcome = (origin: CallOrigin, outcome: CallOutcome): CallOutcome | "unconfirmed" =>
  origin === "observed" && outcome === "indeterminate" ? "unconfirmed" : outcome

const startFields = (start: ToolCallStarted) =>
  ({
    kind: "tool",
    callId: start.callId,
    tool: start.tool,
    input: start.arguments.command,
    cwd: start.arguments.cwd
  }) as const

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
    : startFields(start.payload)
  const value = { ...begun, ...endFields(end.payload) }
  return { ...(start === undefined ? {} : { start }), end, value, valueAfterTurn: value }
}

const startedItem = (start: Start): CallItem => {
  const begun = startFields(start.payload)
  return {
    start,
    value: { ...begun, state: "running" },
    valueAfterTurn: { ...begun, outcome: shownOutcome(start.payload.origin, "indeterminate") }
  }
}

/** The item with one more fact; the same item when the fact does not count. */
export const takeCallFact = (item: CallItem | undefined, fact: CallFact): CallItem => {
  if (fact.type === "tool-call-started") {
    if (item?.start !== undefined && item.start.sequence <= fact.sequence) return item
    return item?.end === undefined ? startedItem(fact) : endedItem(item.end, fact)
  }
  if (item?.end !== undefined && item.end.sequence <= fact.sequence) return item
  return endedItem(fact, item?.start)
}
