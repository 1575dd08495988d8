/**
 * Requests of OpenAI Responses (`/v1/responses`).
 *
 * Owns: their facts, how each offered tool is called, and the items that a client names by id only.
 * Limits: `previous_response_id` is not followed.
 */
import type { CallFact, MessageFact, RequestFacts } from "@steno/model-script"
import { contentText, type JsonRecord, recordsOf, textOf } from "./request-json.ts"

/** What the model said in one item. */
export interface ModelItem {
  readonly text: string
  readonly calls: ReadonlyArray<CallFact>
}

export interface OfferedTool {
  readonly name: string
  readonly custom: boolean
  readonly namespace?: string
}

export const offeredTools = (body: JsonRecord): ReadonlyArray<OfferedTool> =>
  recordsOf(body["tools"]).flatMap((tool) => {
    const name = textOf(tool["name"] ?? tool["type"])
    if (tool["type"] !== "namespace") return [{ name, custom: tool["type"] === "custom" }]
    return recordsOf(tool["tools"]).map((inner) => ({ name: textOf(inner["name"]), custom: inner["type"] === "custom", namespace: name }))
  })

const itemsOf = (body: JsonRecord): ReadonlyArray<JsonRecord> =>
  typeof body["input"] === "string" ? [{ role: "user", content: body["input"] }] : recordsOf(body["input"])

const isSystem = ({ role }: JsonRecord): boolean => role === "system" || role === "developer"

const modelItem = (item: JsonRecord, known: ReadonlyMap<string, ModelItem>): ModelItem | undefined => {
  const type = textOf(item["type"])
  if (type === "item_reference") return known.get(textOf(item["id"])) ?? { text: "", calls: [] }
  if (type.endsWith("_call")) return { text: "", calls: [{ id: textOf(item["call_id"]), tool: textOf(item["name"] ?? type) }] }
  if (type === "reasoning") return { text: "", calls: [] }
  return item["role"] === "assistant" ? { text: contentText(item["content"]), calls: [] } : undefined
}

/** Items of the model in a row are one message. */
const messagesOf = (items: ReadonlyArray<JsonRecord>, known: ReadonlyMap<string, ModelItem>): ReadonlyArray<MessageFact> => {
  const messages: Array<MessageFact> = []
  for (const item of items) {
    const said = modelItem(item, known)
    const last = messages.at(-1)
    if (said === undefined) {
      const output = textOf(item["type"]).endsWith("_output")
      messages.push(output
        ? { role: "tool", callId: textOf(item["call_id"]), text: contentText(item["output"]) }
        : { role: "user", text: contentText(item["content"]) })
    } else if (last?.role === "assistant") {
      messages[messages.length - 1] = {
        role: "assistant",
        text: [last.text, said.text].filter((text) => text !== "").join("\n"),
        calls: [...last.calls, ...said.calls]
      }
    } else messages.push({ role: "assistant", ...said })
  }
  return messages
}

export const responsesFacts = (body: JsonRecord, known: ReadonlyMap<string, ModelItem>): RequestFacts => {
  const items = itemsOf(body)
  return {
    model: textOf(body["model"]),
    system: [body["instructions"], ...items.filter(isSystem).map(({ content }) => content)].map(contentText).join("\n"),
    tools: offeredTools(body).map(({ name }) => name),
    messages: messagesOf(items.filter((item) => !isSystem(item)), known)
  }
}
