import Anthropic, { APIConnectionError, APIError } from "@anthropic-ai/sdk"
import { describe, expect, it } from "vitest"
import type { ScriptedModel } from "./index.ts"
import { awkwardText, everything, says, served } from "./testing.ts"

const clientOf = ({ url }: ScriptedModel) => new Anthropic({ baseURL: url, apiKey: "none", maxRetries: 0 })
const tools: Array<Anthropic.Tool> = ["bash", "read"].map((name) => ({ name, input_schema: { type: "object" } }))
const hello = { model: "scripted-model", max_tokens: 100, tools, messages: [{ role: "user" as const, content: "hello" }] }

const wanted = [
  { type: "thinking", thinking: "Erst nachdenken 🤔." },
  { type: "text", text: awkwardText },
  { type: "tool_use", id: "call_1_2", name: "bash", input: { command: "echo \"é\" | cat" } },
  { type: "tool_use", id: "call_1_3", name: "read", input: { path: "a b.txt", offset: 3 } }
]

describe("Anthropic's SDK", () => {
  it("gets a Thought, a text and parallel calls whole, streamed and split at every byte", async () => {
    const client = clientOf(await served({ steps: [everything] }))
    const stream = client.messages.stream(hello)
    const texts: Array<string> = []
    stream.on("text", (delta) => texts.push(delta))
    const message = await stream.finalMessage()
    expect(message.content).toMatchObject(wanted)
    expect(message.stop_reason).toBe("tool_use")
    expect(message.usage).toMatchObject({ input_tokens: 42, cache_read_input_tokens: 8, output_tokens: 20 })
    expect(texts).toEqual([...awkwardText])
  })

  it("gets the same without a stream", async () => {
    const client = clientOf(await served({ steps: [everything] }))
    expect((await client.messages.create(hello)).content).toMatchObject(wanted)
  })

  it("gets the events in the protocol's order", async () => {
    const client = clientOf(await served({ steps: [{ ...says("ab"), pace: { deltaSize: 1 } }] }))
    const kinds: Array<string> = []
    for await (const event of await client.messages.create({ ...hello, stream: true })) kinds.push(event.type)
    expect(kinds).toEqual([
      "message_start", "content_block_start", "content_block_delta", "content_block_delta", "content_block_stop", "message_delta", "message_stop"
    ])
  })

  it("carries results back, which the script can expect", async () => {
    const server = await served({
      steps: [everything, { ...says("ok {{result}}"), expect: { resultCount: 2, results: [{ tool: "bash", contains: "é" }, { tool: "read" }], messageCount: 4 } }]
    })
    const client = clientOf(server)
    const { content } = await client.messages.create(hello)
    const { content: answer } = await client.messages.create({
      ...hello,
      messages: [
        ...hello.messages,
        { role: "assistant", content },
        {
          role: "user",
          content: [
            { type: "tool_result", tool_use_id: "call_1_2", content: "é" },
            { type: "tool_result", tool_use_id: "call_1_3", content: [{ type: "text", text: "line" }] }
          ]
        }
      ]
    })
    expect(answer).toMatchObject([{ type: "text", text: "ok line" }])
    expect(new Set(server.requests().map(({ conversation }) => conversation)).size).toBe(1)
  })

  it.each([[401, "authentication_error"], [429, "rate_limit_error"], [500, "api_error"], [529, "overloaded_error"]])("is told of %i as %s", async (status, type) => {
    const client = clientOf(await served({ steps: [{ error: { status, message: "no" } }] }))
    const error = await client.messages.create(hello).catch((caught: unknown) => caught)
    expect(error).toBeInstanceOf(APIError)
    expect(error).toMatchObject({ status, error: { error: { type, message: "no" } } })
  })

  it("retries what the script says is overloaded, then gets the answer", async () => {
    const server = await served({ steps: [{ error: { status: 529, headers: { "retry-after-ms": "1" } } }, says("ok")] })
    const client = new Anthropic({ baseURL: server.url, apiKey: "none", maxRetries: 1 })
    expect((await client.messages.create(hello)).content).toMatchObject([{ text: "ok" }])
    expect(server.requests()).toHaveLength(2)
  })

  it("meets an error in the middle of a stream", async () => {
    const client = clientOf(await served({ steps: [{ ...says("abc"), pace: { deltaSize: 1 }, fault: { type: "error-frame", at: 2, status: 529 } }] }))
    await expect(client.messages.stream(hello).finalMessage()).rejects.toThrow(/overloaded_error/)
  })

  it("meets a connection that breaks in the middle of a stream, and one that breaks before it", async () => {
    const client = clientOf(await served({
      steps: [{ ...says("abc"), pace: { deltaSize: 1 }, fault: { type: "disconnect", at: 2 } }, { ...says("abc"), fault: { type: "disconnect", at: "start" } }]
    }))
    const seen: Array<string> = []
    const stream = client.messages.stream(hello).on("text", (delta) => seen.push(delta))
    await expect(stream.finalMessage()).rejects.toThrow()
    expect(seen).toEqual(["a", "b"])
    await expect(client.messages.create(hello)).rejects.toThrow(APIConnectionError)
  })

  it("meets a frame that is no JSON", async () => {
    const client = clientOf(await served({ steps: [{ ...says("abc"), fault: { type: "malformed-frame", at: 0 } }] }))
    await expect(client.messages.stream(hello).finalMessage()).rejects.toThrow()
  })

  it("passes over a huge frame", async () => {
    const client = clientOf(await served({ steps: [{ ...says("abc"), fault: { type: "huge-frame", at: 0, bytes: 1_000_000 } }] }))
    expect((await client.messages.stream(hello).finalMessage()).content).toMatchObject([{ text: "abc" }])
  })

  it("lists models and counts tokens without using up a step", async () => {
    const server = await served({ steps: [says("ok")] }, { models: ["a", "b"] })
    const client = clientOf(server)
    expect((await client.models.list()).data.map(({ id }) => id)).toEqual(["a", "b"])
    expect((await client.messages.countTokens({ model: "a", messages: hello.messages })).input_tokens).toBeGreaterThan(0)
    expect(server.requests()).toEqual([])
  })
})
