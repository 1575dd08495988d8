import { AssetId, type EventPayload, type EventType, type StoredEvent, TurnId } from "@steno/contracts"
import { ItemId } from "@steno/harness-seam"
import { describe, expect, it } from "vitest"
import { Conversation, imagesIn } from "./conversation.ts"
import { storedEvent, testCallId } from "./testing.ts"

const turnId = TurnId.make("turn_01ARZ3NDEKTSV4RRFFQ69G5FAV")
const events = (...all: ReadonlyArray<readonly [EventType, unknown]>): ReadonlyArray<StoredEvent> =>
  all.map(([type, payload], index) => storedEvent(type, payload as EventPayload<EventType>, index + 1, turnId))
const response = (call: number, fields: Partial<EventPayload<"tool-call-response">> = {}) =>
  ["tool-call-response", {
    callId: testCallId(call), tool: "read", origin: "model", outcome: "completed", survivors: [], warnings: [], assetIds: [], ...fields
  }] as const
const call = (number: number, fields: object = { arguments: {} }) =>
  ({ type: "call", itemId: `c${number}`, firstSeen: number, callId: testCallId(number), tool: "read", ...fields }) as const
const input = ["turn-admitted", { input: "look", origin: "user", harness: { id: "hosted" } }] as const
const messagesOf = (all: ReadonlyArray<StoredEvent>, data?: Uint8Array) => {
  const conversation = new Conversation()
  conversation.take(all, () => data)
  return conversation.messages
}

describe("a model is told", () => {
  it("of a message its texts and calls in content order, of a Thought nothing", () => {
    const blocks = [
      { type: "reasoning-summary", itemId: "r", firstSeen: 0, content: "hmm" },
      { type: "text", itemId: "t", firstSeen: 1, content: "first" },
      call(1, { arguments: { path: "a" }, providerCallId: "toolu_1" }),
      { type: "text", itemId: "u", firstSeen: 3, content: "then" },
      call(2, { rawArguments: "{\"path" })
    ]
    expect(messagesOf(events(input, ["assistant-message", { blocks }], response(2, { outcome: "failed", agentProjection: "bad" }), response(1, { agentProjection: "good" })))).toEqual([
      { role: "user", content: [{ type: "text", text: "look" }] },
      {
        role: "assistant",
        content: [
          { type: "text", text: "first" },
          { type: "tool-call", toolCallId: "toolu_1", toolName: "read", input: { path: "a" } },
          { type: "text", text: "then" },
          { type: "tool-call", toolCallId: testCallId(2), toolName: "read", input: { invalidArguments: "{\"path" } }
        ]
      },
      {
        role: "tool",
        content: [
          { type: "tool-result", toolCallId: "toolu_1", toolName: "read", output: { type: "text", value: "good" } },
          { type: "tool-result", toolCallId: testCallId(2), toolName: "read", output: { type: "error-text", value: "bad" } }
        ]
      }
    ])
  })

  it("how a call ended whose result could not be prepared", () => {
    const told = messagesOf(events(input, ["assistant-message", { blocks: [call(1)] }], response(1, { outcome: "denied", reason: { code: "rule", text: "no" } })))
    expect(told[2]).toMatchObject({ content: [{ output: { type: "error-text", value: "The call ended as denied: no. Its result could not be shown." } }] })
  })

  it("the bytes of an image behind the result, or that they are gone", () => {
    const reference = { assetId: AssetId.make("asset_01ARZ3NDEKTSV4RRFFQ69G5FAV"), mediaType: "image/png" }
    const all = events(input, ["assistant-message", { blocks: [call(1)] }], response(1, { agentProjection: "an image", agentImages: [reference] }))
    expect(imagesIn(all)).toEqual([reference])
    const data = new Uint8Array([1, 2])
    expect(messagesOf(all, data)[3]).toEqual({
      role: "user",
      content: [{ type: "text", text: "[An image of read:]" }, { type: "file", mediaType: "image/png", data: { type: "data", data } }]
    })
    expect(messagesOf(all)[3]).toEqual({ role: "user", content: [{ type: "text", text: "[An image of read is not available.]" }] })
  })

  it("of a command that a person ran what it printed, and its words where that cannot be shown", () => {
    const admitted = ["turn-admitted", { input: "make", origin: "user", harness: { id: "command" } }] as const
    const started = ["tool-call-started", { callId: testCallId(1), origin: "user", tool: "bash", arguments: { command: "make", cwd: "/" } }] as const
    const told = (fields: object) => messagesOf(events(admitted, started, response(1, { origin: "user", ...fields })))
    expect(told({ agentProjection: "$ make\nok" })).toEqual([{ role: "user", content: [{ type: "text", text: "$ make\nok" }] }])
    expect(told({})).toEqual([{ role: "user", content: [{ type: "text", text: "make\nThe call ended as completed. Its result could not be shown." }] }])
  })
})

describe("a conversation", () => {
  it("knows which events it has not taken, and that a foreign list is none of its own", () => {
    const conversation = new Conversation()
    const all = events(input, ["assistant-message", { blocks: [] }], input)
    conversation.take(all.slice(0, 2), () => undefined)
    expect(conversation.rest(all)).toEqual(all.slice(2))
    expect(conversation.rest(all.slice(0, 1))).toBeUndefined()
    expect(conversation.rest(all.slice(1))).toBeUndefined()
  })

  it("puts what was kept of the reasoning in front of its block, once, and of another Turn's nowhere", () => {
    const part = { type: "reasoning", text: "hm", providerOptions: { some: { signature: "s" } } } as const
    const conversation = new Conversation()
    conversation.keep(turnId, [{ before: ItemId.make("c1"), part }])
    conversation.keep(TurnId.make("turn_01ARZ3NDEKTSV4RRFFQ69G5FAW"), [{ before: ItemId.make("c2"), part }])
    conversation.take(events(input, ["assistant-message", { blocks: [call(1), call(2)] }]), () => undefined)
    const content = conversation.messages[1]?.content
    expect(Array.isArray(content) && content.map((one) => one.type)).toEqual(["reasoning", "tool-call", "tool-call"])
  })

  it("awaits the calls of a Turn until each has its result", () => {
    const conversation = new Conversation()
    conversation.take(events(input, ["assistant-message", { blocks: [call(1), call(2)] }], response(1)), () => undefined)
    expect(conversation.awaits(turnId)).toBe(true)
    expect(conversation.awaits(TurnId.make("turn_01ARZ3NDEKTSV4RRFFQ69G5FAW"))).toBe(false)
    conversation.take(events(response(2)), () => undefined)
    expect(conversation.awaits(turnId)).toBe(false)
  })
})
