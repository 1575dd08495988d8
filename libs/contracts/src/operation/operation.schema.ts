/**
 * Operations: one client intent with a client-made id, idempotent per id.
 *
 * Owns: the canonical input of each Operation and its outcome.
 */
import { Schema } from "effect"
import { InteractionAnswer, QuestionAnswer } from "../call/interaction.schema.ts"
import { CallId, OperationId, RequestId, RunId, TurnId } from "../ids/ids.schema.ts"
import { Problem } from "../problem/problem.schema.ts"
import { Instant } from "../units.ts"

export const StartInput = Schema.Struct({
  operation: Schema.Literal("start"),
  /** Absolute path. */
  workspace: Schema.String,
  harness: Schema.String,
  /** As the harness names it, e.g. `anthropic/…` or `script:FILE`. */
  model: Schema.optionalKey(Schema.String),
  effort: Schema.optionalKey(Schema.String),
  session: Schema.String,
  input: Schema.String,
  kind: Schema.Literals(["once", "interactive"]),
  entry: Schema.optionalKey(Schema.Literal(true)),
  /** What the client does with approvals: answer them itself, or leave them to a person; absent: `deny`. */
  approvals: Schema.optionalKey(Schema.Literals(["deny", "allow", "ask"])),
  /** What becomes of `run_done` and `run_failed`; absent: `off`. */
  agentCalls: Schema.optionalKey(Schema.Literals(["off", "accept", "review"])),
  /** Wall time of the first Turn, 1 … 86,400,000. */
  timeoutMs: Schema.optionalKey(Schema.Int)
})
export type StartInput = typeof StartInput.Type

export const InterruptInput = Schema.Struct({
  operation: Schema.Literal("interrupt"),
  runId: RunId,
  /** Only the live Turns of this Session and its children; absent: every live Turn. */
  session: Schema.optionalKey(Schema.String),
  /** True only: no grace, SIGKILL at once. */
  force: Schema.optionalKey(Schema.Literal(true))
})
export type InterruptInput = typeof InterruptInput.Type

/** The answer to the only question of an interaction, whatever its id; refused where there are several. */
export const OnlyAnswer = Schema.Struct({ only: QuestionAnswer })
export type OnlyAnswer = typeof OnlyAnswer.Type

/** What a person decides about a held Agent call: the Run goes on, or rests as the call says. */
export const ReviewAnswer = Schema.Struct({ review: Schema.Literals(["continue", "stop"]) })
export type ReviewAnswer = typeof ReviewAnswer.Type

/** Answers one interaction or review. The Operation's id becomes the id of the resolution. */
export const AnswerInput = Schema.Struct({
  operation: Schema.Literal("answer"),
  runId: RunId,
  /** Absent, as `requestId` is: what alone of the Run waits for a person. */
  callId: Schema.optionalKey(CallId),
  /** What an outside agent asks; never with `callId`. */
  requestId: Schema.optionalKey(RequestId),
  answer: Schema.Union([...InteractionAnswer.members, OnlyAnswer, ReviewAnswer]),
  by: Schema.Literals(["person", "client-policy"])
})
export type AnswerInput = typeof AnswerInput.Type

/** A person's text that starts another Turn. */
export const SendInput = Schema.Struct({
  operation: Schema.Literal("send"),
  runId: RunId,
  /** Absent: the Run's first Session. */
  session: Schema.optionalKey(Schema.String),
  text: Schema.String
})
export type SendInput = typeof SendInput.Type

/** A person's text for a live Turn. */
export const SteerInput = Schema.Struct({
  operation: Schema.Literal("steer"),
  runId: RunId,
  /** Absent: the Run's first Session. */
  session: Schema.optionalKey(Schema.String),
  /** Only this Turn; absent: whichever is live. */
  turnId: Schema.optionalKey(TurnId),
  text: Schema.String
})
export type SteerInput = typeof SteerInput.Type

/** Drives a resting Run on: stored answers, queued inputs, else a managed Turn. */
export const ResumeInput = Schema.Struct({ operation: Schema.Literal("resume"), runId: RunId })
export type ResumeInput = typeof ResumeInput.Type

/** Ends a resting interactive Run. */
export const EndInput = Schema.Struct({
  operation: Schema.Literal("end"),
  runId: RunId,
  /** True only: it rests `failed` instead of `succeeded`. */
  failed: Schema.optionalKey(Schema.Literal(true))
})
export type EndInput = typeof EndInput.Type

/** Ends everything of a Run; final. */
export const CancelInput = Schema.Struct({ operation: Schema.Literal("cancel"), runId: RunId })
export type CancelInput = typeof CancelInput.Type

/** Cancels a Run, then removes its files and rows. */
export const DeleteInput = Schema.Struct({ operation: Schema.Literal("delete"), runId: RunId })
export type DeleteInput = typeof DeleteInput.Type

export const OperationInput = Schema.Union([
  StartInput,
  AnswerInput,
  SendInput,
  SteerInput,
  ResumeInput,
  EndInput,
  InterruptInput,
  CancelInput,
  DeleteInput
])
export type OperationInput = typeof OperationInput.Type

export const OperationOutcome = Schema.Struct({
  status: Schema.Literals(["applied", "not-applied", "pending"]),
  problem: Schema.optionalKey(Problem)
})
export type OperationOutcome = typeof OperationOutcome.Type

/** An Operation as it is stored. */
export const Operation = Schema.Struct({
  operationId: OperationId,
  input: OperationInput,
  runId: Schema.optionalKey(RunId),
  outcome: OperationOutcome,
  admittedAt: Instant,
  settledAt: Schema.optionalKey(Instant)
})
export type Operation = typeof Operation.Type

/** `--json` of a mutation that has no Run to show. */
export const OperationDocument = Schema.Struct({
  family: Schema.Literal("operation"),
  operationId: OperationId,
  outcome: OperationOutcome
})

/** An Operation that a Run offers now, or why it does not. */
export const ActionOffer = Schema.Struct({
  operation: Schema.String,
  runId: RunId,
  turnId: Schema.optionalKey(TurnId),
  requestId: Schema.optionalKey(Schema.Union([CallId, RequestId])),
  available: Schema.Boolean,
  generation: Schema.optionalKey(Schema.Int),
  reason: Schema.optionalKey(Schema.String),
  evidence: Schema.optionalKey(Schema.String)
})
