/**
 * The notifications of `codex app-server` that are used, and those that mean nothing for a Turn.
 *
 * Owns: the required fields of each.
 */
import { Schema } from "effect"

const unknown = Schema.Unknown
const ofTurn = { threadId: Schema.String, turnId: Schema.String }

export const isOfThread = Schema.is(Schema.Struct({ threadId: Schema.String }))
export const isOfTurn = Schema.is(Schema.Struct(ofTurn))
export const isItemNotice = Schema.is(Schema.Struct({ item: unknown }))
export const isDelta = Schema.is(Schema.Struct({ itemId: Schema.NonEmptyString, delta: Schema.String }))
export const isSummaryDelta = Schema.is(
  Schema.Struct({ itemId: Schema.NonEmptyString, delta: Schema.String, summaryIndex: Schema.Int })
)
export const isDiff = Schema.is(Schema.Struct({ diff: Schema.String }))
export const isPlan = Schema.is(Schema.Struct({
  explanation: Schema.optionalKey(unknown),
  plan: Schema.Array(Schema.Struct({ step: Schema.String, status: Schema.String }))
}))
export const isTokenUsage = Schema.is(Schema.Struct({ tokenUsage: Schema.Struct({ total: unknown, last: unknown }) }))
export const isTokens = Schema.is(
  Schema.Struct({ totalTokens: Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)) })
)
export const isLimit = Schema.is(Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)))
export const isReroute = Schema.is(Schema.Struct({ toModel: Schema.NonEmptyString }))
export const isSettings = Schema.is(
  Schema.Struct({ threadSettings: Schema.Struct({ model: Schema.NonEmptyString, effort: Schema.optionalKey(unknown) }) })
)
export const isFault = Schema.is(Schema.Struct({
  error: Schema.Struct({ message: Schema.String, codexErrorInfo: Schema.optionalKey(unknown) })
}))
export const isTurnNotice = Schema.is(Schema.Struct({
  threadId: Schema.String,
  turn: Schema.Struct({ id: Schema.String, status: Schema.String, error: Schema.optionalKey(unknown) })
}))
export const isTurnFault = Schema.is(Schema.Struct({ message: Schema.String, codexErrorInfo: Schema.optionalKey(unknown) }))
export const isResolved = Schema.is(Schema.Struct({ requestId: Schema.Union([Schema.Number, Schema.String]) }))
export const isThreadStatus = Schema.is(
  Schema.Struct({ threadId: Schema.String, status: Schema.Struct({ type: Schema.String }) })
)

/** Known, and nothing a Turn tells: private reasoning and telemetry among them. */
export const silentNotifications: ReadonlySet<string> = new Set([
  "account/rateLimits/updated",
  "account/updated",
  "configWarning",
  "deprecationNotice",
  "hook/completed",
  "hook/started",
  "item/autoApprovalReview/completed",
  "item/autoApprovalReview/started",
  "item/commandExecution/terminalInteraction",
  "item/fileChange/outputDelta",
  "item/fileChange/patchUpdated",
  "item/mcpToolCall/progress",
  "item/plan/delta",
  "item/reasoning/summaryPartAdded",
  "item/reasoning/textDelta",
  "mcpServer/startupStatus/updated",
  "remoteControl/status/changed",
  "serverRequest/resolved",
  "skills/changed",
  "thread/closed",
  "thread/compacted",
  "thread/goal/cleared",
  "thread/goal/updated",
  "thread/name/updated",
  "thread/readState/changed",
  "thread/started",
  "thread/status/changed",
  "turn/started",
  "warning"
])
