/** What frames tell of the native session and its model: `system/init`, `system/api_retry`, `result`. */
import type { ContextReport, SessionFacts } from "@steno/harness-seam"
import { type Fields, fieldsAt, isFields, numberAt, recordsAt, textAt, textsAt, wholeAt } from "./frame-fields.ts"

export const sessionFacts = (init: Fields): SessionFacts => {
  const version = textAt(init, "claude_code_version")
  const mcpServers = recordsAt(init, "mcp_servers").flatMap((server) => {
    const [name, state] = [textAt(server, "name"), textAt(server, "status")]
    return name === undefined || state === undefined ? [] : [{ name, state }]
  })
  return {
    ...(version === undefined ? {} : { version }),
    ...(Array.isArray(init["tools"]) ? { tools: textsAt(init, "tools") } : {}),
    ...(Array.isArray(init["mcp_servers"]) ? { mcpServers } : {}),
    ...(Array.isArray(init["slash_commands"]) ? { commandWords: textsAt(init, "slash_commands") } : {})
  }
}

const usageWords = [
  ["input_tokens", "input"],
  ["cache_read_input_tokens", "cache read"],
  ["cache_creation_input_tokens", "cache written"],
  ["output_tokens", "output"]
] as const

/** Undefined where nothing was reported. The numbers are the program's own, none is made of others. */
export const usageReport = (result: Fields): ContextReport | undefined => {
  const usage = fieldsAt(result, "usage")
  const said = usageWords.flatMap(([field, word]) => {
    const value = wholeAt(usage, field)
    return value === undefined ? [] : [`${word} ${value}`]
  })
  return said.length === 0 ? undefined : { summary: `Tokens: ${said.join(", ")}` }
}

/** The window of `model`, once its use was accounted for. */
export const contextReport = (result: Fields, model: string | undefined): ContextReport | undefined => {
  const used = model === undefined ? undefined : fieldsAt(result, "modelUsage")[model]
  const limitTokens = isFields(used) ? wholeAt(used, "contextWindow") : undefined
  return limitTokens === undefined ? undefined : { limitTokens }
}

/** The model failed and is asked again. */
export const modelRetry = (frame: Fields) => {
  const [error, status] = [textAt(frame, "error") ?? "unknown", wholeAt(frame, "error_status")]
  return {
    attempt: wholeAt(frame, "attempt") ?? 1,
    delayMs: Math.round(numberAt(frame, "retry_delay_ms") ?? 0),
    reason: status === undefined ? error : `${error} (${status})`
  }
}
