/**
 * Interactions: durable questions of an executed call, and their answers.
 *
 * Owns: the shape of a question, of an answer, of their stored pair.
 * Never owns: which answer a call takes when (tool-call-service, ledger), what an approval suggests (permission-policy).
 * Limits: values are compared as data: the order of keys does not matter, that of lists does.
 */
import { Schema } from "effect"
import { OperationId } from "../ids/ids.schema.ts"
import { PolicyLayerName, PolicyRule } from "../policy/policy.schema.ts"
import { Instant } from "../units.ts"

const listIndex = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

/** One simple command, redirection or path of a call, as it was judged. */
export const ApprovalSegment = Schema.Struct({
  text: Schema.String,
  decision: Schema.Literals(["allow", "approval", "deny"]),
  layer: PolicyLayerName,
  rule: Schema.optionalKey(PolicyRule),
  reason: Schema.String
})
export type ApprovalSegment = typeof ApprovalSegment.Type

export const ApprovalRequest = Schema.Struct({
  kind: Schema.Literal("approval"),
  reason: Schema.String,
  segments: Schema.Array(ApprovalSegment),
  /** Each would allow something that asks now; shown as it would be written. */
  suggestedRules: Schema.Array(PolicyRule)
})
export type ApprovalRequest = typeof ApprovalRequest.Type

export const QuestionOption = Schema.Struct({
  id: Schema.NonEmptyString,
  label: Schema.String,
  description: Schema.optionalKey(Schema.String)
})

export const Question = Schema.Struct({
  id: Schema.NonEmptyString,
  prompt: Schema.String,
  /** A few words that name the question. */
  header: Schema.optionalKey(Schema.String),
  options: Schema.Array(QuestionOption),
  /** True only: several options may be chosen. */
  multiSelect: Schema.optionalKey(Schema.Literal(true)),
  /** True only: an answer may hold a text of one's own. */
  allowText: Schema.optionalKey(Schema.Literal(true))
})
export type Question = typeof Question.Type

export const UserInputRequest = Schema.Struct({
  kind: Schema.Literal("user-input"),
  questions: Schema.Array(Question)
})
export type UserInputRequest = typeof UserInputRequest.Type

export const InteractionRequest = Schema.Union([ApprovalRequest, UserInputRequest])
export type InteractionRequest = typeof InteractionRequest.Type

/** Where an always-allow rule is kept. */
export const RuleScope = Schema.Literals(["session", "workspace", "user"])
export type RuleScope = typeof RuleScope.Type

export const ApprovalAnswer = Schema.Struct({
  approval: Schema.Struct({
    decision: Schema.Literals(["allow", "deny"]),
    reason: Schema.optionalKey(Schema.String),
    /** With `allow`: keep suggested rules there. Refused where nothing was suggested. */
    scope: Schema.optionalKey(RuleScope),
    /** With `scope`: indexes into `suggestedRules`; absent: all that name exactly what asks, without a `*`. */
    rules: Schema.optionalKey(Schema.Array(listIndex))
  })
})
export type ApprovalAnswer = typeof ApprovalAnswer.Type

export const QuestionAnswer = Schema.Struct({
  /** Ids of the chosen options. */
  options: Schema.Array(Schema.String),
  text: Schema.optionalKey(Schema.String)
})
export type QuestionAnswer = typeof QuestionAnswer.Type

export const UserInputAnswer = Schema.Union([
  Schema.Struct({ answers: Schema.Record(Schema.String, QuestionAnswer) }),
  Schema.Struct({ dismissed: Schema.Literal(true) })
])
export type UserInputAnswer = typeof UserInputAnswer.Type

/** The value of a resolution. */
export const InteractionAnswer = Schema.Union([ApprovalAnswer, ...UserInputAnswer.members])
export type InteractionAnswer = typeof InteractionAnswer.Type

export const InteractionResolution = Schema.Struct({
  /** Id of the answering Operation. */
  id: OperationId,
  value: InteractionAnswer,
  by: Schema.Literals(["person", "client-policy"]),
  at: Instant
})
export type InteractionResolution = typeof InteractionResolution.Type

/** A question with its answer; without one it is open, or ended with its call. */
export const Interaction = Schema.Struct({
  request: InteractionRequest,
  /** When it was asked. */
  raisedAt: Schema.optionalKey(Instant),
  resolution: Schema.optionalKey(InteractionResolution)
})
export type Interaction = typeof Interaction.Type

/** Whether an answer is of the kind that the request asks for; what it says is not looked at. */
export const answersKind = (request: InteractionRequest, answer: InteractionAnswer): boolean =>
  (request.kind === "approval") === ("approval" in answer)
