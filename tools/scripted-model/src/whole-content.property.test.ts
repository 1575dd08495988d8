/** Whatever a script says arrives whole, however it is cut: with the SDKs that put streams together as clients. */
import Anthropic from "@anthropic-ai/sdk"
import type { ScriptBlock, ScriptPace } from "@steno/contracts"
import * as fc from "fast-check"
import OpenAI from "openai"
import { expect, it } from "vitest"
import { served } from "./testing.ts"

const text = fc.string({ unit: "grapheme", minLength: 1, maxLength: 40 }).filter((words) => !words.includes("{{"))
const argumentsValue = fc.dictionary(fc.stringMatching(/^[a-z]{1,6}$/), fc.oneof(text, fc.integer(), fc.boolean(), fc.array(text, { maxLength: 3 })), { maxKeys: 4 })
const block: fc.Arbitrary<ScriptBlock> = fc.oneof(
  fc.record({ type: fc.constant("text" as const), text }),
  fc.record({ type: fc.constant("thought" as const), text }),
  fc.record({ type: fc.constant("call" as const), tool: fc.constantFrom("bash", "read"), arguments: argumentsValue })
)
const content = fc.array(block, { minLength: 1, maxLength: 5 })
const size = fc.integer({ min: 1, max: 12 })
const pace: fc.Arbitrary<ScriptPace> = fc.record(
  { deltaSize: fc.oneof(size, fc.array(size, { minLength: 1, maxLength: 4 })), writeBytes: fc.integer({ min: 1, max: 60 }) },
  { requiredKeys: [] }
)
const runs = { numRuns: 15 }

/** What a client should have, in the words of the script. */
const told = (blocks: ReadonlyArray<ScriptBlock>, type: "text" | "thought") =>
  blocks.flatMap((one) => (one.type === type ? [one.text] : []))
const calledWith = (blocks: ReadonlyArray<ScriptBlock>) =>
  blocks.flatMap((one) => (one.type === "call" && "arguments" in one ? [[one.tool, one.arguments]] : []))

const server = (blocks: ReadonlyArray<ScriptBlock>, paced: ScriptPace) => served({ steps: [{ answer: { content: blocks }, pace: paced }] })

it("in Anthropic Messages, block by block and in order", async () => {
  await fc.assert(fc.asyncProperty(content, pace, async (blocks, paced) => {
    const { close, url } = await server(blocks, paced)
    const client = new Anthropic({ baseURL: url, apiKey: "none", maxRetries: 0 })
    const message = await client.messages.stream({ model: "m", max_tokens: 1, messages: [{ role: "user", content: "a" }] }).finalMessage()
    expect(message.content.map((one) => {
      if (one.type === "text") return { type: "text", text: one.text }
      if (one.type === "thinking") return { type: "thought", text: one.thinking }
      return one.type === "tool_use" ? { type: "call", tool: one.name, arguments: one.input } : one
    })).toEqual(blocks)
    await close()
  }), runs)
})

it("in OpenAI Responses, item by item and in order", async () => {
  await fc.assert(fc.asyncProperty(content, pace, async (blocks, paced) => {
    const { close, url } = await server(blocks, paced)
    const client = new OpenAI({ baseURL: url, apiKey: "none", maxRetries: 0 })
    const response = await client.responses.stream({ model: "m", input: "a" }).finalResponse()
    expect(response.output.map((item) => {
      if (item.type === "message") return { type: "text", text: item.content.map((part) => (part.type === "output_text" ? part.text : "")).join() }
      if (item.type === "reasoning") return { type: "thought", text: item.summary.map((part) => part.text).join() }
      return item.type === "function_call" ? { type: "call", tool: item.name, arguments: JSON.parse(item.arguments) as unknown } : item
    })).toEqual(blocks)
    await close()
  }), runs)
})

it("in OpenAI Chat Completions, where texts become one", async () => {
  await fc.assert(fc.asyncProperty(content, pace, async (blocks, paced) => {
    const { close, url } = await server(blocks, paced)
    const client = new OpenAI({ baseURL: url, apiKey: "none", maxRetries: 0 })
    const completion = await client.chat.completions.stream({ model: "m", messages: [{ role: "user", content: "a" }] }).finalChatCompletion()
    const message = completion.choices[0]?.message
    expect(message?.content ?? "").toBe(told(blocks, "text").join(""))
    expect((message?.tool_calls ?? []).map((call) => (call.type === "function" ? [call.function.name, JSON.parse(call.function.arguments) as unknown] : call)))
      .toEqual(calledWith(blocks))
    await close()
  }), runs)
})
