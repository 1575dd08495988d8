/**
 * The tools that Steno runs itself, a closed set.
 *
 * Owns: their names. An observed call may name any other tool.
 * Never owns: descriptions, arguments, risks (tool-catalog), policies (result-projection).
 */
import { Schema } from "effect"

export const ToolName = Schema.Literals([
  "read",
  "grep",
  "find",
  "ls",
  "write",
  "edit",
  "bash",
  "async_bash",
  "ask_user",
  "explore",
  "agent",
  "run_done",
  "run_failed"
])
export type ToolName = typeof ToolName.Type
