/**
 * What an item of Codex says about one tool call.
 *
 * Owns: the kind of tool, its one-line input, output, ending. Status `declined` is a refusal; a code below zero is no exit code.
 * Never owns: merging (harness-seam).
 */
import type { CallEnding, ItemId, ReportedCall } from "@steno/harness-seam"
import { Schema } from "effect"
import {
  type CommandItem,
  type FileChangeItem,
  type ImageViewItem,
  isCommandItem,
  isFileChangeItem,
  isImageViewItem,
  isMcpItem,
  isSubAgentItem,
  isUnfamiliarItem,
  isWebSearchItem,
  type McpItem,
  silentItems,
  type SubAgentItem,
  type UnfamiliarItem,
  type WebSearchItem
} from "./codex-item.ts"
import { changedFiles } from "./codex-patch.ts"

export type CallItem =
  | CommandItem
  | FileChangeItem
  | McpItem
  | SubAgentItem
  | WebSearchItem
  | ImageViewItem
  | UnfamiliarItem

/** Undefined: the item is no call. */
export const callItem = (item: unknown): CallItem | undefined => {
  if (
    isCommandItem(item) || isFileChangeItem(item) || isMcpItem(item) || isSubAgentItem(item) || isWebSearchItem(item) ||
    isImageViewItem(item)
  ) return item
  return isUnfamiliarItem(item) && !silentItems.has(item.type) ? item : undefined
}

const isText = (value: unknown): value is string => typeof value === "string"
const text = (value: unknown): string => (isText(value) ? value : "")
const json = (value: unknown): string => (value === undefined || value === null ? "" : JSON.stringify(value))

export const mcpInput = (server: string, tool: string, given: unknown): string => {
  const shown = json(given)
  return shown === "" ? `${server}/${tool}` : `${server}/${tool} · ${shown}`
}

const isMcpResult = Schema.is(Schema.Struct({ content: Schema.Array(Schema.Unknown) }))
const isTextBlock = Schema.is(Schema.Struct({ type: Schema.Literal("text"), text: Schema.String }))
const isFault = Schema.is(Schema.Struct({ message: Schema.String }))

const mcpOutput = ({ result }: McpItem): string | undefined =>
  isMcpResult(result) ? result.content.filter(isTextBlock).map((block) => block.text).join("\n") : undefined

/** Of a long output Codex keeps both ends, at least so many units each, and says between them what it left out. */
const keptUnits = 170_000
const omission = /\n(\.\.\. \d+ bytes omitted \.\.\.)\n/g

const nativeOmission = (output: unknown): { readonly nativeOmission?: string } => {
  if (!isText(output) || output.length < 2 * keptUnits) return {}
  for (const { 0: line, 1: words, index } of output.matchAll(omission)) {
    if (words !== undefined && index >= keptUnits && index + line.length <= output.length - keptUnits) return { nativeOmission: words }
  }
  return {}
}

/** @param proven it is the item's end */
export const reportedCall = (item: CallItem, itemId: ItemId, proven: boolean, parentItemId: ItemId | undefined): ReportedCall => {
  const base = { itemId, ...(parentItemId === undefined ? {} : { parentItemId }) }
  if (isCommandItem(item)) {
    const { command, cwd, exitCode } = item
    return {
      ...base,
      tool: "command",
      input: command,
      ...(isText(cwd) ? { cwd } : {}),
      ...nativeOmission(item.aggregatedOutput),
      ...(typeof exitCode === "number" && Number.isInteger(exitCode) && exitCode >= 0 ? { exitCode } : {})
    }
  }
  if (isFileChangeItem(item)) {
    const files = changedFiles(item.changes, proven && item.status === "completed")
    const input = (files ?? []).map(({ path }) => path).join(", ")
    return { ...base, tool: "file-change", input, ...(files === undefined ? {} : { files }) }
  }
  if (isMcpItem(item)) return { ...base, tool: "mcp", input: mcpInput(item.server, item.tool, item.arguments) }
  if (isSubAgentItem(item)) return { ...base, tool: "subagent", input: [item.tool, text(item.prompt)].filter((part) => part !== "").join(": ") }
  if (isWebSearchItem(item)) return { ...base, tool: "web", input: text(item.query) }
  if (isImageViewItem(item)) return { ...base, tool: "read", input: text(item.path) }
  const shown = json(item.arguments)
  return { ...base, tool: "other", input: [text(item.tool) || item.type, ...(shown === "" ? [] : [shown])].join(" · ") }
}

/** What the item's end supplies; absent is not empty. */
export const callOutput = (item: CallItem): string | undefined => {
  if (isCommandItem(item)) return isText(item.aggregatedOutput) ? item.aggregatedOutput : undefined
  return isMcpItem(item) ? mcpOutput(item) : undefined
}

export const callEnding = (item: CallItem): CallEnding => {
  const status = "status" in item ? item.status : undefined
  if (status === "declined") return { outcome: "denied" }
  if (status !== "failed") return { outcome: "completed" }
  return isMcpItem(item) && isFault(item.error) ? { outcome: "failed", error: item.error.message } : { outcome: "failed" }
}

/** Threads of the sub-agents that the item names. */
export const childThreads = (item: CallItem): ReadonlyArray<string> =>
  isSubAgentItem(item) && Array.isArray(item.receiverThreadIds) ? item.receiverThreadIds.filter(isText) : []
