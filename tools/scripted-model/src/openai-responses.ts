/**
 * OpenAI Responses: streamed and whole answers of `/v1/responses`.
 *
 * Owns: output items and the order of their events.
 * Limits: a Thought is a reasoning summary of one part; `refusal` is an incomplete response with `content_filter`.
 */
import { type PlayedAnswer, type PlayedBlock, type PlayedCall, textDeltas } from "@steno/model-script"
import { answeredAt, type Frame, padded, type Protocol, serverSentEvent } from "./protocol.ts"
import { openaiError, openaiErrorCode } from "./provider-errors.ts"
import { type JsonRecord, listOf, recordOf, textOf } from "./request-json.ts"
import { type ModelItem, type OfferedTool, offeredTools, responsesFacts } from "./responses-request.ts"

interface Event {
  readonly phase: Frame["phase"]
  readonly data: JsonRecord
}

/** One output item: as it begins, its events, as it is whole. */
interface Item {
  readonly begun: JsonRecord
  readonly events: ReadonlyArray<Event>
  readonly done: JsonRecord
}

const textPart = (text: string): JsonRecord => ({ type: "output_text", text, annotations: [], logprobs: [] })
const summaryPart = (text: string): JsonRecord => ({ type: "summary_text", text })

const messageItem = (id: string, text: string, deltas: ReadonlyArray<string>, output_index: number): Item => {
  const place = { item_id: id, output_index, content_index: 0 }
  const base = { id, type: "message", role: "assistant" }
  return {
    begun: { ...base, status: "in_progress", content: [] },
    events: [
      { phase: "content", data: { type: "response.content_part.added", ...place, part: textPart("") } },
      ...deltas.map((delta): Event => ({ phase: "delta", data: { type: "response.output_text.delta", ...place, delta, logprobs: [] } })),
      { phase: "content", data: { type: "response.output_text.done", ...place, text, logprobs: [] } },
      { phase: "content", data: { type: "response.content_part.done", ...place, part: textPart(text) } }
    ],
    done: { ...base, status: "completed", content: [textPart(text)] }
  }
}

const reasoningItem = (id: string, text: string, deltas: ReadonlyArray<string>, output_index: number, encrypted: boolean): Item => {
  const place = { item_id: id, output_index, summary_index: 0 }
  const type = "response.reasoning_summary"
  const base = { id, type: "reasoning", ...(encrypted ? { encrypted_content: Buffer.from(id).toString("base64") } : {}) }
  return {
    begun: { ...base, summary: [] },
    events: [
      { phase: "content", data: { type: `${type}_part.added`, ...place, part: summaryPart("") } },
      ...deltas.map((delta): Event => ({ phase: "delta", data: { type: `${type}_text.delta`, ...place, delta } })),
      { phase: "content", data: { type: `${type}_text.done`, ...place, text } },
      { phase: "content", data: { type: `${type}_part.done`, ...place, part: summaryPart(text) } }
    ],
    done: { ...base, summary: [summaryPart(text)] }
  }
}

const callItem = (id: string, call: PlayedCall, deltas: ReadonlyArray<string>, output_index: number, offered?: OfferedTool): Item => {
  const place = { item_id: id, output_index }
  const key = offered?.custom === true ? "input" : "arguments"
  const type = offered?.custom === true ? "response.custom_tool_call_input" : "response.function_call_arguments"
  const base = {
    id,
    type: offered?.custom === true ? "custom_tool_call" : "function_call",
    call_id: call.id,
    name: call.tool,
    ...(offered?.namespace === undefined ? {} : { namespace: offered.namespace })
  }
  return {
    begun: { ...base, status: "in_progress", [key]: "" },
    events: [
      ...deltas.map((delta): Event => ({ phase: "delta", data: { type: `${type}.delta`, ...place, delta } })),
      { phase: "content", data: { type: `${type}.done`, ...place, [key]: call.argumentsText } }
    ],
    done: { ...base, status: "completed", [key]: call.argumentsText }
  }
}

interface Asked {
  readonly model: string
  readonly tools: ReadonlyArray<OfferedTool>
  readonly encrypted: boolean
}

const itemOf = (block: PlayedBlock, index: number, serial: number, { pace }: PlayedAnswer, { encrypted, tools }: Asked): Item => {
  const deltas = textDeltas(block.type === "call" ? block.argumentsText : block.text, pace.deltaSize)
  if (block.type === "text") return messageItem(`msg_${serial}_${index}`, block.text, deltas, index)
  if (block.type === "thought") return reasoningItem(`rs_${serial}_${index}`, block.text, deltas, index, encrypted)
  return callItem(`fc_${serial}_${index}`, block, deltas, index, tools.find(({ name }) => name === block.tool))
}

const usageOf = ({ usage }: PlayedAnswer): JsonRecord => ({
  input_tokens: usage.inputTokens,
  input_tokens_details: { cached_tokens: usage.cachedInputTokens, cache_write_tokens: 0 },
  output_tokens: usage.outputTokens,
  output_tokens_details: { reasoning_tokens: usage.thoughtTokens },
  total_tokens: usage.inputTokens + usage.outputTokens
})

const responseOf = (id: string, model: string, status: string, changes: JsonRecord): JsonRecord => ({
  id,
  object: "response",
  created_at: answeredAt,
  model,
  status,
  error: null,
  incomplete_details: null,
  instructions: null,
  metadata: {},
  output: [],
  parallel_tool_calls: true,
  temperature: 1,
  tool_choice: "auto",
  tools: [],
  top_p: 1,
  usage: null,
  ...changes
})

const incompleteReasons = { length: "max_output_tokens", refusal: "content_filter" } as const

const frameOf = ({ data, phase }: Event, sequence_number: number): Frame => ({
  phase,
  text: serverSentEvent(JSON.stringify({ ...data, sequence_number }), textOf(data["type"]))
})

const render = (answer: PlayedAnswer, serial: number, asked: Asked) => {
  const items = answer.content.map((block, index) => itemOf(block, index, serial, answer, asked))
  const id = `resp_${serial}`
  const reason = answer.stop === "length" || answer.stop === "refusal" ? incompleteReasons[answer.stop] : undefined
  const status = reason === undefined ? "completed" : "incomplete"
  const document = responseOf(id, asked.model, status, {
    output: items.map(({ done }) => done),
    usage: usageOf(answer),
    ...(reason === undefined ? {} : { incomplete_details: { reason } })
  })
  const begun = responseOf(id, asked.model, "in_progress", {})
  const events: ReadonlyArray<Event> = [
    { phase: "opening", data: { type: "response.created", response: begun } },
    { phase: "opening", data: { type: "response.in_progress", response: begun } },
    ...items.flatMap(({ begun: item, done, events: inner }, output_index): ReadonlyArray<Event> => [
      { phase: "content", data: { type: "response.output_item.added", output_index, item } },
      ...inner,
      { phase: "content", data: { type: "response.output_item.done", output_index, item: done } }
    ]),
    { phase: "closing", data: { type: `response.${status}`, response: document } }
  ]
  return { document, frames: events.map(frameOf), items }
}

/** One server's protocol: it remembers the items it sent, because clients name them by id. */
export const openaiResponses = (): Protocol => {
  const known = new Map<string, ModelItem>()
  return {
    name: "openai-responses",
    read: (body) => {
      const request = recordOf(body)
      const asked = {
        model: textOf(request["model"]),
        tools: offeredTools(request),
        encrypted: listOf(request["include"]).includes("reasoning.encrypted_content")
      }
      return {
        facts: responsesFacts(request, known),
        stream: request["stream"] === true,
        render: (answer, serial) => {
          const { document, frames, items } = render(answer, serial, asked)
          for (const [index, { done }] of items.entries()) {
            const block = answer.content[index]
            known.set(textOf(done["id"]), {
              text: block?.type === "text" ? block.text : "",
              calls: block?.type === "call" ? [{ id: block.id, tool: block.tool }] : []
            })
          }
          return { document, frames }
        }
      }
    },
    errorBody: openaiError,
    errorFrame: (status, message, sent) => {
      const error = { code: openaiErrorCode(status) ?? "server_error", message }
      const response = responseOf("resp_failed", "", "failed", { error })
      return frameOf({ phase: "closing", data: { type: "response.failed", response } }, sent).text
    },
    rawFrame: (data) => serverSentEvent(data, "response.output_text.delta"),
    hugeFrame: (bytes) => padded(bytes, (filler) => serverSentEvent(JSON.stringify({ type: "keepalive", sequence_number: 0, filler }), "keepalive"))
  }
}
