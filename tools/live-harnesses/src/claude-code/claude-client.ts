/**
 * The client's part of Claude Code's stream-json protocol.
 *
 * Owns: the flags, user messages, control requests of both sides.
 * Limits: a permission that no scenario decides is allowed.
 */
import { objectOf, type JsonObject, type RecordedProcess } from "../recorded-process.ts"
import type { Stage } from "../scenario.ts"

export const claudeFlags = [
  "-p",
  "--input-format",
  "stream-json",
  "--output-format",
  "stream-json",
  "--verbose",
  "--include-partial-messages",
  "--permission-prompt-tool",
  "stdio"
]

/** Allowed as asked, refused, left without an answer, allowed with another input, or answered by these words. */
export type Permission = "allow" | "deny" | "leave" | { readonly updatedInput: JsonObject } | { readonly response: JsonObject }

export class ClaudeClient {
  readonly process: RecordedProcess
  #requests = 0

  constructor(process: RecordedProcess, decide: (request: JsonObject) => Permission) {
    this.process = process
    process.listen((message) => {
      if (message["type"] !== "control_request") return
      const request = objectOf(message["request"])
      const decided = decide(request)
      if (decided === "leave") return
      const response = decided === "deny"
        ? { behavior: "deny", message: "The person refused this call." }
        : decided !== "allow" && "response" in decided
        ? decided.response
        : { behavior: "allow", updatedInput: decided === "allow" ? request["input"] : decided.updatedInput }
      process.send({ type: "control_response", response: { subtype: "success", request_id: message["request_id"], response } })
    })
  }

  /** @param uuid of the message, by which a replayed one is known again */
  say(text: string, uuid?: string): void {
    const message = { role: "user", content: [{ type: "text", text }] }
    this.process.send({ type: "user", message, parent_tool_use_id: null, session_id: "", ...(uuid === undefined ? {} : { uuid }) })
  }

  /** Resolves with the answer of the program. */
  async control(request: JsonObject): Promise<JsonObject> {
    this.#requests += 1
    const request_id = `recorded_${this.#requests}`
    const from = this.process.mark()
    this.process.send({ type: "control_request", request_id, request })
    const isAnswer = (message: JsonObject): boolean =>
      message["type"] === "control_response" && objectOf(message["response"])["request_id"] === request_id
    return this.process.until(`answer to ${String(request["subtype"])}`, isAnswer, from)
  }

  /** Resolves with the Turn's native end. */
  result(from: number): Promise<JsonObject> {
    return this.process.until("result", ({ type }) => type === "result", from)
  }

  async turn(text: string): Promise<JsonObject> {
    const from = this.process.mark()
    this.say(text)
    return this.result(from)
  }
}

/** Started, its handshake answered. */
export const startClaude = async (
  stage: Stage,
  options: { readonly decide?: (request: JsonObject) => Permission; readonly flags?: ReadonlyArray<string>; readonly environment?: Readonly<Record<string, string>> } = {}
): Promise<ClaudeClient> => {
  const client = new ClaudeClient(stage.launch([...claudeFlags, ...(options.flags ?? [])], options.environment), options.decide ?? (() => "allow"))
  await client.control({ subtype: "initialize" })
  return client
}
