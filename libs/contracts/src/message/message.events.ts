/**
 * Durable events of the hosted loop: what a model said, and what happened around it.
 *
 * Owns: the stored payloads. A stored version is never edited.
 * Ordering: a message is stored once, when it is complete, in the transaction that creates its calls.
 * Limits: deltas, drafts and private reasoning are never stored.
 */
import { Schema } from "effect"
import { CallArguments } from "../call/call.schema.ts"
import { CallId, SteerId } from "../ids/ids.schema.ts"
import { Instant, LineCount, Milliseconds } from "../units.ts"

/** Where a block stands: its opaque id inside the Turn and the order of its first appearance there, from 0. */
const place = { itemId: Schema.NonEmptyString, firstSeen: Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)) }

/** True only: the Turn ended while the block was still coming in. */
const incomplete = Schema.optionalKey(Schema.Literal(true))

export const TextBlock = Schema.Struct({
  type: Schema.Literal("text"),
  ...place,
  content: Schema.String,
  incomplete
})
export type TextBlock = typeof TextBlock.Type

/** A summary that the provider wrote for people. */
export const ReasoningSummaryBlock = Schema.Struct({
  type: Schema.Literal("reasoning-summary"),
  ...place,
  content: Schema.String,
  incomplete,
  durationMs: Schema.optionalKey(Milliseconds)
})
export type ReasoningSummaryBlock = typeof ReasoningSummaryBlock.Type

const callBlock = {
  type: Schema.Literal("call"),
  ...place,
  callId: CallId,
  tool: Schema.String,
  /** Pairs the call with its result at the provider. */
  providerCallId: Schema.optionalKey(Schema.String)
}

/** A call with its arguments: their only copy. `rawArguments`: the model's text where it is no JSON object. */
export const CallBlock = Schema.Union([
  Schema.Struct({ ...callBlock, arguments: CallArguments }),
  Schema.Struct({ ...callBlock, rawArguments: Schema.String })
])
export type CallBlock = typeof CallBlock.Type

export const MessageBlock = Schema.Union([TextBlock, ReasoningSummaryBlock, ...CallBlock.members])
export type MessageBlock = typeof MessageBlock.Type

/** One per model step. The index of a block is its content index. */
export const AssistantMessage = Schema.Struct({
  /** In content order. */
  blocks: Schema.Array(MessageBlock),
  /** As the provider named it. */
  stopReason: Schema.optionalKey(Schema.String),
  /** The model that answered. */
  model: Schema.optionalKey(Schema.String)
})
export type AssistantMessage = typeof AssistantMessage.Type

/** A model request failed and is made again after `delayMs`. */
export const ProviderRetry = Schema.Struct({
  /** The attempt that failed, from 1. */
  attempt: Schema.Int.check(Schema.isGreaterThanOrEqualTo(1)),
  delayMs: Milliseconds,
  reason: Schema.String
})
export type ProviderRetry = typeof ProviderRetry.Type

export const SteerSettlement = Schema.Union([
  Schema.Struct({ state: Schema.Literal("waiting") }),
  Schema.Struct({
    state: Schema.Literal("delivered"),
    delivery: Schema.Literals(["within-turn", "after-boundary", "re-delivered"])
  }),
  Schema.Struct({ state: Schema.Literal("dropped"), cause: Schema.Literals(["interrupt", "loss"]) })
])
export type SteerSettlement = typeof SteerSettlement.Type

/** Stored when it is sent (`waiting`) and again with what became of it; at most one delivery counts. */
export const Steer = Schema.Struct({
  steerId: SteerId,
  text: Schema.String,
  sentAt: Instant,
  settlement: SteerSettlement
})
export type Steer = typeof Steer.Type

export const TurnDiffFile = Schema.Struct({
  path: Schema.NonEmptyString,
  kind: Schema.optionalKey(Schema.Literals(["create", "update", "delete"])),
  additions: Schema.optionalKey(LineCount),
  removals: Schema.optionalKey(LineCount)
})
export type TurnDiffFile = typeof TurnDiffFile.Type

/** What a Turn changed, once. */
export const TurnDiff = Schema.Struct({
  /** Unified diff. */
  content: Schema.String,
  files: Schema.Array(TurnDiffFile)
})
export type TurnDiff = typeof TurnDiff.Type

/** The calls that a message asks for, with their content index. */
export const callBlocks = (
  message: AssistantMessage
): ReadonlyArray<{ readonly contentIndex: number; readonly block: CallBlock }> =>
  message.blocks.flatMap((block, contentIndex) => block.type === "call" ? [{ contentIndex, block }] : [])
