/**
 * The frames of the scripted program, shaped like those of the recordings.
 *
 * Owns: its stdout and its journal.
 */
import { appendFileSync } from "node:fs"
import process from "node:process"
import type { Fields } from "../frame-fields.ts"

export const scenario = process.env["SCRIPTED_SCENARIO"] ?? "text"
const journal = process.env["SCRIPTED_JOURNAL"] ?? "/dev/null"
export const secret = process.env["SCRIPTED_SECRET"] ?? ""
export const version = "2.1.332"
const after = (flag: string): string | undefined => {
  const at = process.argv.indexOf(flag)
  return at < 0 ? undefined : process.argv[at + 1]
}
export const resumed = after("--resume")
export const session = resumed ?? "native-session"

export const note = (kind: string, value: unknown): void => appendFileSync(journal, `${JSON.stringify({ kind, value })}\n`)
let gathered: string | undefined
export const write = (text: string): void => {
  if (gathered === undefined) process.stdout.write(text)
  else gathered += text
}
/** What is said meanwhile is read as one piece. */
export const together = (told: () => void): void => {
  gathered = ""
  told()
  const text = gathered
  gathered = undefined
  process.stdout.write(text)
}
export const framed = (frame: Fields): string => JSON.stringify({ session_id: session, uuid: "native-uuid", ...frame })
export const say = (frame: Fields): void => write(`${framed(frame)}\n`)

const main = { parent_tool_use_id: null }
export const event = (value: Fields): void => say({ type: "stream_event", event: value, ...main })
export const assistant = (id: string, block: Fields, more: Fields = {}): void =>
  say({ type: "assistant", message: { id, role: "assistant", model: "scripted-model", content: [block] }, ...main, ...more })

export const begin = (id: string): void =>
  event({ type: "message_start", message: { id, role: "assistant", model: "scripted-model", content: [] } })
export const open = (index: number, block: Fields): void => event({ type: "content_block_start", index, content_block: block })
export const delta = (index: number, value: Fields): void => event({ type: "content_block_delta", index, delta: value })
export const close = (index: number): void => event({ type: "content_block_stop", index })

export const textBlock = (id: string, index: number, ...pieces: ReadonlyArray<string>): void => {
  open(index, { type: "text", text: "" })
  for (const piece of pieces) delta(index, { type: "text_delta", text: piece })
  assistant(id, { type: "text", text: pieces.join("") })
  close(index)
}
export const message = (id: string, ...pieces: ReadonlyArray<string>): void => {
  begin(id)
  textBlock(id, 0, ...pieces)
  event({ type: "message_stop" })
}
export const half = (): void => {
  begin("native-half")
  open(0, { type: "text", text: "" })
  delta(0, { type: "text_delta", text: "half" })
}
export const thought = (id: string, index: number, thinking: string): void => {
  open(index, { type: "thinking", thinking: "" })
  delta(index, { type: "thinking_delta", thinking })
  assistant(id, { type: "thinking", thinking }, { thinking_duration_ms: 3 })
  close(index)
}
export const call = (id: string, command: string, name = "Bash", input: Fields = { command }): void =>
  assistant(`message-of-${id}`, { type: "tool_use", id, name, input })
export const printed = (id: string, stdout: string): void =>
  say({
    type: "user",
    message: { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: stdout, is_error: false }] },
    tool_use_result: { stdout, stderr: "", interrupted: false },
    tool_result_meta: [{ id, permission_decision: { decision: "accept", source: "config" } }],
    ...main
  })
export const failed = (id: string, content: string, meta: Fields = { permission_decision: { decision: "accept", source: "config" } }): void =>
  say({
    type: "user",
    message: { role: "user", content: [{ type: "tool_result", tool_use_id: id, content, is_error: true }] },
    tool_use_result: `Error: ${content}`,
    tool_result_meta: [{ id, ...meta }],
    ...main
  })
export const init = (): void =>
  say({
    type: "system",
    subtype: "init",
    tools: ["Bash", "Read"],
    mcp_servers: [],
    slash_commands: ["compact"],
    claude_code_version: version
  })
export const result = (more: Fields = {}): void =>
  say({
    type: "result",
    subtype: "success",
    is_error: false,
    terminal_reason: "completed",
    result: "the last text again",
    usage: { input_tokens: 10, output_tokens: 2 },
    modelUsage: { "scripted-model": { contextWindow: 1_000 } },
    ...more
  })
export const aborted = { subtype: "error_during_execution", is_error: true, terminal_reason: "aborted_tools", errors: ["[ede_diagnostic] x"] }
export const lifecycle = (uuid: string, state: string): void => say({ type: "command_lifecycle", command_uuid: uuid, state })
