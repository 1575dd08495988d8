/** Claims about Turns: settled once, with everything they leave open. */
import { Effect } from "effect"
import { expect } from "vitest"
import { CallLedger } from "../calls.ts"
import { RunLedger } from "../runs.ts"
import { TurnLedger } from "../turns.ts"
import { admitted, type Claim, eventTypes, recordOf, refusal } from "./contract-test.ts"
import {
  sampleAsset,
  sampleCall,
  sampleId,
  sampleInstant,
  sampleOwner,
  sampleResponse,
  sampleSettlement
} from "./sample-facts.ts"

export const turnClaims = (claim: Claim): void => {
  claim("a Turn is settled once; later settlements write nothing", Effect.gen(function*() {
    const turns = yield* TurnLedger
    const fence = yield* admitted(1)
    expect(yield* turns.settleTurn(fence, sampleSettlement(1, "failed"))).toBe(true)
    const before = yield* recordOf(1)
    expect(before.turns[0]).toMatchObject({ result: "failed", settledAt: sampleInstant(11) })
    expect(before.run.state).toBe("running")
    expect(before.events.at(-1)).toMatchObject({ payload: { result: "failed", availability: "open" } })
    expect(yield* turns.settleTurn(fence, sampleSettlement(1, "completed", { rest: "succeeded" }))).toBe(false)
    expect(yield* recordOf(1)).toEqual(before)
  }))

  claim("of concurrent settlements exactly one is effective", Effect.gen(function*() {
    const turns = yield* TurnLedger
    const fence = yield* admitted(1)
    const effective = yield* Effect.all(
      Array.from({ length: 5 }, () => turns.settleTurn(fence, sampleSettlement(1))),
      { concurrency: "unbounded" }
    )
    expect(effective.filter(Boolean)).toHaveLength(1)
    expect(eventTypes(yield* recordOf(1))).toEqual(["turn-admitted", "turn-settled"])
  }))

  claim("an unknown Turn, or one of another Run, is not settled", Effect.gen(function*() {
    const turns = yield* TurnLedger
    const fence = yield* admitted(1)
    yield* admitted(2)
    expect(yield* turns.settleTurn(fence, sampleSettlement(9))).toBe(false)
    expect(yield* turns.settleTurn(fence, sampleSettlement(2))).toBe(false)
    expect(eventTypes(yield* recordOf(2))).toEqual(["turn-admitted"])
  }))

  claim("a settlement answers the calls the Turn leaves open, and skips those already answered", Effect.gen(function*() {
    const turns = yield* TurnLedger
    const calls = yield* CallLedger
    const fence = yield* admitted(1)
    yield* calls.createToolCalls(fence, [sampleCall(1, 1), sampleCall(1, 2)])
    const from = { state: "running", claim: "claim" } as const
    yield* calls.settleToolCall(fence, {
      callId: sampleId.call(1),
      from,
      response: sampleResponse(1),
      assets: [],
      at: sampleInstant(5)
    })
    yield* turns.settleTurn(fence, sampleSettlement(1, "lost", {
      responses: [
        { response: sampleResponse(1, { outcome: "indeterminate" }), assets: [sampleAsset(1, 1)] },
        { response: sampleResponse(2, { outcome: "indeterminate" }), assets: [sampleAsset(2, 2)] }
      ],
      settled: { result: "lost", availability: "detached" },
      rest: "halted"
    }))
    const record = yield* recordOf(1)
    const responses = record.events.filter((event) => event.type === "tool-call-response")
    expect(responses.map(({ payload }) => payload.outcome)).toEqual(["completed", "indeterminate"])
    expect(responses[1]).toMatchObject({ itemId: "item-2", firstSeen: 2 })
    expect(record.events.at(-1)?.type).toBe("turn-settled")
    expect(record.unfinished).toEqual([])
    expect(record.assets).toEqual([sampleAsset(2, 2)])
    expect(record.sessions[0]?.availability).toBe("detached")
    expect(record.run.state).toBe("halted")
    expect(record.run.owner).toBeUndefined()
  }))

  claim("a Turn with a call left open and no response for it is not settled", Effect.gen(function*() {
    const turns = yield* TurnLedger
    const calls = yield* CallLedger
    const fence = yield* admitted(1)
    yield* calls.createToolCalls(fence, [sampleCall(1, 1), sampleCall(1, 2)])
    const before = yield* recordOf(1)
    const partly = sampleSettlement(1, "lost", { responses: [{ response: sampleResponse(1), assets: [] }], rest: "halted" })
    expect(yield* refusal(turns.settleTurn(fence, partly))).toBe("Conflict")
    expect(yield* recordOf(1)).toEqual(before)
  }))

  claim("a response for a call of another Turn is a conflict and answers nothing", Effect.gen(function*() {
    const turns = yield* TurnLedger
    const calls = yield* CallLedger
    const fence = yield* admitted(1)
    yield* calls.createToolCalls(yield* admitted(2), [sampleCall(2, 1)])
    const foreign = sampleSettlement(1, "lost", { responses: [{ response: sampleResponse(1), assets: [] }] })
    expect(yield* refusal(turns.settleTurn(fence, foreign))).toBe("Conflict")
    expect((yield* recordOf(1)).turns[0]?.result).toBeUndefined()
    expect((yield* recordOf(2)).unfinished).toHaveLength(1)
  }))

  claim("a second settlement after the Run rests is a no-op for its last owner, fenced after a takeover", Effect.gen(function*() {
    const turns = yield* TurnLedger
    const runs = yield* RunLedger
    const fence = yield* admitted(1)
    const settlement = sampleSettlement(1, "completed", { rest: "succeeded" })
    expect(yield* turns.settleTurn(fence, settlement)).toBe(true)
    expect(yield* turns.settleTurn(fence, settlement)).toBe(false)
    yield* runs.takeOver({ ...fence, owner: sampleOwner(5), at: sampleInstant(30) })
    expect(yield* refusal(turns.settleTurn(fence, settlement))).toBe("Fenced")
  }))
}
