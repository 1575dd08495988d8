/**
 * The item of an Agent call: what its message and its one end make a row show, and what the end of its Turn makes of it.
 *
 * Owns: which facts count, the fields of an `agent-call` row.
 * Ordering: of two starts or two ends the one stored first counts, whichever is applied first.
 * Limits: what a person decided about a held one is not in the log: it stays pending in a Turn that completed.
 */
import type { AgentCallName } from "@steno/contracts"
import type { CallFact } from "./call-item.ts"
import type { AgentCallValue } from "./row-value.ts"
import type { ShownItem } from "./said-item.ts"

type Start = Exclude<CallFact, { readonly type: "tool-call-response" }>
type End = Extract<CallFact, { readonly type: "tool-call-response" }>

export interface AgentCallItem extends ShownItem {
  readonly kind: "agent-call"
  readonly call: AgentCallName
  readonly start?: Start
  readonly end?: End
  /** What the row shows where the Turn completed and this was its latest call that was taken. */
  readonly valueIfCounted?: AgentCallValue
}

const reasonOf = (start: Start | undefined): string => {
  const args = start?.type === "asked" && "arguments" in start.block ? start.block.arguments : {}
  return typeof args["reason"] === "string" ? args["reason"] : ""
}

type Replied = Pick<AgentCallValue, "reply" | "refusal">

const repliedBy = (end: End | undefined): Replied => {
  if (end === undefined) return {}
  const { agentCallReply, outcome, reason } = end.payload
  if (outcome === "completed") return agentCallReply === undefined ? {} : { reply: agentCallReply }
  return outcome === "failed" || outcome === "denied"
    ? { reply: "refused", ...(reason === undefined ? {} : { refusal: reason.text }) }
    : {}
}

const itemOf = (call: AgentCallName, start: Start | undefined, end: End | undefined): AgentCallItem => {
  const told = { kind: "agent-call" as const, call, reason: reasonOf(start), ...repliedBy(end) }
  const isTaken = end === undefined || end.payload.outcome === "completed"
  const dropped: AgentCallValue = { ...told, disposition: "not-applied" }
  const pending: AgentCallValue = { ...told, disposition: "pending" }
  return {
    kind: "agent-call",
    call,
    ...(start === undefined ? {} : { start }),
    ...(end === undefined ? {} : { end }),
    value: isTaken ? pending : dropped,
    valueAfterTurn: dropped,
    ...(told.reply === "accepted" ? { valueIfCounted: { ...told, disposition: "applied" as const } } : {}),
    ...(told.reply === "held-for-review" ? { valueIfCounted: pending } : {})
  }
}

/** The item with one more fact; the same item when the fact does not count. */
export const takeAgentCallFact = (item: AgentCallItem | undefined, call: AgentCallName, fact: CallFact): AgentCallItem => {
  if (fact.type === "tool-call-response") {
    return item?.end !== undefined && item.end.sequence <= fact.sequence ? item : itemOf(call, item?.start, fact)
  }
  return item?.start !== undefined && item.start.sequence <= fact.sequence ? item : itemOf(call, fact, item?.end)
}
