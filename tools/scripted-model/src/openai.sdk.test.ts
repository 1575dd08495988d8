import OpenAI, { APIConnectionError, APIError } from "openai"
import { describe, expect, it } from "vitest"
import type { ScriptedModel } from "./index.ts"
import { awkwardText, everything, says, served } from "./testing.ts"

const clientOf = ({ url }: ScriptedModel) => new OpenAI({ baseURL: `${url}/v1`, apiKey: "none", maxRetries: 0 })
const names = ["bash", "read"]
const calls = [
  { id: "call_1_2", name: "bash", arguments: JSON.stringify({ command: "echo \"é\" | cat" }) },
  { id: "call_1_3", name: "read", arguments: JSON.stringify({ path: "a b.txt", offset: 3 }) }
]

describe("OpenAI's SDK on Responses", () => {
  const hello = {
    model: "scripted-model",
    input: "hello",
    tools: names.map((name) => ({ type: "function" as const, name, parameters: { type: "object" }, strict: false }))
  }
  const wanted = [
    { type: "reasoning", summary: [{ text: "Erst nachdenken 🤔." }] },
    { type: "message", content: [{ type: "output_text", text: awkwardText }] },
    ...calls.map(({ arguments: text, id, name }) => ({ type: "function_call", call_id: id, name, arguments: text }))
  ]

  it("gets a Thought, a text and parallel calls whole, streamed and split at every byte", async () => {
    const client = clientOf(await served({ steps: [everything] }))
    const response = await client.responses.stream(hello).finalResponse()
    expect(response.output).toMatchObject(wanted)
    expect(response.usage).toMatchObject({ input_tokens: 50, output_tokens: 20, input_tokens_details: { cached_tokens: 8 }, output_tokens_details: { reasoning_tokens: 4 } })
  })

  it("gets the same without a stream", async () => {
    const client = clientOf(await served({ steps: [everything] }))
    expect((await client.responses.create(hello)).output).toMatchObject(wanted)
  })

  it("gets the events in the protocol's order, numbered without a gap", async () => {
    const client = clientOf(await served({
      steps: [{
        answer: { content: [{ type: "thought", text: "t" }, { type: "text", text: "x" }, { type: "call", tool: "bash", arguments: {} }] }
      }]
    }))
    const events: Array<OpenAI.Responses.ResponseStreamEvent> = []
    for await (const event of await client.responses.create({ ...hello, stream: true })) events.push(event)
    expect(events.map(({ type }) => type)).toEqual([
      "response.created", "response.in_progress",
      "response.output_item.added", "response.reasoning_summary_part.added", "response.reasoning_summary_text.delta",
      "response.reasoning_summary_text.done", "response.reasoning_summary_part.done", "response.output_item.done",
      "response.output_item.added", "response.content_part.added", "response.output_text.delta",
      "response.output_text.done", "response.content_part.done", "response.output_item.done",
      "response.output_item.added", "response.function_call_arguments.delta", "response.function_call_arguments.done", "response.output_item.done",
      "response.completed"
    ])
    expect(events.map((event) => "sequence_number" in event && event.sequence_number)).toEqual(events.map((_, index) => index))
  })

  it("carries results back, which the script can expect", async () => {
    const client = clientOf(await served({
      steps: [everything, { ...says("ok {{result}}"), expect: { system: "terse", resultCount: 2, messageCount: 4, results: [{ tool: "read", contains: "line" }] } }]
    }))
    const { output } = await client.responses.create(hello)
    const next = await client.responses.create({
      ...hello,
      instructions: "Be terse.",
      input: [
        { role: "user", content: "hello" },
        ...output.map((item) => item as OpenAI.Responses.ResponseInputItem),
        { type: "function_call_output", call_id: "call_1_2", output: "é" },
        { type: "function_call_output", call_id: "call_1_3", output: "line" }
      ]
    })
    expect(next.output_text).toBe("ok line")
  })

  it("may name items that it was sent by their ids only", async () => {
    const client = clientOf(await served({ steps: [everything, { ...says("ok"), expect: { messageCount: 3, results: [{ tool: "bash" }] } }] }))
    const { output } = await client.responses.create(hello)
    const next = await client.responses.create({
      ...hello,
      input: [
        { role: "user", content: "hello" },
        ...output.map(({ id }) => ({ type: "item_reference" as const, id: id ?? "" })),
        { type: "function_call_output", call_id: "call_1_2", output: "é" }
      ]
    })
    expect(next.output_text).toBe("ok")
  })

  it("calls a tool that takes text with its text", async () => {
    const client = clientOf(await served({ steps: [{ answer: { content: [{ type: "call", tool: "patch", argumentsText: "*** Begin" }] } }] }))
    const response = await client.responses.stream({ model: "m", input: "hello", tools: [{ type: "custom", name: "patch" }] }).finalResponse()
    expect(response.output).toMatchObject([{ type: "custom_tool_call", name: "patch", input: "*** Begin" }])
  })

  it("learns that an answer is cut off, and that one failed in mid-stream", async () => {
    const client = clientOf(await served({
      steps: [{ answer: { content: [{ type: "text", text: "abc" }], stop: "length" } }, { ...says("abc"), fault: { type: "error-frame", status: 429, message: "slow down" } }]
    }))
    expect(await client.responses.stream(hello).finalResponse()).toMatchObject({ status: "incomplete", incomplete_details: { reason: "max_output_tokens" } })
    const kinds: Array<unknown> = []
    for await (const event of await client.responses.create({ ...hello, stream: true })) if (event.type === "response.failed") kinds.push(event.response.error)
    expect(kinds).toEqual([{ code: "rate_limit_exceeded", message: "slow down" }])
  })

  it("passes over a huge frame and meets a broken one", async () => {
    const client = clientOf(await served({
      steps: [{ ...says("abc"), fault: { type: "huge-frame", at: 0, bytes: 500_000 } }, { ...says("abc"), fault: { type: "malformed-frame", at: 0 } }]
    }))
    expect((await client.responses.stream(hello).finalResponse()).output_text).toBe("abc")
    await expect(client.responses.stream(hello).finalResponse()).rejects.toThrow()
  })
})

describe("OpenAI's SDK on Chat Completions", () => {
  const hello = {
    model: "scripted-model",
    messages: [{ role: "system" as const, content: "Be terse." }, { role: "user" as const, content: "hello" }],
    tools: names.map((name) => ({ type: "function" as const, function: { name, parameters: { type: "object" } } }))
  }
  const toolCalls = calls.map(({ arguments: text, id, name }) => ({ id, type: "function", function: { name, arguments: text } }))

  it("gets a text and parallel calls whole, streamed and split at every byte, with usage", async () => {
    const client = clientOf(await served({ steps: [everything] }))
    const stream = client.chat.completions.stream({ ...hello, stream_options: { include_usage: true } })
    const completion = await stream.finalChatCompletion()
    expect(completion.choices[0]).toMatchObject({ finish_reason: "tool_calls", message: { content: awkwardText, tool_calls: toolCalls } })
    expect(completion.usage).toMatchObject({ prompt_tokens: 50, completion_tokens: 20, total_tokens: 70 })
  })

  it("gets the same without a stream", async () => {
    const client = clientOf(await served({ steps: [everything] }))
    expect((await client.chat.completions.create(hello)).choices[0]).toMatchObject({
      finish_reason: "tool_calls",
      message: { content: awkwardText, tool_calls: toolCalls, reasoning_content: "Erst nachdenken 🤔." }
    })
  })

  it("carries results back, which the script can expect", async () => {
    const client = clientOf(await served({
      steps: [everything, { ...says("ok {{result}}"), expect: { system: "terse", resultCount: 2, messageCount: 4, tools: ["read"], results: [{ tool: "bash", contains: "é" }] } }]
    }))
    const message = (await client.chat.completions.create(hello)).choices[0]?.message
    if (message === undefined) throw new Error("no message")
    const next = await client.chat.completions.create({
      ...hello,
      messages: [
        ...hello.messages,
        message,
        { role: "tool", tool_call_id: "call_1_2", content: "é" },
        { role: "tool", tool_call_id: "call_1_3", content: [{ type: "text", text: "line" }] }
      ]
    })
    expect(next.choices[0]?.message.content).toBe("ok line")
  })

  it.each([[401, "invalid_api_key"], [429, "rate_limit_exceeded"], [500, null]])("is told of %i with code %s", async (status, code) => {
    const client = clientOf(await served({ steps: [{ error: { status, message: "no" } }] }))
    const error = await client.chat.completions.create(hello).catch((caught: unknown) => caught)
    expect(error).toBeInstanceOf(APIError)
    expect(error).toMatchObject({ status, code })
  })

  it("meets errors, broken frames and broken connections in the middle of a stream, and passes over a huge frame", async () => {
    const client = clientOf(await served({
      steps: [
        { ...says("abc"), fault: { type: "error-frame", status: 500, message: "gone wrong" } },
        { ...says("abc"), fault: { type: "malformed-frame", at: 0 } },
        { ...says("abc"), fault: { type: "disconnect" } },
        { ...says("abc"), fault: { type: "disconnect", at: "start" } },
        { ...says("abc"), fault: { type: "huge-frame", at: 0, bytes: 500_000 } }
      ]
    }))
    const asked = () => client.chat.completions.stream(hello).finalChatCompletion()
    await expect(asked()).rejects.toThrow("gone wrong")
    await expect(asked()).rejects.toThrow()
    await expect(asked()).rejects.toThrow()
    await expect(asked()).rejects.toThrow(APIConnectionError)
    expect((await asked()).choices[0]?.message.content).toBe("abc")
  })

  it("lists models", async () => {
    const client = clientOf(await served({ steps: [says("ok")] }))
    expect((await client.models.list()).data.map(({ id }) => id)).toEqual(["scripted-model"])
    expect(await client.models.retrieve("scripted-model")).toMatchObject({ object: "model" })
  })
})
