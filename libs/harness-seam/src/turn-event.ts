/**
 * The ordered events of one Turn as a subscriber gets them.
 *
 * Owns: the closed set of events at the Seam, and which of them are previews.
 * Never owns: what is stored of them (application, contracts).
 * Limits: no native id, no private reasoning, no frame, no telemetry stands in any of them.
 */
import { Schema } from "effect"
import { SeamAvailability } from "./turn-result.ts"
import { ItemId } from "./item-id.ts"
import { CallEnding, ChangedFile, ToolCallValue } from "./tool-call-value.ts"

const event = <const Type extends string, const Fields extends Schema.Struct.Fields>(type: Type, fields: Fields) =>
  Schema.Struct({ type: Schema.Literal(type), ...fields })

/** True only. */
const Flag = Schema.optionalKey(Schema.Literal(true))

/** Facts about the native session; absent ones are not known. */
export const SessionFacts = Schema.Struct({
  version: Schema.optionalKey(Schema.String),
  tools: Schema.optionalKey(Schema.Array(Schema.String)),
  mcpServers: Schema.optionalKey(Schema.Array(Schema.Struct({ name: Schema.String, state: Schema.String }))),
  commandWords: Schema.optionalKey(Schema.Array(Schema.String))
})
export type SessionFacts = typeof SessionFacts.Type

const wholeFromZero = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))
const share = Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0))

/** As reported; nothing is calculated. A report replaces the one before it, omitted fields too. */
export const ContextReport = Schema.Struct({
  usedTokens: Schema.optionalKey(wholeFromZero),
  limitTokens: Schema.optionalKey(wholeFromZero),
  percentage: Schema.optionalKey(share),
  windows: Schema.optionalKey(Schema.Array(Schema.Struct({
    label: Schema.String,
    percentage: Schema.optionalKey(share),
    resetsAt: Schema.optionalKey(Schema.String)
  }))),
  summary: Schema.optionalKey(Schema.String)
})
export type ContextReport = typeof ContextReport.Type

/** `within-turn`: at once; `after-boundary`: with the next model request; `re-delivered`: again after a resume. */
export const SteerDelivery = Schema.Literals(["within-turn", "after-boundary", "re-delivered"])
export type SteerDelivery = typeof SteerDelivery.Type

export const TurnDiffValue = Schema.Struct({ content: Schema.String, files: Schema.Array(ChangedFile) })
export type TurnDiffValue = typeof TurnDiffValue.Type

export const TurnEvent = Schema.Union([
  event("session", { availability: SeamAvailability, facts: SessionFacts }),
  /** `content` is the whole text so far. */
  event("message-preview", { messageId: ItemId, content: Schema.String, parentItemId: Schema.optionalKey(ItemId) }),
  event("assistant-content", {
    messageId: ItemId,
    content: Schema.String,
    incomplete: Flag,
    parentItemId: Schema.optionalKey(ItemId)
  }),
  event("thought-preview", { summaryId: ItemId, content: Schema.String }),
  event("thought", {
    summaryId: ItemId,
    content: Schema.String,
    incomplete: Flag,
    /** Only where the harness measured it. */
    durationMs: Schema.optionalKey(share)
  }),
  event("argument-draft", { messageId: ItemId, contentIndex: wholeFromZero, tool: Schema.String, text: Schema.String }),
  event("tool-call-started", { call: ToolCallValue }),
  event("tool-preview", { call: ToolCallValue }),
  event("tool-call-ended", { call: ToolCallValue, ending: CallEnding }),
  event("turn-diff-preview", TurnDiffValue.fields),
  event("turn-diff", TurnDiffValue.fields),
  event("steer", {
    steerId: Schema.String,
    settlement: Schema.Union([
      Schema.Struct({ kind: Schema.Literal("delivered"), delivery: SteerDelivery }),
      Schema.Struct({ kind: Schema.Literal("dropped"), reason: Schema.Literals(["interrupt", "loss"]) })
    ])
  }),
  event("model", { model: Schema.NonEmptyString, effort: Schema.optionalKey(Schema.String) }),
  event("elicitation-declined", {
    server: Schema.optionalKey(Schema.String),
    message: Schema.String,
    url: Schema.optionalKey(Schema.String)
  }),
  event("provider-retry", { attempt: Schema.Int, delayMs: share, reason: Schema.String }),
  event("context", { report: ContextReport }),
  event("usage", { report: ContextReport }),
  /** Displayable work without a type of its own, a plan for one; `text` is all of it. */
  event("activity", { activityId: ItemId, text: Schema.String })
])
export type TurnEvent = typeof TurnEvent.Type

export type TurnEventOf<Type extends TurnEvent["type"]> = Extract<TurnEvent, { readonly type: Type }>
