/**
 * Operations: one client intent with a client-made id, idempotent per id.
 *
 * Owns: the canonical input of each Operation and its outcome.
 */
import { Schema } from "effect"
import { CallId, OperationId, RunId, TurnId } from "../ids/ids.schema.ts"
import { Problem } from "../problem/problem.schema.ts"
import { Instant } from "../units.ts"

export const StartInput = Schema.Struct({
  operation: Schema.Literal("start"),
  /** Absolute path. */
  workspace: Schema.String,
  harness: Schema.String,
  session: Schema.String,
  input: Schema.String,
  kind: Schema.Literals(["once", "interactive"]),
  entry: Schema.optionalKey(Schema.Literal(true)),
  /** Wall time of the first Turn, 1 … 86,400,000. */
  timeoutMs: Schema.optionalKey(Schema.Int)
})
export type StartInput = typeof StartInput.Type

export const InterruptInput = Schema.Struct({
  operation: Schema.Literal("interrupt"),
  runId: RunId,
  /** True only: no grace, SIGKILL at once. */
  force: Schema.optionalKey(Schema.Literal(true))
})
export type InterruptInput = typeof InterruptInput.Type

/** Ends everything of a Run; final. */
export const CancelInput = Schema.Struct({ operation: Schema.Literal("cancel"), runId: RunId })
export type CancelInput = typeof CancelInput.Type

/** Cancels a Run, then removes its files and rows. */
export const DeleteInput = Schema.Struct({ operation: Schema.Literal("delete"), runId: RunId })
export type DeleteInput = typeof DeleteInput.Type

export const OperationInput = Schema.Union([StartInput, InterruptInput, CancelInput, DeleteInput])
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
  requestId: Schema.optionalKey(CallId),
  available: Schema.Boolean,
  generation: Schema.optionalKey(Schema.Int),
  reason: Schema.optionalKey(Schema.String),
  evidence: Schema.optionalKey(Schema.String)
})
