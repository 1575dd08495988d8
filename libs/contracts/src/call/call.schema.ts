/**
 * Tool calls: states, outcomes, supervision, process identity.
 *
 * Owns: the closed sets and stored values of a call.
 * Never owns: which change is legal (tool-call-service).
 */
import { Schema } from "effect"
import { Digest } from "../asset/asset.schema.ts"
import { CallId, ConversationId, RunId, TurnId } from "../ids/ids.schema.ts"
import { PolicyLayerName, PolicyRule } from "../policy/policy.schema.ts"
import { Instant, Sequence } from "../units.ts"
import { Interaction } from "./interaction.schema.ts"

/** States of an unfinished call. A settled call has no state: it is an event. */
export const CallState = Schema.Literals(["supervising", "awaiting_approval", "ready", "running", "awaiting_input"])
export type CallState = typeof CallState.Type

export const CallOutcome = Schema.Literals(["completed", "failed", "denied", "cancelled", "indeterminate"])
export type CallOutcome = typeof CallOutcome.Type

/** Who asked for the call: a model, a person (direct command), an outside agent's client request, or nobody here (observed). */
export const CallOrigin = Schema.Literals(["model", "user", "client", "observed"])
export type CallOrigin = typeof CallOrigin.Type

/** The recorded decision about a call and who took it. */
export const Supervision = Schema.Struct({
  decision: Schema.Literals(["allow", "deny", "approval"]),
  by: Schema.Literals(["user", "policy", "client-policy"]),
  reason: Schema.optionalKey(Schema.String),
  /** The deciding rule; absent where a default or a guardrail decided. */
  rule: Schema.optionalKey(PolicyRule),
  /** Text of the deciding segment. */
  segment: Schema.optionalKey(Schema.String),
  layer: Schema.optionalKey(PolicyLayerName),
  /** Of the rules that were in force. */
  policyDigest: Schema.optionalKey(Digest)
})
export type Supervision = typeof Supervision.Type

/** Names one process on one boot of one machine. `startTime` is in clock ticks since boot (proc_pid_stat(5), field 22). */
export const ProcessIdentity = Schema.Struct({
  bootId: Schema.String,
  pid: Schema.Int,
  startTime: Schema.String
})
export type ProcessIdentity = typeof ProcessIdentity.Type

/** A process of a call that outlived its shell; `command` has at most 200 characters. */
export const Survivor = Schema.Struct({ pid: Schema.Int, command: Schema.String })
export type Survivor = typeof Survivor.Type

/** Arguments of a direct command. `timeoutMs` is wall time. */
export const CommandArguments = Schema.Struct({
  command: Schema.String,
  cwd: Schema.String,
  timeoutMs: Schema.optionalKey(Schema.Int)
})
export type CommandArguments = typeof CommandArguments.Type

/** Arguments of any call, as JSON. */
export const CallArguments = Schema.Record(Schema.String, Schema.Json)
export type CallArguments = typeof CallArguments.Type

/** The row of an unfinished call. */
export const UnfinishedCall = Schema.Struct({
  callId: CallId,
  runId: RunId,
  conversationId: ConversationId,
  turnId: TurnId,
  /** Opaque id of the call inside its Turn. */
  itemId: Schema.String,
  /** Order of first appearance inside the Turn, from 0. */
  firstSeen: Schema.Int,
  origin: CallOrigin,
  tool: Schema.String,
  /** From the event that starts the call; absent where the model's arguments are no JSON object. */
  arguments: Schema.optionalKey(CallArguments),
  /** Sequence of the `assistant-message` that asked for the call; absent for other origins. */
  modelStep: Schema.optionalKey(Sequence),
  /** Index of the call among the blocks of that message. */
  contentIndex: Schema.optionalKey(Schema.Int),
  state: CallState,
  supervision: Schema.optionalKey(Supervision),
  /** What people were asked, in order; absent when nothing. In an `awaiting_*` state the last one is what the call waits for. */
  interactions: Schema.optionalKey(Schema.Array(Interaction)),
  /** Owner epoch and random bits, written before effects begin; only its holder may settle. */
  claim: Schema.optionalKey(Schema.String),
  process: Schema.optionalKey(ProcessIdentity),
  startedAt: Schema.optionalKey(Instant),
  updatedAt: Instant
})
export type UnfinishedCall = typeof UnfinishedCall.Type

/** What a suspended call waits for, with its answer if that is stored and not acted on yet; undefined for any other call. */
export const suspendedOn = (call: Pick<UnfinishedCall, "state" | "interactions">): Interaction | undefined =>
  call.state === "awaiting_approval" || call.state === "awaiting_input" ? call.interactions?.at(-1) : undefined
