/**
 * The items of a Turn as Codex names them: what of them is used.
 *
 * Owns: their required fields. Fields that may be missing or of another form are `Unknown` here and looked at one by one.
 */
import { Schema } from "effect"

const optional = Schema.optionalKey(Schema.Unknown)

const item = <const Type extends string, const Fields extends Schema.Struct.Fields>(type: Type, fields: Fields) =>
  Schema.Struct({ type: Schema.Literal(type), id: Schema.NonEmptyString, ...fields })

export const CommandItem = item("commandExecution", {
  command: Schema.String,
  status: optional,
  cwd: optional,
  aggregatedOutput: optional,
  exitCode: optional
})
export type CommandItem = typeof CommandItem.Type

export const FileChangeItem = item("fileChange", { status: optional, changes: optional })
export type FileChangeItem = typeof FileChangeItem.Type

export const McpItem = item("mcpToolCall", {
  server: Schema.String,
  tool: Schema.String,
  status: optional,
  arguments: optional,
  result: optional,
  error: optional
})
export type McpItem = typeof McpItem.Type

export const SubAgentItem = item("collabAgentToolCall", {
  tool: Schema.String,
  status: optional,
  prompt: optional,
  receiverThreadIds: optional
})
export type SubAgentItem = typeof SubAgentItem.Type

export const WebSearchItem = item("webSearch", { query: optional })
export type WebSearchItem = typeof WebSearchItem.Type

export const ImageViewItem = item("imageView", { path: optional })
export type ImageViewItem = typeof ImageViewItem.Type

/** A tool that this version of the adapter does not know; only what has a status is a call. */
export const UnfamiliarItem = Schema.Struct({
  type: Schema.NonEmptyString,
  id: Schema.NonEmptyString,
  status: Schema.String,
  tool: optional,
  arguments: optional
})
export type UnfamiliarItem = typeof UnfamiliarItem.Type

export const AgentMessageItem = item("agentMessage", { text: Schema.String })
export const ReasoningItem = item("reasoning", { summary: Schema.Array(Schema.String) })
export const UserMessageItem = item("userMessage", { clientId: optional })

/** Of items that are no call, no text and no Steer. */
export const silentItems: ReadonlySet<string> = new Set([
  "agentMessage",
  "contextCompaction",
  "enteredReviewMode",
  "exitedReviewMode",
  "functionCallOutput",
  "hookPrompt",
  "plan",
  "reasoning",
  "sleep",
  "subAgentActivity",
  "userMessage"
])

export const isItem = Schema.is(Schema.Struct({ type: Schema.String, id: Schema.String }))
export const isCommandItem = Schema.is(CommandItem)
export const isFileChangeItem = Schema.is(FileChangeItem)
export const isMcpItem = Schema.is(McpItem)
export const isSubAgentItem = Schema.is(SubAgentItem)
export const isWebSearchItem = Schema.is(WebSearchItem)
export const isImageViewItem = Schema.is(ImageViewItem)
export const isUnfamiliarItem = Schema.is(UnfamiliarItem)
export const isAgentMessageItem = Schema.is(AgentMessageItem)
export const isReasoningItem = Schema.is(ReasoningItem)
export const isUserMessageItem = Schema.is(UserMessageItem)
