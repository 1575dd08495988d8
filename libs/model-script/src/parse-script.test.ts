import { Result } from "effect"
import { describe, expect, it } from "vitest"
import { conversationKey } from "./conversation-key.ts"
import { parseScript } from "./parse-script.ts"

const answer = { content: [{ type: "text", text: "ok" }] }
const faultOf = (script: unknown): string => {
  const outcome = parseScript(JSON.stringify(script))
  return Result.isFailure(outcome) ? outcome.failure.message : "accepted"
}

describe("a script file", () => {
  it("with steps of every kind is accepted", () => {
    expect(faultOf({
      description: "all",
      steps: [
        { name: "a", expect: { input: "x" }, answer, pace: { firstByteDelayMs: 5, deltaSize: [3, 1], writeBytes: 1, writeDelayMs: 0 }, times: 2 },
        { answer, fault: { type: "stall", at: 3 } },
        { answer, fault: { type: "huge-frame", at: "end", bytes: 1024 } },
        { error: { status: 429, body: { any: [null] }, headers: { "retry-after": "1" } } },
        { oneOf: [{ expect: { resultCount: 1 }, answer }, { error: { status: 500 } }], times: "always" }
      ],
      asides: [{ expect: { system: "title" }, answer }]
    })).toBe("accepted")
  })

  it.each([
    ["no step", { steps: [] }],
    ["an unknown key", { steps: [{ answer, wait: 3 }] }],
    ["a step that neither answers nor refuses", { steps: [{ name: "x" }] }],
    ["an answer and an error in one step", { steps: [{ answer, error: { status: 500 } }] }],
    ["an endless step before another", { steps: [{ answer, times: "always" }, { answer }] }],
    ["no time at all", { steps: [{ answer, times: 0 }] }],
    ["arguments in two forms", { steps: [{ answer: { content: [{ type: "call", tool: "x", arguments: {}, argumentsText: "{}" }] } }] }],
    ["a status that is no error", { steps: [{ error: { status: 200 } }] }],
    ["deltas of no size", { steps: [{ answer, pace: { deltaSize: 0 } }] }],
    ["an aside that fits every request", { steps: [{ answer }], asides: [{ answer }] }]
  ])("with %s is refused with the fault", (_what, script) => {
    expect(faultOf(script)).toMatch(/^not a script: ./)
  })

  it("that is no JSON is refused", () => {
    expect(Result.isFailure(parseScript("{"))).toBe(true)
  })
})

it("a conversation keeps its key while it grows and its system prompt changes; other first words give another", () => {
  const key = (system: string, ...texts: ReadonlyArray<string>) =>
    conversationKey({ model: "m", system, tools: [], messages: texts.map((text) => ({ role: "user" as const, text })) })
  expect(key("a", "hello")).toBe(key("b", "hello", "more"))
  expect(key("a", "hello")).not.toBe(key("a", "hullo"))
  expect(key("a", "hello")).toMatch(/^[0-9a-f]{16}$/)
})
