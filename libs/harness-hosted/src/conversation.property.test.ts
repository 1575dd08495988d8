import { AssetId, type EventPayload, SteerId, type StoredEvent, TurnId } from "@steno/contracts"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { Conversation } from "./conversation.ts"
import type { ModelMessage } from "./hosted-model.ts"
import { storedEvent, testCallId } from "./testing.ts"

const turnId = TurnId.make("turn_01ARZ3NDEKTSV4RRFFQ69G5FAV")
const image = { assetId: AssetId.make("asset_01ARZ3NDEKTSV4RRFFQ69G5FAV"), mediaType: "image/png" }
type Add = (sequence: number) => StoredEvent

const text = fc.constantFrom("", " \n", "a", "b c\n", "\ud800", "x\udc00y", "😀")
const number = fc.nat({ max: 7 })
const outcome = fc.constantFrom("completed", "failed", "denied", "cancelled", "indeterminate")

const block = fc.oneof(
  fc.record({ type: fc.constant("text" as const), itemId: fc.constant("t"), firstSeen: number, content: text }),
  fc.record({ type: fc.constant("reasoning-summary" as const), itemId: fc.constant("r"), firstSeen: number, content: text }),
  fc.record({
    type: fc.constant("call" as const),
    itemId: fc.constant("c"),
    firstSeen: number,
    callId: number.map(testCallId),
    tool: fc.constantFrom("bash", "odd tool/é", ""),
    arguments: fc.constantFrom({}, { command: "a" })
  }),
  fc.record({
    type: fc.constant("call" as const),
    itemId: fc.constant("c"),
    firstSeen: number,
    callId: number.map(testCallId),
    tool: fc.constant("read"),
    providerCallId: fc.constantFrom("p1", "p2", "functions.read:0", ""),
    rawArguments: fc.constantFrom("{\"a\":", "\udc00")
  })
)

const adding = <Type extends StoredEvent["type"]>(type: Type, payload: fc.Arbitrary<EventPayload<Type>>): fc.Arbitrary<Add> =>
  payload.map((value): Add => (sequence) => storedEvent(type, value, sequence, turnId))

const events: fc.Arbitrary<ReadonlyArray<StoredEvent>> = fc.array(
  fc.oneof(
    adding("turn-admitted", text.map((input) => ({ input, origin: "user" as const, harness: { id: "hosted" } }))),
    { weight: 3, arbitrary: adding("assistant-message", fc.array(block, { maxLength: 5 }).map((blocks) => ({ blocks }))) },
    {
      weight: 5,
      arbitrary: adding("tool-call-response", fc.record({
        callId: number.map(testCallId),
        tool: fc.constant("bash"),
        origin: fc.constant("model" as const),
        outcome: outcome.map((one) => one as EventPayload<"tool-call-response">["outcome"]),
        survivors: fc.constant([]),
        warnings: fc.constant([]),
        assetIds: fc.constant([]),
        agentProjection: fc.constantFrom("", "result 1", "result 2\ud800"),
        agentImages: fc.constant([image])
      }, { requiredKeys: ["callId", "tool", "origin", "outcome", "survivors", "warnings", "assetIds"] }))
    },
    adding("steer", fc.record({ text, state: fc.constantFrom("waiting" as const, "delivered" as const) }).map(({ state, text: said }) => ({
      steerId: SteerId.make("steer_01ARZ3NDEKTSV4RRFFQ69G5FAV"),
      text: said,
      sentAt: "2026-01-01T00:00:00.000Z",
      settlement: state === "waiting" ? { state } : { state, delivery: "after-boundary" as const }
    }))),
    adding("turn-settled", fc.constant({ result: "completed" as const, availability: "open" as const }))
  ),
  { maxLength: 25 }
).map((adds) => adds.map((add, index) => add(index + 1)))

const taken = (all: ReadonlyArray<StoredEvent>, data: Uint8Array | undefined = undefined): ReadonlyArray<ModelMessage> => {
  const conversation = new Conversation()
  conversation.take(all, () => data)
  return conversation.messages
}

/** Every text of `value`, wherever it stands. */
const textsIn = (value: unknown): ReadonlyArray<string> => {
  if (typeof value === "string") return [value]
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : []
}

const idsOf = (message: ModelMessage | undefined, type: "tool-call" | "tool-result") =>
  message === undefined || typeof message.content === "string"
    ? []
    : message.content.flatMap((part) => (part.type === type && "toolCallId" in part ? [part.toolCallId] : []))

describe("the messages of a Session", () => {
  it("have one result for every call, right behind its message and in its order, under an id that fits every provider", () => {
    fc.assert(fc.property(events, (all) => {
      const messages = taken(all)
      const used: Array<string> = []
      for (const [index, message] of messages.entries()) {
        const calls = idsOf(message, "tool-call")
        if (message.role === "assistant") expect(idsOf(messages[index + 1], "tool-result")).toEqual(calls)
        if (message.role === "tool") expect(idsOf(messages[index - 1], "tool-call")).toEqual(idsOf(message, "tool-result"))
        used.push(...calls)
      }
      expect(new Set(used).size).toBe(used.length)
      for (const id of used) expect(id).toMatch(/^[A-Za-z0-9_-]{1,64}$/)
    }))
  })

  it("hold no empty message, no blank text, no lone surrogate", () => {
    fc.assert(fc.property(events, (all) => {
      for (const message of taken(all)) {
        expect(message.content.length).toBeGreaterThan(0)
        for (const one of textsIn(message)) {
          expect(one.trim()).not.toBe("")
          expect(one.isWellFormed()).toBe(true)
        }
      }
    }))
  })

  it("are the same however the events were divided over requests", () => {
    fc.assert(fc.property(events, fc.array(fc.nat({ max: 25 })), (all, cuts) => {
      const conversation = new Conversation()
      for (const cut of [...cuts.sort((left, right) => left - right), all.length]) {
        const rest = conversation.rest(all.slice(0, cut))
        expect(rest).toBeDefined()
        conversation.take(rest ?? [], () => undefined)
      }
      expect(conversation.messages).toEqual(taken(all))
    }))
  })

  it("say each input and each delivered Steer once, in order", () => {
    fc.assert(fc.property(events, (all) => {
      const steers = new Set<string>()
      const said = all.flatMap((event) => {
        if (event.type === "turn-admitted") return [event.payload.input]
        if (event.type !== "steer" || event.payload.settlement.state !== "delivered" || steers.has(event.payload.steerId)) return []
        steers.add(event.payload.steerId)
        return [event.payload.text]
      }).map((one) => (one.trim() === "" ? "(an empty message)" : one.toWellFormed()))
      const told = taken(all).flatMap((message) => (message.role === "user" ? textsIn(message.content.map((part) => (part.type === "text" ? part.text : ""))) : []))
      expect(told.filter((one) => !/^(result |\(nothing\)|\[An image)/.test(one))).toEqual(said)
    }))
  })
})
