/**
 * Port that checks and judges calls before they begin.
 *
 * Owns: what is asked of the catalog and of the permission policy, and what they may answer.
 * Never owns: what a rule means (permission-policy), which arguments fit (tool-catalog), what a decision does to its call.
 */
import type { ApprovalRequest, CallReason, PolicyRule, RuleScope, Supervision } from "@steno/contracts"
import { Context, type Effect, Schema } from "effect"
import type { HostCall } from "./host-tools.ts"

export type CheckedCall =
  /** `replaySafe`: it may run again after it was cut off. */
  | { readonly kind: "fits"; readonly replaySafe: boolean }
  /** `unknown-tool` or `invalid-arguments`; nothing of it may run. */
  | { readonly kind: "refused"; readonly reason: CallReason }

/** A decision about a call, with what a person is asked where it is `approval`. */
export interface CallJudgement extends Pick<ApprovalRequest, "reason" | "segments" | "suggestedRules"> {
  readonly supervision: Supervision
  /** The resolved paths that were judged; the tool may use no other. */
  readonly judgedPaths: ReadonlyArray<string>
}

/** A policy file is invalid, so that its deny rules are not known. Nothing was written. */
export class PolicyUnusable extends Schema.TaggedError<PolicyUnusable>()("PolicyUnusable", {
  /** Absolute. */
  path: Schema.String,
  /** Where in the file. */
  position: Schema.String,
  explanation: Schema.String
}) {
  override get message() {
    return `${this.path}, ${this.position}: ${this.explanation}`
  }
}

/** Rules could not be kept; the file is as it was. */
export class RulesNotKept extends Schema.TaggedError<RulesNotKept>()("RulesNotKept", { explanation: Schema.String }) {
  override get message() {
    return this.explanation
  }
}

/** A call about which one of these dies asks a person; a direct command is refused then. */
export class CallSupervision extends Context.Service<CallSupervision, {
  /** Whether tool and arguments are such that the call could run. */
  readonly check: (call: HostCall) => Effect.Effect<CheckedCall>
  /** The decision about a call of a model or of an outside agent's client. `sessionRules`: those a person allowed for its Session. */
  readonly judge: (
    call: HostCall,
    options: { readonly sessionRules: ReadonlyArray<PolicyRule> }
  ) => Effect.Effect<CallJudgement>
  /** The decision about a command that a person typed: `allow` or `deny`. */
  readonly judgeDirectCommand: (
    command: { readonly command: string; readonly cwd: string; readonly workspace: string }
  ) => Effect.Effect<Supervision, PolicyUnusable>
  /** Adds rules to the person's file or to the Workspace's. Idempotent per rule. */
  readonly keepRules: (
    rules: {
      readonly scope: Exclude<RuleScope, "session">
      readonly workspace: string
      readonly rules: ReadonlyArray<PolicyRule>
    }
  ) => Effect.Effect<void, RulesNotKept>
}>()("@steno/tool-call-service/CallSupervision") {}
