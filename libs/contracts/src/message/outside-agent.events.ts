/**
 * Durable events of an outside agent: what it said, which model it said it with, what it asked its client.
 *
 * Owns: the stored payloads. A stored version is never edited.
 * Ordering: a text or Thought is stored once, whole, when it settles; a request before anybody can answer it.
 * Limits: deltas, previews, private reasoning, context and usage are never stored.
 */
import { Schema } from "effect"
import { AgentCallName, AgentCallReply } from "../call/agent-call.schema.ts"
import { RequestId } from "../ids/ids.schema.ts"
import { agentCallReasonCharacters } from "../limits/limits.ts"
import { Milliseconds } from "../units.ts"

/** True only: the Turn ended while it was still coming in. */
const incomplete = Schema.optionalKey(Schema.Literal(true))

/** A text block. Its first settlement in a Turn stands. */
export const AssistantContent = Schema.Struct({
  messageId: Schema.NonEmptyString,
  /** May be empty. */
  content: Schema.String,
  incomplete,
  /** The call that it was said under: text of a sub-agent, which is no conversation. */
  parentItemId: Schema.optionalKey(Schema.NonEmptyString)
})
export type AssistantContent = typeof AssistantContent.Type

/** A summary of reasoning that the provider wrote for people. Its first settlement in a Turn stands. */
export const Thought = Schema.Struct({
  summaryId: Schema.NonEmptyString,
  content: Schema.String,
  incomplete,
  /** As the harness measured it. */
  durationMs: Schema.optionalKey(Milliseconds)
})
export type Thought = typeof Thought.Type

/** The model that answers from here on, as the harness reports it. */
export const EffectiveModel = Schema.Struct({
  model: Schema.NonEmptyString,
  effort: Schema.optionalKey(Schema.String)
})
export type EffectiveModel = typeof EffectiveModel.Type

export const RequestDecision = Schema.Struct({
  id: Schema.NonEmptyString,
  /** `allow-always` and `deny` as the harness means them; `option` is an answer to a question. */
  kind: Schema.Literals(["allow", "allow-always", "deny", "option"]),
  label: Schema.String
})
export type RequestDecision = typeof RequestDecision.Type

/** A Harness Request: it can be answered until its Turn ends. */
export const RequestRaised = Schema.Struct({
  requestId: RequestId,
  kind: Schema.Literals(["approval", "clarification"]),
  description: Schema.String,
  decisions: Schema.Array(RequestDecision),
  /** Item of the same Turn that it is about. */
  callItemId: Schema.optionalKey(Schema.NonEmptyString)
})
export type RequestRaised = typeof RequestRaised.Type

/** Stored before the harness is told. */
export const RequestAnswered = Schema.Struct({
  requestId: RequestId,
  /** One of its decisions. */
  decision: RequestDecision,
  by: Schema.Literals(["person", "client-policy"]),
  text: Schema.optionalKey(Schema.String)
})
export type RequestAnswered = typeof RequestAnswered.Type

/** Withdrawn by the harness, ended with its Turn, or not answerable. */
export const RequestExpired = Schema.Struct({ requestId: RequestId })
export type RequestExpired = typeof RequestExpired.Type

/** A server of the agent's asked for something that Steno does not give. */
export const ElicitationDeclined = Schema.Struct({
  server: Schema.optionalKey(Schema.String),
  message: Schema.String,
  url: Schema.optionalKey(Schema.String)
})
export type ElicitationDeclined = typeof ElicitationDeclined.Type

const reason = Schema.String.check(
  Schema.isPattern(new RegExp(`^(?=[\\s\\S]*\\S)[\\s\\S]{1,${agentCallReasonCharacters}}$`, "u"), {
    message: `Expected 1 to ${agentCallReasonCharacters} characters that are not all blank`
  })
)

/** Stored when the agent calls, and again with the reply that it is given. */
export const AgentCall = Schema.Struct({
  id: RequestId,
  call: AgentCallName,
  reason,
  reply: Schema.optionalKey(Schema.Union([AgentCallReply, Schema.Literal("refused")])),
  /** Why it was refused. */
  refusal: Schema.optionalKey(Schema.String)
})
export type AgentCall = typeof AgentCall.Type

/** The Turn ended before the call was replied to. */
export const AgentCallExpired = Schema.Struct({ id: RequestId })
export type AgentCallExpired = typeof AgentCallExpired.Type
