import { ItemId, type TurnEvent } from "@steno/harness-seam"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { incompleteMessage, messageToPropose } from "./proposal.ts"
import { TurnPlaces } from "./turn-places.ts"

const item = (name: string) => ItemId.make(name)
const shows = (name: string): TurnEvent => ({ type: "message-preview", messageId: item(name), content: "" })
const drafts = (message: string, contentIndex: number): TurnEvent =>
  ({ type: "argument-draft", messageId: item(message), contentIndex, tool: "bash", text: "" })

describe("places in a Turn", () => {
  it("are those of first appearance, no two alike, and never change", () => {
    fc.assert(fc.property(fc.nat(5), fc.array(fc.constantFrom("a", "b", "c", "d")), (first, names) => {
      const places = new TurnPlaces(first)
      for (const name of names) places.see(shows(name))
      const inOrder = [...new Set(names)]
      expect(inOrder.map((name) => places.of(name))).toEqual(inOrder.map((_, at) => first + at))
    }))
  })

  it("of a call is that of its draft, also where the message is proposed in another order", () => {
    const places = new TurnPlaces(0)
    places.see(shows("text"))
    places.see(drafts("message", 2))
    places.see(drafts("message", 1))
    const call = (name: string) => ({ type: "call", itemId: item(name), tool: "bash", arguments: { command: "ls" } }) as const
    const proposed = messageToPropose({
      messageId: item("message"),
      blocks: [{ type: "text", messageId: item("text"), content: "t" }, call("one"), call("two"), call("undrafted")]
    }, places, "model")
    expect(proposed.blocks.map(({ firstSeen }) => firstSeen)).toEqual([0, 2, 1, 3])
    expect(proposed).toMatchObject({ itemId: "message", firstSeen: 0, model: "model" })
    expect([places.of("two"), places.of("one")]).toEqual([1, 2])
  })
})

describe("a message to store", () => {
  it("keeps arguments that are no JSON object as the text that they are", () => {
    const call = (given: { readonly arguments: string | ReadonlyArray<number> } | { readonly rawArguments: string }) =>
      ({ type: "call", itemId: item(JSON.stringify(given)), tool: "bash", ...given }) as const
    const { blocks } = messageToPropose({
      messageId: item("m"),
      blocks: [call({ arguments: "ls" }), call({ arguments: [1] }), call({ rawArguments: "{" })]
    }, new TurnPlaces(0), undefined)
    expect(blocks.map((block) => "rawArguments" in block && block.rawArguments)).toEqual([`"ls"`, "[1]", "{"])
  })

  it("of what a Turn broke off holds texts and Thoughts as incomplete, at their places; of nothing there is none", () => {
    const places = new TurnPlaces(4)
    places.see({ type: "thought-preview", summaryId: item("t"), content: "h" })
    const message = incompleteMessage([
      { type: "assistant-content", messageId: item("m"), content: "I", incomplete: true },
      { type: "thought", summaryId: item("t"), content: "hm", incomplete: true }
    ], places, undefined)
    expect(message).toEqual({
      itemId: "m",
      firstSeen: 5,
      blocks: [
        { type: "text", itemId: "m", firstSeen: 5, content: "I", incomplete: true },
        { type: "reasoning-summary", itemId: "t", firstSeen: 4, content: "hm", incomplete: true }
      ]
    })
    expect(incompleteMessage([], places, undefined)).toBeUndefined()
  })
})
