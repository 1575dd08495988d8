/** Claims about further Turns, their facts, and what a model is told of a Session. */
import { Effect } from "effect"
import { expect } from "vitest"
import { CallLedger } from "../calls.ts"
import { RunLedger } from "../runs.ts"
import { type ContextPage, TurnLedger } from "../turns.ts"
import { admitted, type Claim, eventTypes, recordOf, refusal } from "./contract-test.ts"
import {
  sampleAdmitted,
  sampleApproval,
  sampleId,
  sampleInstant,
  sampleOwner,
  sampleProposal,
  sampleResponse,
  sampleSettlement,
  sampleSteer
} from "./sample-facts.ts"

const conversationId = sampleId.conversation(1)
const further = { conversationId, turnId: sampleId.turn(3), admitted: sampleAdmitted, at: sampleInstant(12) }

export const contextClaims = (claim: Claim): void => {
  claim("a further Turn of a Session is admitted once, and the Run shows running again", Effect.gen(function*() {
    const turns = yield* TurnLedger
    const runs = yield* RunLedger
    const fence = yield* admitted(1)
    yield* turns.settleTurn(fence, sampleSettlement(1, "completed", { rest: "succeeded" }))
    expect(yield* refusal(turns.admitTurn(fence, further))).toBe("Fenced")
    const taken = yield* runs.takeOver({ ...fence, owner: sampleOwner(5), at: sampleInstant(11) })
    expect(yield* turns.admitTurn(taken, further)).toBe(true)
    const record = yield* recordOf(1)
    expect(record.run.state).toBe("running")
    expect(record.run).not.toHaveProperty("settledAt")
    expect(record.turns[1]).toEqual({ turnId: further.turnId, conversationId, origin: "user", entry: false, admittedAt: further.at })
    expect(record.events.at(-1)).toMatchObject({ type: "turn-admitted", turnId: further.turnId, payload: sampleAdmitted })
    expect(yield* turns.admitTurn(taken, further)).toBe(false)
    yield* turns.settleTurn(taken, sampleSettlement(1, "completed", { turnId: further.turnId }))
    expect(yield* turns.admitTurn(taken, further)).toBe(false)
    expect(eventTypes(yield* recordOf(1))).toEqual(["turn-admitted", "turn-settled", "turn-admitted", "turn-settled"])
  }))

  claim("no Turn is admitted while another of its Session is unsettled, in an ended Session or in another Run's", Effect.gen(function*() {
    const turns = yield* TurnLedger
    const runs = yield* RunLedger
    const fence = yield* admitted(1)
    const other = yield* admitted(2)
    expect(yield* refusal(turns.admitTurn(fence, further))).toBe("Conflict")
    yield* turns.settleTurn(fence, sampleSettlement(1))
    expect(yield* refusal(turns.admitTurn(other, further))).toBe("Conflict")
    expect(yield* refusal(turns.admitTurn(fence, { ...further, turnId: sampleId.turn(2) }))).toBe("Conflict")
    yield* runs.restRun(fence, { state: "cancelled", at: sampleInstant(11) })
    const taken = yield* runs.takeOver({ ...fence, owner: sampleOwner(5), at: sampleInstant(11) })
    expect(yield* refusal(turns.admitTurn(taken, further))).toBe("Conflict")
    expect(eventTypes(yield* recordOf(1))).toEqual(["turn-admitted", "turn-settled"])
  }))

  claim("a Steer is delivered once; every other fact of it is stored; a Turn diff is stored once", Effect.gen(function*() {
    const turns = yield* TurnLedger
    const fence = yield* admitted(1)
    const diff = {
      ...sampleSteer(1, "waiting"),
      item: { itemId: "turn-diff", firstSeen: 9 },
      fact: { type: "turn-diff", payload: { content: "", files: [] } }
    } as const
    const retry = { ...diff, item: { itemId: "retry", firstSeen: 10 }, fact: { type: "provider-retry", payload: { attempt: 1, delayMs: 0, reason: "" } } } as const
    const facts = [
      sampleSteer(1, "waiting"),
      sampleSteer(1, "delivered"),
      sampleSteer(1, "delivered"),
      sampleSteer(1, "waiting"),
      diff,
      diff,
      retry,
      retry
    ]
    const stored = yield* Effect.forEach(facts, (fact) => turns.appendTurnEvent(fence, fact))
    expect(stored.map((event) => event?.sequence)).toEqual([2, 3, undefined, 4, 5, undefined, 6, 7])
    const record = yield* recordOf(1)
    expect(record.events.slice(1)).toEqual(stored.filter((event) => event !== undefined))
    expect(record.events[1]).toMatchObject({ itemId: sampleId.steer(1), firstSeen: 9, payload: sampleSteer(1, "waiting").fact.payload })
  }))

  claim("a text and a Thought of an outside agent are stored once, those under a call each time, and no model is told", Effect.gen(function*() {
    const turns = yield* TurnLedger
    const fence = yield* admitted(1)
    const place = { conversationId: sampleId.conversation(1), turnId: sampleId.turn(1), item: { itemId: "item-1", firstSeen: 0 }, at: sampleInstant(2) }
    const text = { ...place, fact: { type: "assistant-content", payload: { messageId: "item-1", content: "Done." } } } as const
    const nested = { ...place, fact: { ...text.fact, payload: { ...text.fact.payload, parentItemId: "item-0" } } } as const
    const thought = { ...place, fact: { type: "thought", payload: { summaryId: "item-1", content: "So." } } } as const
    const { item: _, ...unplaced } = place
    const model = { ...unplaced, fact: { type: "model", payload: { model: "large" } } } as const
    const facts = [text, text, thought, thought, nested, nested, model, model]
    const stored = yield* Effect.forEach(facts, (fact) => turns.appendTurnEvent(fence, fact))
    expect(stored.map((event) => event?.sequence)).toEqual([2, undefined, 3, undefined, 4, 5, 6, 7])
    expect(stored.at(-1)).not.toHaveProperty("itemId")
    const context = yield* turns.sessionContext({ conversationId: sampleId.conversation(1) })
    expect(context.events.map(({ type }) => type)).toEqual(["turn-admitted"])
  }))

  claim("the coordinate of a Session is kept while one of its Turns is live, and opens it", Effect.gen(function*() {
    const turns = yield* TurnLedger
    const fence = yield* admitted(1)
    const place = { conversationId: sampleId.conversation(1), turnId: sampleId.turn(1) }
    yield* turns.keepCoordinate(fence, { ...place, coordinate: "first" })
    yield* turns.keepCoordinate(fence, { ...place, coordinate: "thread" })
    expect((yield* recordOf(1)).sessions).toMatchObject([{ availability: "open", coordinate: "thread" }])
    yield* turns.settleTurn(fence, sampleSettlement(1, "lost"))
    expect(yield* refusal(turns.keepCoordinate(fence, { ...place, coordinate: "late" }))).toBe("Conflict")
    expect((yield* recordOf(1)).sessions).toMatchObject([{ coordinate: "thread" }])
  }))

  claim("a settled Turn, an unknown one and one of another Run take no fact", Effect.gen(function*() {
    const turns = yield* TurnLedger
    const fence = yield* admitted(1)
    yield* admitted(2)
    yield* turns.settleTurn(fence, sampleSettlement(1))
    for (const number of [1, 2, 9]) {
      expect(yield* refusal(turns.appendTurnEvent(fence, sampleSteer(number, "waiting")))).toBe("Conflict")
    }
  }))

  claim("a model is told inputs, messages, responses and delivered Steers, in order, and of responses nothing that only people see", Effect.gen(function*() {
    const calls = yield* CallLedger
    const turns = yield* TurnLedger
    const fence = yield* admitted(1)
    yield* calls.proposeToolCalls(fence, sampleProposal(1, [3]))
    yield* turns.appendTurnEvent(fence, sampleSteer(1, "waiting"))
    yield* turns.appendTurnEvent(fence, sampleSteer(1, "delivered"))
    const seen = sampleResponse(3, { origin: "model", agentProjection: "one line", reason: { code: "c", text: "t" } })
    yield* calls.settleToolCall(fence, {
      callId: sampleId.call(3),
      from: { state: "supervising", claim: undefined },
      response: {
        ...seen,
        retainedOutput: { text: "one line" },
        supervision: { decision: "allow", by: "user" },
        interactions: [{ request: sampleApproval }]
      },
      assets: [],
      at: sampleInstant(6)
    })
    yield* turns.settleTurn(fence, sampleSettlement(1))
    yield* turns.admitTurn(fence, further)
    const { events } = yield* recordOf(1)
    const whole = yield* turns.sessionContext({ conversationId })
    expect(whole.isComplete).toBe(true)
    expect(whole.events.map(({ type, sequence }) => [sequence, type])).toEqual([
      [1, "turn-admitted"],
      [2, "assistant-message"],
      [4, "steer"],
      [5, "tool-call-response"],
      [7, "turn-admitted"]
    ])
    expect(whole.events[3]).toEqual({ ...events[4], payload: seen })
    for (const at of [0, 1, 2, 4]) expect(whole.events[at]).toEqual(events[(whole.events[at]?.sequence ?? 0) - 1])

    const paged = []
    for (let page: ContextPage = { events: [], readTo: 0, isComplete: false }; !page.isComplete;) {
      page = yield* turns.sessionContext({ conversationId, after: page.readTo, limit: 1 })
      paged.push(...page.events)
    }
    expect(paged).toEqual(whole.events)
    expect(yield* turns.sessionContext({ conversationId: sampleId.conversation(9), after: 3 }))
      .toEqual({ events: [], readTo: 3, isComplete: true })
  }))
}
