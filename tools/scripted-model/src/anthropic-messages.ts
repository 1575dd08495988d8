/**
 * Anthropic Messages: requests of `/v1/messages`, streamed and whole answers.
 *
 * Limits: `refusal` has no explanation; the signature of a Thought is made up.
 */
import { type MessageFact, type PlayedAnswer, type PlayedBlock, type RequestFacts, textDeltas } from "@steno/model-script"
import type { ScriptPace } from "@steno/contracts"
import { type Frame, padded, type Protocol, serverSentEvent } from "./protocol.ts"
import { anthropicError } from "./provider-errors.ts"
import { contentText, type JsonRecord, recordOf, recordsOf, textOf } from "./request-json.ts"

const ofType = (blocks: ReadonlyArray<JsonRecord>, type: string) => blocks.filter((block) => block["type"] === type)

const messageFacts = (message: JsonRecord): ReadonlyArray<MessageFact> => {
  const content = message["content"]
  const blocks = typeof content === "string" ? [{ type: "text", text: content }] : recordsOf(content)
  if (message["role"] === "assistant") {
    const calls = ofType(blocks, "tool_use").map((block) => ({ id: textOf(block["id"]), tool: textOf(block["name"]) }))
    return [{ role: "assistant", text: contentText(ofType(blocks, "text")), calls }]
  }
  const results = ofType(blocks, "tool_result").map((block): MessageFact => ({
    role: "tool",
    callId: textOf(block["tool_use_id"]),
    text: contentText(block["content"])
  }))
  const said = blocks.filter((block) => block["type"] !== "tool_result")
  return said.length === 0 ? results : [...results, { role: "user", text: contentText(said) }]
}

const requestFacts = (body: JsonRecord): RequestFacts => {
  const messages = recordsOf(body["messages"])
  const systemTexts = [body["system"], ...messages.filter(({ role }) => role === "system").map(({ content }) => content)]
  return {
    model: textOf(body["model"]),
    system: systemTexts.map(contentText).join("\n"),
    tools: recordsOf(body["tools"]).map((tool) => textOf(tool["name"])),
    messages: messages.filter(({ role }) => role !== "system").flatMap(messageFacts)
  }
}

const stopReasons = { end: "end_turn", calls: "tool_use", length: "max_tokens", refusal: "refusal" } as const

const event = (phase: Frame["phase"], data: JsonRecord): Frame => ({
  phase,
  text: serverSentEvent(JSON.stringify(data), textOf(data["type"]))
})

const signature = Buffer.from("scripted thought").toString("base64")

/** The arguments as a value; as text where they are no JSON. */
const inputOf = (argumentsText: string): unknown => {
  try {
    return JSON.parse(argumentsText)
  } catch {
    return argumentsText
  }
}

const wholeBlock = (block: PlayedBlock): JsonRecord => {
  if (block.type === "text") return { type: "text", text: block.text }
  if (block.type === "thought") return { type: "thinking", thinking: block.text, signature }
  return { type: "tool_use", id: block.id, name: block.tool, input: inputOf(block.argumentsText) }
}

const emptyBlock = (block: PlayedBlock): JsonRecord => {
  if (block.type === "text") return { type: "text", text: "" }
  if (block.type === "thought") return { type: "thinking", thinking: "", signature: "" }
  return { type: "tool_use", id: block.id, name: block.tool, input: {} }
}

const blockFrames = (block: PlayedBlock, index: number, { deltaSize }: ScriptPace): ReadonlyArray<Frame> => {
  const delta = (phase: Frame["phase"], value: JsonRecord) => event(phase, { type: "content_block_delta", index, delta: value })
  const pieces = (text: string, value: (piece: string) => JsonRecord) => textDeltas(text, deltaSize).map((piece) => delta("delta", value(piece)))
  const content = block.type === "text"
    ? pieces(block.text, (text) => ({ type: "text_delta", text }))
    : block.type === "thought"
    ? [
      ...pieces(block.text, (thinking) => ({ type: "thinking_delta", thinking })),
      delta("content", { type: "signature_delta", signature })
    ]
    : [
      delta("content", { type: "input_json_delta", partial_json: "" }),
      ...pieces(block.argumentsText, (partial_json) => ({ type: "input_json_delta", partial_json }))
    ]
  return [
    event("content", { type: "content_block_start", index, content_block: emptyBlock(block) }),
    ...(index === 0 ? [event("content", { type: "ping" })] : []),
    ...content,
    event("content", { type: "content_block_stop", index })
  ]
}

const render = (model: string) => ({ content, pace, stop, usage }: PlayedAnswer, serial: number) => {
  const counted = {
    input_tokens: Math.max(0, usage.inputTokens - usage.cachedInputTokens),
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: usage.cachedInputTokens,
    output_tokens: usage.outputTokens
  }
  const message = { id: `msg_${serial}`, type: "message", role: "assistant", model }
  const ended = { stop_reason: stopReasons[stop], stop_sequence: null }
  const opening = { ...message, content: [], stop_reason: null, stop_sequence: null, usage: { ...counted, output_tokens: Math.min(1, usage.outputTokens) } }
  return {
    document: { ...message, content: content.map(wholeBlock), ...ended, usage: counted },
    frames: [
      event("opening", { type: "message_start", message: opening }),
      ...content.flatMap((block, index) => blockFrames(block, index, pace)),
      event("closing", { type: "message_delta", delta: ended, usage: counted }),
      event("closing", { type: "message_stop" })
    ]
  }
}

export const anthropicMessages: Protocol = {
  name: "anthropic-messages",
  read: (body) => {
    const request = recordOf(body)
    return { facts: requestFacts(request), stream: request["stream"] === true, render: render(textOf(request["model"])) }
  },
  errorBody: anthropicError,
  errorFrame: (status, message) => serverSentEvent(JSON.stringify(anthropicError(status, message)), "error"),
  rawFrame: (data) => serverSentEvent(data, "content_block_delta"),
  hugeFrame: (bytes) => padded(bytes, (filler) => serverSentEvent(JSON.stringify({ type: "ping", filler }), "ping"))
}
