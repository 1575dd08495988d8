/**
 * The item of an Agent call: what it was asked with and its one end make a row show, and what the end of its Turn makes of it.
 *
 * Owns: which facts count, the fields of an `agent-call` row.
 * Ordering: of two starts or two ends the one stored first counts, whichever is applied first.
 * Limits: what a person decided about a held one is not in the log: it stays pending in a Turn that completed.
 */
import type { AgentCallName, StoredEvent } from "@steno/contracts"
import type { CallFact } from "./call-item.ts"
import type { AgentCallValue } from "./row-value.ts"
import type { ShownItem } from "./said-item.ts"

type Replied = Pick<AgentCallValue, "reply" | "refusal">

/** `isTaken`: it counts if its Turn completes and no later one was taken. */
export type AgentCallFact =
  | { readonly type: "asked"; readonly sequence: number; readonly reason: string }
  | { readonly type: "ended"; readonly sequence: number; readonly reason?: string; readonly replied: Replied; readonly isTaken: boolean }

type Asked = Extract<AgentCallFact, { readonly type: "asked" }>
type Ended = Extract<AgentCallFact, { readonly type: "ended" }>

export interface AgentCallItem extends ShownItem {
  readonly kind: "agent-call"
  readonly call: AgentCallName
  readonly asked?: Asked
  readonly ended?: Ended
  /** What the row shows where the Turn completed and this was its latest call that was taken. */
  readonly valueIfCounted?: AgentCallValue
}

const reasonOf = (fact: Exclude<CallFact, { readonly type: "tool-call-response" }>): string => {
  const args = fact.type === "asked" && "arguments" in fact.block ? fact.block.arguments : {}
  return typeof args["reason"] === "string" ? args["reason"] : ""
}

/** Of the built-in loop, whose model makes it like a call of a tool. */
export const agentCallOfModel = (fact: CallFact): AgentCallFact => {
  const { sequence } = fact
  if (fact.type !== "tool-call-response") return { type: "asked", sequence, reason: reasonOf(fact) }
  const { agentCallReply, outcome, reason } = fact.payload
  const isTaken = outcome === "completed"
  if (isTaken) return { type: "ended", sequence, replied: agentCallReply === undefined ? {} : { reply: agentCallReply }, isTaken }
  const isRefused = outcome === "failed" || outcome === "denied"
  const refusal = reason === undefined ? {} : { refusal: reason.text }
  return { type: "ended", sequence, replied: isRefused ? { reply: "refused", ...refusal } : {}, isTaken }
}

/** Of an outside agent: stored when it calls, and again with the reply. */
export const agentCallOfOutside = ({ payload, sequence }: Extract<StoredEvent, { readonly type: "agent-call" }>): AgentCallFact => {
  const { reason, refusal, reply } = payload
  return reply === undefined
    ? { type: "asked", sequence, reason }
    : { type: "ended", sequence, reason, replied: { reply, ...(refusal === undefined ? {} : { refusal }) }, isTaken: reply !== "refused" }
}

const itemOf = (call: AgentCallName, asked: Asked | undefined, ended: Ended | undefined): AgentCallItem => {
  const reason = asked?.reason ?? ended?.reason ?? ""
  const told = { kind: "agent-call" as const, call, reason, ...ended?.replied }
  const dropped: AgentCallValue = { ...told, disposition: "not-applied" }
  const pending: AgentCallValue = { ...told, disposition: "pending" }
  return {
    kind: "agent-call",
    call,
    ...(asked === undefined ? {} : { asked }),
    ...(ended === undefined ? {} : { ended }),
    value: ended?.isTaken === false ? dropped : pending,
    valueAfterTurn: dropped,
    ...(told.reply === "accepted" ? { valueIfCounted: { ...told, disposition: "applied" as const } } : {}),
    ...(told.reply === "held-for-review" ? { valueIfCounted: pending } : {})
  }
}

/** The item with one more fact; the same item when the fact does not count. */
export const takeAgentCallFact = (item: AgentCallItem | undefined, call: AgentCallName, fact: AgentCallFact): AgentCallItem => {
  if (fact.type === "ended") {
    return item?.ended !== undefined && item.ended.sequence <= fact.sequence ? item : itemOf(call, item?.asked, fact)
  }
  return item?.asked !== undefined && item.asked.sequence <= fact.sequence ? item : itemOf(call, fact, item?.ended)
}
