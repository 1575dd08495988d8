/**
 * A Problem: what a client is told when something is refused or fails.
 *
 * Owns: the closed list of codes and the frozen shape.
 * Never owns: turning an error into a Problem (application), its rendering (headless).
 */
import { Schema } from "effect"

export const ProblemCode = Schema.Literals([
  "usage-invalid",
  "input-blank",
  "id-ambiguous",
  "workspace-not-found",
  "harness-unknown",
  "harness-not-found",
  "harness-unavailable",
  "model-required",
  "run-not-found",
  "run-session-not-found",
  "run-store-damaged",
  "run-live-elsewhere",
  "run-terminal",
  "turn-busy",
  "turn-control-rejected",
  "steer-unavailable",
  "steer-rejected",
  "call-not-found",
  "interaction-stale",
  "answer-shape-mismatch",
  "unknown-tool",
  "invalid-arguments",
  "rule-not-saved",
  "approvals-ask-unsupported",
  "asset-not-found",
  "digest-mismatch",
  "cursor-invalid",
  "run-transcript-cursor-invalid",
  "limit-invalid",
  "operation-id-reused",
  "operation-not-found",
  "operation-pending",
  "home-newer",
  "home-read-only",
  "home-permissions",
  "storage-busy",
  "storage-low",
  "storage-full",
  "storage-damaged",
  "storage-failed",
  "config-invalid",
  "policy-invalid",
  "policy-not-found",
  "policy-changed",
  "internal"
])
export type ProblemCode = typeof ProblemCode.Type

export const FieldViolation = Schema.Struct({ field: Schema.String, explanation: Schema.String })

export const Problem = Schema.Struct({
  code: ProblemCode,
  /** What is wrong, for a person. */
  explanation: Schema.String,
  /** What to do about it. */
  remediation: Schema.String,
  /** Whether anything happened before the refusal or failure. */
  possibleEffects: Schema.Literals(["none", "partial", "unknown"]),
  details: Schema.optionalKey(Schema.Record(Schema.String, Schema.Union([Schema.String, Schema.Finite]))),
  fieldViolations: Schema.optionalKey(Schema.Array(FieldViolation))
})
export type Problem = typeof Problem.Type
