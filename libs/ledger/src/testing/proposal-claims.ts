/** Claims about calls of a model: stored with the message that asks for them, once. */
import { Effect } from "effect"
import { expect } from "vitest"
import { CallLedger } from "../calls.ts"
import { RunLedger } from "../runs.ts"
import { TurnLedger } from "../turns.ts"
import { admitted, type Claim, eventTypes, recordOf, refusal } from "./contract-test.ts"
import {
  sampleCall,
  sampleId,
  sampleInstant,
  sampleOwner,
  sampleProposal,
  sampleResponse,
  sampleSettlement
} from "./sample-facts.ts"

const unbegun = { state: "supervising", claim: undefined } as const

const settleCancelled = (call: number) => ({
  callId: sampleId.call(call),
  from: unbegun,
  response: sampleResponse(call, { origin: "model", tool: "read", outcome: "cancelled" }),
  assets: [],
  at: sampleInstant(30)
})

export const proposalClaims = (claim: Claim): void => {
  claim("a message and its calls are one write: an event with all blocks, a row per call with its arguments and place", Effect.gen(function*() {
    const calls = yield* CallLedger
    const fence = yield* admitted(1)
    const proposal = sampleProposal(1, [3, 4])
    const step = yield* calls.proposeToolCalls(fence, proposal)
    expect(step).toEqual({
      repeated: false,
      modelStep: 2,
      calls: [1, 2].map((contentIndex) => ({ contentIndex, block: proposal.message.blocks[contentIndex] }))
    })
    const record = yield* recordOf(1)
    expect(record.events[1]).toEqual({
      conversationId: proposal.conversationId,
      sequence: 2,
      turnId: proposal.turnId,
      itemId: "message-1",
      firstSeen: 0,
      type: "assistant-message",
      version: 1,
      payload: proposal.message,
      createdAt: proposal.at
    })
    const rows = yield* calls.unfinishedCalls(fence.runId)
    expect(rows).toEqual([3, 4].map((call) => ({
      callId: sampleId.call(call),
      runId: fence.runId,
      conversationId: proposal.conversationId,
      turnId: proposal.turnId,
      itemId: `item-${call}`,
      firstSeen: call,
      origin: "model",
      tool: "read",
      arguments: { path: `/file-${call}` },
      modelStep: 2,
      contentIndex: call - 2,
      state: "supervising",
      updatedAt: proposal.at
    })))
    expect(record.unfinished).toEqual(rows)
    expect(yield* calls.unfinishedCall(sampleId.call(4))).toEqual(rows[1])
  }))

  claim("arguments that are no JSON object stay in the message as the model wrote them", Effect.gen(function*() {
    const calls = yield* CallLedger
    const fence = yield* admitted(1)
    const block = { type: "call", itemId: "i", firstSeen: 1, callId: sampleId.call(3), tool: "read", rawArguments: "{\"pa" } as const
    const step = yield* calls.proposeToolCalls(fence, sampleProposal(1, [], { message: { blocks: [block] } }))
    expect(step.calls).toEqual([{ contentIndex: 0, block }])
    expect(yield* calls.unfinishedCall(block.callId)).not.toHaveProperty("arguments")
  }))

  claim("a message without calls is stored alone", Effect.gen(function*() {
    const calls = yield* CallLedger
    const fence = yield* admitted(1)
    expect(yield* calls.proposeToolCalls(fence, sampleProposal(1, []))).toEqual({ repeated: false, modelStep: 2, calls: [] })
    expect(eventTypes(yield* recordOf(1))).toEqual(["turn-admitted", "assistant-message"])
    expect(yield* calls.unfinishedCalls(fence.runId)).toEqual([])
  }))

  claim("a repeated message writes nothing and answers with the calls first stored and the responses they have by now", Effect.gen(function*() {
    const calls = yield* CallLedger
    const turns = yield* TurnLedger
    const fence = yield* admitted(1)
    const first = yield* calls.proposeToolCalls(fence, sampleProposal(1, [3, 4]))
    const settlement = settleCancelled(3)
    yield* calls.settleToolCall(fence, settlement)
    const before = yield* recordOf(1)
    const { message } = sampleProposal(1, [3, 4])
    const reminted = {
      ...message,
      blocks: message.blocks.map((block) => block.type === "call" ? { ...block, callId: sampleId.call(50 + block.firstSeen), firstSeen: 77 } : block)
    }
    const again = yield* calls.proposeToolCalls(fence, sampleProposal(1, [], { message: reminted, at: sampleInstant(90) }))
    expect(again).toEqual({
      ...first,
      repeated: true,
      calls: [{ ...first.calls[0], response: settlement.response }, first.calls[1]]
    })
    expect(yield* recordOf(1)).toEqual(before)
    yield* turns.settleTurn(fence, sampleSettlement(1, "lost", { responses: [settleCancelled(4)] }))
    const late = yield* calls.proposeToolCalls(fence, sampleProposal(1, [3, 4]))
    expect(late.calls.map(({ response }) => response?.outcome)).toEqual(["cancelled", "cancelled"])
  }))

  claim("another message under the id of a stored one is a conflict; the same id in another Turn is not", Effect.gen(function*() {
    const calls = yield* CallLedger
    const fence = yield* admitted(1)
    yield* calls.proposeToolCalls(fence, sampleProposal(1, [3]))
    const before = yield* recordOf(1)
    expect(yield* refusal(calls.proposeToolCalls(fence, sampleProposal(1, [4])))).toBe("Conflict")
    expect(yield* recordOf(1)).toEqual(before)
    const other = yield* admitted(2)
    expect(yield* calls.proposeToolCalls(other, sampleProposal(2, [4]))).toMatchObject({ repeated: false })
  }))

  claim("nothing is stored of a message whose call id is taken, by an unfinished call or a settled one", Effect.gen(function*() {
    const calls = yield* CallLedger
    const fence = yield* admitted(1)
    yield* calls.createToolCalls(fence, [sampleCall(1, 1), sampleCall(1, 2)])
    yield* calls.settleToolCall(fence, {
      callId: sampleId.call(2),
      from: { state: "running", claim: "claim" },
      response: sampleResponse(2),
      assets: [],
      at: sampleInstant(5)
    })
    const before = yield* recordOf(1)
    for (const taken of [1, 2]) {
      expect(yield* refusal(calls.proposeToolCalls(fence, sampleProposal(1, [3, taken])))).toBe("Conflict")
      expect(yield* refusal(calls.createToolCalls(fence, [sampleCall(1, taken)]))).toBe("Conflict")
    }
    expect(yield* recordOf(1)).toEqual(before)
  }))

  claim("no message is stored in a settled Turn, an unknown one or one of another Run, nor by an earlier owner", Effect.gen(function*() {
    const calls = yield* CallLedger
    const turns = yield* TurnLedger
    const runs = yield* RunLedger
    const fence = yield* admitted(1)
    yield* admitted(2)
    yield* turns.settleTurn(fence, sampleSettlement(1))
    for (const number of [1, 2, 9]) {
      expect(yield* refusal(calls.proposeToolCalls(fence, sampleProposal(number, [3])))).toBe("Conflict")
    }
    yield* runs.takeOver({ ...fence, owner: sampleOwner(5), at: sampleInstant(9) })
    expect(yield* refusal(calls.proposeToolCalls(fence, sampleProposal(1, [3])))).toBe("Fenced")
  }))

  claim("of concurrent equal messages one is stored", Effect.gen(function*() {
    const calls = yield* CallLedger
    const fence = yield* admitted(1)
    const steps = yield* Effect.all(
      Array.from({ length: 4 }, (_, index) => calls.proposeToolCalls(fence, sampleProposal(1, [3], { at: sampleInstant(index) }))),
      { concurrency: "unbounded" }
    )
    expect(steps.filter(({ repeated }) => !repeated)).toHaveLength(1)
    expect(eventTypes(yield* recordOf(1))).toEqual(["turn-admitted", "assistant-message"])
  }))

  claim("a model step counts its own open calls down to none", Effect.gen(function*() {
    const calls = yield* CallLedger
    const fence = yield* admitted(1)
    const { modelStep } = yield* calls.proposeToolCalls(fence, sampleProposal(1, [3, 4]))
    yield* calls.proposeToolCalls(fence, sampleProposal(1, [5], { itemId: "message-2" }))
    const open = calls.openCallsOfStep({ conversationId: sampleId.conversation(1), modelStep })
    expect(yield* open).toBe(2)
    yield* calls.settleToolCall(fence, settleCancelled(4))
    expect(yield* open).toBe(1)
    yield* calls.settleToolCall(fence, settleCancelled(3))
    expect(yield* open).toBe(0)
    expect(yield* calls.openCallsOfStep({ conversationId: sampleId.conversation(2), modelStep })).toBe(0)
  }))
}
