import { Schema } from "effect"
import { describe, expect, it } from "vitest"
import { CallId } from "../ids/ids.schema.ts"
import { AssistantMessage, callBlocks, MessageBlock } from "./message.events.ts"

const isBlock = Schema.is(MessageBlock)
const call = { type: "call", itemId: "i", firstSeen: 0, callId: CallId.make("call_01JAVW4QKD7QZB2N5T8M3X9C1R"), tool: "read" } as const
const text = { type: "text", itemId: "t", firstSeen: 1, content: "" } as const

describe("a block of a message", () => {
  it("that is a call has arguments, an object of JSON, or the text that is none", () => {
    expect(isBlock({ ...call, arguments: { path: "/x", deep: [{ a: null }] } })).toBe(true)
    expect(isBlock({ ...call, rawArguments: "{\"path\":" })).toBe(true)
    expect(isBlock(call)).toBe(false)
    for (const wrong of [null, "x", [1], { f: undefined }, { f: Number.NaN }]) {
      expect(isBlock({ ...call, arguments: wrong })).toBe(false)
    }
  })

  it("has an id and a place, also when it is empty", () => {
    expect(isBlock(text)).toBe(true)
    expect(isBlock({ ...text, itemId: "" })).toBe(false)
    expect(isBlock({ ...text, firstSeen: -1 })).toBe(false)
    expect(isBlock({ ...text, incomplete: false })).toBe(false)
  })
})

describe("callBlocks", () => {
  it("gives each call with its index among all blocks", () => {
    const second = { ...call, itemId: "j", arguments: {} }
    const message: AssistantMessage = { blocks: [text, { ...call, rawArguments: "" }, text, second] }
    expect(Schema.is(AssistantMessage)(message)).toBe(true)
    expect(callBlocks(message).map(({ block, contentIndex }) => [contentIndex, block.itemId])).toEqual([[1, "i"], [3, "j"]])
  })
})
