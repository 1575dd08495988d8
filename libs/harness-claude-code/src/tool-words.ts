/**
 * What a native tool is at the Seam, and the one string that says what it was asked.
 *
 * Owns: the names of the program's own tools.
 * Never owns: what came of a call (tool-outcome).
 */
import type { ChangedFile, SeamTool } from "@steno/harness-seam"
import { type Fields, textAt } from "./frame-fields.ts"

export interface ToolWords {
  readonly tool: SeamTool
  readonly input: string
  /** Targets, known before anything was done. */
  readonly files?: ReadonlyArray<ChangedFile>
}

interface KnownTool {
  readonly tool: SeamTool
  /** The first of these that the call has is what it was asked. */
  readonly says: ReadonlyArray<string>
}

const knownTools: Readonly<Record<string, KnownTool>> = {
  Bash: { tool: "command", says: ["command"] },
  Read: { tool: "read", says: ["file_path"] },
  NotebookRead: { tool: "read", says: ["notebook_path"] },
  LS: { tool: "read", says: ["path"] },
  Grep: { tool: "search", says: ["pattern"] },
  Glob: { tool: "search", says: ["pattern"] },
  Edit: { tool: "file-change", says: ["file_path"] },
  MultiEdit: { tool: "file-change", says: ["file_path"] },
  Write: { tool: "file-change", says: ["file_path"] },
  NotebookEdit: { tool: "file-change", says: ["notebook_path"] },
  WebFetch: { tool: "web", says: ["url"] },
  WebSearch: { tool: "web", says: ["query"] },
  Task: { tool: "subagent", says: ["description", "prompt"] },
  Agent: { tool: "subagent", says: ["description", "prompt"] }
}

export interface McpTool {
  readonly server: string
  readonly tool: string
}

/** Undefined where `name` is no tool of an MCP server. */
export const mcpTool = (name: string): McpTool | undefined => {
  const [, server, tool] = /^mcp__(.+?)__(.+)$/.exec(name) ?? []
  return server === undefined || tool === undefined ? undefined : { server, tool }
}

const withArguments = (words: string, input: Fields): string =>
  Object.keys(input).length === 0 ? words : `${words} · ${JSON.stringify(input)}`

export const toolWords = (name: string, input: Fields): ToolWords => {
  const known = Object.hasOwn(knownTools, name) ? knownTools[name] : undefined
  const said = known?.says.map((field) => textAt(input, field)).find((text) => text !== undefined)
  if (known !== undefined && said !== undefined) {
    return { tool: known.tool, input: said, ...(known.tool === "file-change" ? { files: [{ path: said }] } : {}) }
  }
  const mcp = mcpTool(name)
  if (mcp !== undefined) return { tool: "mcp", input: withArguments(`${mcp.server}/${mcp.tool}`, input) }
  return { tool: known?.tool ?? "other", input: withArguments(name, input) }
}
