import { createAnthropic } from "@ai-sdk/anthropic"
import { createOpenAI } from "@ai-sdk/openai"
import { createOpenAICompatible } from "@ai-sdk/openai-compatible"
import { isStepCount, jsonSchema, type LanguageModel, streamText, tool } from "ai"
import { describe, expect, it } from "vitest"
import type { ScriptedModel } from "./index.ts"
import { awkwardText, everything, says, served } from "./testing.ts"

const providers: ReadonlyArray<readonly [name: string, model: (server: ScriptedModel) => LanguageModel]> = [
  ["anthropic", ({ url }) => createAnthropic({ baseURL: `${url}/v1`, apiKey: "none" })("scripted-model")],
  ["openai, Responses", ({ url }) => createOpenAI({ baseURL: `${url}/v1`, apiKey: "none" }).responses("scripted-model")],
  ["openai, Chat Completions", ({ url }) => createOpenAI({ baseURL: `${url}/v1`, apiKey: "none" }).chat("scripted-model")],
  ["openai-compatible", ({ url }) => createOpenAICompatible({ name: "local", baseURL: `${url}/v1`, includeUsage: true }).chatModel("scripted-model")]
]

const toolsOf = (ran: Array<unknown>) => {
  const inputSchema = jsonSchema({ type: "object", additionalProperties: true })
  const execute = (name: string) => (input: unknown) => {
    ran.push([name, input])
    return Promise.resolve(`${name} says é`)
  }
  return { bash: tool({ inputSchema, execute: execute("bash") }), read: tool({ inputSchema, execute: execute("read") }) }
}

/** Its errors arrive at `onError` or, of a connection that breaks, by a promise that is rejected. */
const asked = (model: LanguageModel, errors: Array<unknown> = [], abortSignal?: AbortSignal) =>
  streamText({
    model,
    prompt: "hello",
    maxOutputTokens: 100,
    maxRetries: 0,
    onError: ({ error }) => {
      errors.push(error)
    },
    ...(abortSignal === undefined ? {} : { abortSignal })
  })

describe.each(providers)("the AI SDK's loop over %s", (name, modelOf) => {
  it("runs parallel calls of a stream split at every byte, carries their results back and ends with a text", async () => {
    const server = await served({
      steps: [everything, { ...says("ok {{result}}"), expect: { resultCount: 2, messageCount: 4, results: [{ tool: "bash", contains: "é" }, { tool: "read", contains: "é" }] } }]
    })
    const ran: Array<unknown> = []
    const stream = streamText({ model: modelOf(server), prompt: "hello", maxOutputTokens: 100, tools: toolsOf(ran), stopWhen: isStepCount(5), maxRetries: 0 })
    const steps = await stream.steps
    expect(ran).toEqual([["bash", { command: "echo \"é\" | cat" }], ["read", { path: "a b.txt", offset: 3 }]])
    expect(steps.map(({ text }) => text)).toEqual([awkwardText, "ok read says é"])
    expect(steps.map(({ finishReason }) => finishReason)).toEqual(["tool-calls", "stop"])
    expect(steps[0]?.usage).toMatchObject({ inputTokens: 50, outputTokens: 20 })
    expect(steps[0]?.reasoningText).toBe(name === "openai, Chat Completions" ? undefined : "Erst nachdenken 🤔.")
    expect(server.requests().map(({ outcome }) => outcome)).toEqual(["answer", "answer"])
  })

  it("is told of an error instead of an answer, and then of none", async () => {
    const server = await served({ steps: [{ error: { status: 529, message: "busy" } }, says("ok")] })
    const errors: Array<unknown> = []
    await asked(modelOf(server), errors).consumeStream()
    expect(errors).toMatchObject([{ statusCode: 529, message: "busy" }])
    expect(await asked(modelOf(server)).text).toBe("ok")
  })

  it("notices an error frame, a broken frame and a broken connection, and does not mind a huge frame", async () => {
    const server = await served({
      steps: [
        { ...says("abc"), fault: { type: "error-frame", status: 500, message: "gone wrong" } },
        { ...says("abc"), fault: { type: "malformed-frame", at: 0 } },
        { ...says("abc"), fault: { type: "disconnect" } },
        { ...says("abc"), fault: { type: "huge-frame", at: 0, bytes: 500_000 } }
      ]
    })
    for (const fault of ["error frame", "broken frame", "broken connection"]) {
      const errors: Array<unknown> = []
      await asked(modelOf(server), errors).text.then(undefined, (error: unknown) => errors.push(error))
      expect([fault, errors.length > 0]).toEqual([fault, true])
    }
    expect(await asked(modelOf(server)).text).toBe("abc")
  })

  it("leaves a stalled stream when it is aborted, which ends the response", async () => {
    const server = await served({ steps: [{ ...says("abc"), pace: { deltaSize: 1 }, fault: { type: "stall", at: 2 } }] })
    const abort = new AbortController()
    const seen: Array<string> = []
    for await (const delta of asked(modelOf(server), [], abort.signal).textStream) {
      seen.push(delta)
      if (seen.length === 2) abort.abort()
    }
    expect(seen).toEqual(["a", "b"])
    expect(await server.ended(1)).toBe("client-left")
  })
})
