/**
 * OpenAI Chat Completions: requests of `/v1/chat/completions`, streamed and whole answers.
 *
 * Limits: the protocol has one text per message, so several text blocks become one; a Thought is `reasoning_content`,
 * as compatible servers send it.
 */
import { type MessageFact, type PlayedAnswer, type PlayedCall, type RequestFacts, textDeltas } from "@steno/model-script"
import { answeredAt, type Frame, padded, type Protocol, serverSentEvent } from "./protocol.ts"
import { openaiError } from "./provider-errors.ts"
import { contentText, type JsonRecord, recordOf, recordsOf, textOf } from "./request-json.ts"

const nameIn = (holder: JsonRecord): string => textOf(recordOf(holder["function"] ?? holder["custom"])["name"])

const isSystem = ({ role }: JsonRecord): boolean => role === "system" || role === "developer"

const messageFact = (message: JsonRecord): MessageFact => {
  const text = contentText(message["content"])
  if (message["role"] === "tool") return { role: "tool", callId: textOf(message["tool_call_id"]), text }
  if (message["role"] !== "assistant") return { role: "user", text }
  return { role: "assistant", text, calls: recordsOf(message["tool_calls"]).map((call) => ({ id: textOf(call["id"]), tool: nameIn(call) })) }
}

const requestFacts = (body: JsonRecord): RequestFacts => {
  const messages = recordsOf(body["messages"])
  return {
    model: textOf(body["model"]),
    system: messages.filter(isSystem).map(({ content }) => contentText(content)).join("\n"),
    tools: recordsOf(body["tools"]).map(nameIn),
    messages: messages.filter((message) => !isSystem(message)).map(messageFact)
  }
}

const finishReasons = { end: "stop", calls: "tool_calls", length: "length", refusal: "content_filter" } as const

const usageOf = ({ usage }: PlayedAnswer) => ({
  prompt_tokens: usage.inputTokens,
  completion_tokens: usage.outputTokens,
  total_tokens: usage.inputTokens + usage.outputTokens,
  prompt_tokens_details: { cached_tokens: usage.cachedInputTokens },
  completion_tokens_details: { reasoning_tokens: usage.thoughtTokens }
})

const callsOf = ({ content }: PlayedAnswer): ReadonlyArray<PlayedCall> => content.filter((block): block is PlayedCall => block.type === "call")

const joined = ({ content }: PlayedAnswer, type: "text" | "thought"): string =>
  content.map((block) => (block.type === type ? block.text : "")).join("")

const messageOf = (answer: PlayedAnswer): JsonRecord => {
  const calls = callsOf(answer)
  const thought = joined(answer, "thought")
  return {
    role: "assistant",
    content: answer.content.some(({ type }) => type === "text") ? joined(answer, "text") : null,
    refusal: null,
    ...(thought === "" ? {} : { reasoning_content: thought }),
    ...(calls.length === 0
      ? {}
      : { tool_calls: calls.map(({ argumentsText, id, tool }) => ({ id, type: "function", function: { name: tool, arguments: argumentsText } })) })
  }
}

interface Delta {
  readonly phase: Frame["phase"]
  readonly value: JsonRecord
}

const deltasOf = (answer: PlayedAnswer): ReadonlyArray<Delta> => {
  const calls = callsOf(answer)
  return answer.content.flatMap((block): ReadonlyArray<Delta> => {
    if (block.type !== "call") {
      const key = block.type === "text" ? "content" : "reasoning_content"
      return textDeltas(block.text, answer.pace.deltaSize).map((piece) => ({ phase: "delta", value: { [key]: piece } }))
    }
    const index = calls.indexOf(block)
    const begun = { index, id: block.id, type: "function", function: { name: block.tool, arguments: "" } }
    return [
      { phase: "content", value: { tool_calls: [begun] } },
      ...textDeltas(block.argumentsText, answer.pace.deltaSize).map((piece): Delta => ({
        phase: "delta",
        value: { tool_calls: [{ index, function: { arguments: piece } }] }
      }))
    ]
  })
}

const render = (model: string, withUsage: boolean) => (answer: PlayedAnswer, serial: number) => {
  const about = { id: `chatcmpl-${serial}`, created: answeredAt, model }
  const finish_reason = finishReasons[answer.stop]
  const chunk = (phase: Frame["phase"], delta: JsonRecord, reason: string | null = null): Frame => ({
    phase,
    text: serverSentEvent(JSON.stringify({
      ...about,
      object: "chat.completion.chunk",
      choices: [{ index: 0, delta, logprobs: null, finish_reason: reason }],
      ...(withUsage ? { usage: null } : {})
    }))
  })
  const usageChunk: Frame = {
    phase: "closing",
    text: serverSentEvent(JSON.stringify({ ...about, object: "chat.completion.chunk", choices: [], usage: usageOf(answer) }))
  }
  return {
    document: {
      ...about,
      object: "chat.completion",
      choices: [{ index: 0, message: messageOf(answer), logprobs: null, finish_reason }],
      usage: usageOf(answer)
    },
    frames: [
      chunk("opening", { role: "assistant", content: "" }),
      ...deltasOf(answer).map(({ phase, value }) => chunk(phase, value)),
      chunk("closing", {}, finish_reason),
      ...(withUsage ? [usageChunk] : []),
      { phase: "closing" as const, text: serverSentEvent("[DONE]") }
    ]
  }
}

export const openaiChat: Protocol = {
  name: "openai-chat",
  read: (body) => {
    const request = recordOf(body)
    const withUsage = recordOf(request["stream_options"])["include_usage"] === true
    return { facts: requestFacts(request), stream: request["stream"] === true, render: render(textOf(request["model"]), withUsage) }
  },
  errorBody: openaiError,
  errorFrame: (status, message) => serverSentEvent(JSON.stringify(openaiError(status, message))),
  rawFrame: (data) => serverSentEvent(data),
  hugeFrame: (bytes) =>
    padded(bytes, (filler) =>
      serverSentEvent(JSON.stringify({ id: "huge", object: "chat.completion.chunk", created: answeredAt, model: "", choices: [], filler })))
}
