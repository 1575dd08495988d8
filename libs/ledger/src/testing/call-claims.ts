/** Claims about tool calls: created, advanced and settled by compare-and-set. */
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

const callId = sampleId.call(1)
const held = { state: "running", claim: "claim" } as const

export const callClaims = (claim: Claim): void => {
  claim("a call goes from its start to its one response, with assets, and its row is gone", Effect.gen(function*() {
    const calls = yield* CallLedger
    const fence = yield* admitted(1)
    const { supervision: _, claim: __, ...bare } = sampleCall(1, 1)
    yield* calls.createToolCalls(fence, [{ ...bare, state: "supervising" }])
    const row = {
      callId,
      runId: fence.runId,
      conversationId: sampleId.conversation(1),
      turnId: sampleId.turn(1),
      itemId: "item-1",
      firstSeen: 1,
      origin: "user",
      tool: "bash",
      arguments: { command: "echo hello", cwd: "/workspace" },
      state: "supervising",
      updatedAt: sampleInstant(2)
    }
    expect(yield* calls.unfinishedCall(callId)).toEqual(row)
    yield* calls.advanceToolCall(fence, {
      callId,
      from: { state: "supervising", claim: undefined },
      to: { state: "ready", claim: undefined },
      supervision: { decision: "allow", by: "user" },
      at: sampleInstant(3)
    })
    yield* calls.advanceToolCall(fence, {
      callId,
      from: { state: "ready", claim: undefined },
      to: held,
      at: sampleInstant(4)
    })
    yield* calls.recordProcess(fence, { callId, claim: "claim", process: sampleOwner(77), at: sampleInstant(5) })
    expect(yield* calls.unfinishedCall(callId)).toEqual({
      ...row,
      ...held,
      supervision: { decision: "allow", by: "user" },
      process: sampleOwner(77),
      startedAt: sampleInstant(4),
      updatedAt: sampleInstant(5)
    })
    const asking = { state: "awaiting_input", claim: undefined } as const
    const interaction = { kind: "user-input", questions: [] } as const
    yield* calls.advanceToolCall(fence, { callId, from: held, to: asking, interaction, at: sampleInstant(5) })
    yield* calls.advanceToolCall(fence, { callId, from: asking, to: held, at: sampleInstant(5) })
    expect(yield* calls.unfinishedCall(callId)).toMatchObject({ ...held, startedAt: sampleInstant(4) })
    const response = sampleResponse(1, { exitCode: 3, assetIds: [sampleId.asset(1), sampleId.asset(2)] })
    const assets = [sampleAsset(1, 1), sampleAsset(1, 2)]
    yield* calls.settleToolCall(fence, { callId, from: held, response, assets, at: sampleInstant(6) })
    expect(yield* calls.unfinishedCall(callId)).toBeUndefined()
    const record = yield* recordOf(1)
    expect(record.assets).toEqual(assets)
    const runs = yield* RunLedger
    expect(yield* runs.ownedAsset(sampleAsset(1, 2).assetId)).toEqual({ conversationId: sampleId.conversation(1), asset: assets[1] })
    expect(yield* runs.ownedAsset(sampleAsset(1, 3).assetId)).toBeUndefined()
    expect(record.events.at(-1)).toEqual({
      conversationId: sampleId.conversation(1),
      sequence: 3,
      turnId: sampleId.turn(1),
      itemId: "item-1",
      firstSeen: 1,
      type: "tool-call-response",
      version: 1,
      payload: response,
      createdAt: sampleInstant(6)
    })
  }))

  claim("the call of an item is known by it, unfinished and settled; its start is stored with the version that it fits", Effect.gen(function*() {
    const calls = yield* CallLedger
    const fence = yield* admitted(1)
    const observed = { callId, origin: "observed", tool: "command", input: "make" } as const
    const { claim: _, supervision: __, ...bare } = sampleCall(1, 1)
    const item = { turnId: sampleId.turn(1), itemId: bare.itemId }
    expect(yield* calls.callOfItem(item)).toBeUndefined()
    yield* calls.createToolCalls(fence, [{ ...bare, started: observed }, sampleCall(1, 2)])
    expect((yield* recordOf(1)).events.flatMap((event) => event.type === "tool-call-started" ? [[event.version, event.payload]] : [])).toEqual([
      [2, observed],
      [1, sampleCall(1, 2).started]
    ])
    expect(yield* calls.callOfItem(item)).toEqual({ callId })
    expect(yield* calls.callOfItem({ ...item, turnId: sampleId.turn(2) })).toBeUndefined()
    const response = sampleResponse(1)
    yield* calls.settleToolCall(fence, { callId, from: { state: "running", claim: undefined }, response, assets: [], at: sampleInstant(5) })
    expect(yield* calls.callOfItem(item)).toEqual({ callId, response })
  }))

  claim("a change from another state or claim is a conflict and leaves the row", Effect.gen(function*() {
    const calls = yield* CallLedger
    const fence = yield* admitted(1)
    yield* calls.createToolCalls(fence, [sampleCall(1, 1)])
    const before = yield* recordOf(1)
    const at = sampleInstant(9)
    for (const from of [
      { state: "ready", claim: "claim" },
      { state: "running", claim: "another" },
      { state: "running", claim: undefined }
    ] as const) {
      expect(yield* refusal(calls.advanceToolCall(fence, { callId, from, to: held, at }))).toBe("Conflict")
      expect(yield* refusal(calls.settleToolCall(fence, { callId, from, response: sampleResponse(1), assets: [], at })))
        .toBe("Conflict")
    }
    const process = { callId, claim: "another", process: sampleOwner(1), at }
    expect(yield* refusal(calls.recordProcess(fence, process))).toBe("Conflict")
    const mismatch = { callId, from: held, response: sampleResponse(2), assets: [], at }
    expect(yield* refusal(calls.settleToolCall(fence, mismatch))).toBe("Conflict")
    expect(yield* recordOf(1)).toEqual(before)
  }))

  claim("a change of a call of another Run is a conflict", Effect.gen(function*() {
    const calls = yield* CallLedger
    yield* calls.createToolCalls(yield* admitted(1), [sampleCall(1, 1)])
    const other = yield* admitted(2)
    const at = sampleInstant(9)
    const settlement = { callId, from: held, response: sampleResponse(1), assets: [], at }
    expect(yield* refusal(calls.settleToolCall(other, settlement))).toBe("Conflict")
    expect(yield* refusal(calls.advanceToolCall(other, { callId, from: held, to: held, at }))).toBe("Conflict")
    expect((yield* recordOf(1)).unfinished).toHaveLength(1)
  }))

  claim("of concurrent settlements of one call exactly one writes a response", Effect.gen(function*() {
    const calls = yield* CallLedger
    const fence = yield* admitted(1)
    yield* calls.createToolCalls(fence, [sampleCall(1, 1)])
    const settlement = { callId, from: held, response: sampleResponse(1), assets: [], at: sampleInstant(5) }
    const results = yield* Effect.all(
      Array.from({ length: 5 }, () => Effect.result(calls.settleToolCall(fence, settlement))),
      { concurrency: "unbounded" }
    )
    expect(results.filter((result) => result._tag === "Success")).toHaveLength(1)
    expect(eventTypes(yield* recordOf(1))).toEqual(["turn-admitted", "tool-call-started", "tool-call-response"])
  }))

  claim("the bytes of a Session are those of its own files with rows, whenever they were asked for before", Effect.gen(function*() {
    const calls = yield* CallLedger
    const fence = yield* admitted(1)
    yield* admitted(2)
    yield* calls.createToolCalls(fence, [sampleCall(1, 1), sampleCall(1, 2)])
    expect(yield* calls.storedBytes(sampleId.conversation(1))).toBe(0)
    for (const number of [1, 2]) {
      yield* calls.settleToolCall(fence, {
        callId: sampleId.call(number),
        from: held,
        response: sampleResponse(number),
        assets: [{ ...sampleAsset(number, number), sizeBytes: 2 ** 40 + number }],
        at: sampleInstant(5)
      })
      expect(yield* calls.storedBytes(sampleId.conversation(1))).toBe(number === 1 ? 2 ** 40 + 1 : 2 ** 41 + 3)
    }
    expect(yield* calls.storedBytes(sampleId.conversation(1))).toBe(2 ** 41 + 3)
    expect(yield* calls.storedBytes(sampleId.conversation(2))).toBe(0)
  }))

  claim("the response on record is found by the id of its call, with its place in the log", Effect.gen(function*() {
    const calls = yield* CallLedger
    const fence = yield* admitted(1)
    yield* admitted(2)
    yield* calls.createToolCalls(fence, [sampleCall(1, 1), sampleCall(1, 2)])
    expect(yield* calls.storedResponse(callId)).toBeUndefined()
    const response = sampleResponse(1, { exitCode: 7 })
    yield* calls.settleToolCall(fence, { callId, from: held, response, assets: [], at: sampleInstant(5) })
    const stored = yield* calls.storedResponse(callId)
    expect(stored).toEqual((yield* recordOf(1)).events.at(-1))
    expect(stored?.payload).toEqual(response)
    expect(yield* calls.storedResponse(sampleId.call(2))).toBeUndefined()
  }))

  claim("calls are created all or none", Effect.gen(function*() {
    const calls = yield* CallLedger
    const fence = yield* admitted(1)
    yield* calls.createToolCalls(fence, [sampleCall(1, 1)])
    const before = yield* recordOf(1)
    expect(yield* refusal(calls.createToolCalls(fence, [sampleCall(1, 2), sampleCall(1, 1)]))).toBe("Conflict")
    expect(yield* recordOf(1)).toEqual(before)
  }))

  claim("no call starts in a settled Turn, an unknown one, or one of another Run", Effect.gen(function*() {
    const calls = yield* CallLedger
    const turns = yield* TurnLedger
    const fence = yield* admitted(1)
    yield* admitted(2)
    yield* turns.settleTurn(fence, sampleSettlement(1))
    for (const number of [1, 2, 9]) {
      expect(yield* refusal(calls.createToolCalls(fence, [sampleCall(number, 1)]))).toBe("Conflict")
    }
  }))

  claim("unfinished calls of a Run are listed by creation", Effect.gen(function*() {
    const calls = yield* CallLedger
    const fence = yield* admitted(1)
    yield* calls.createToolCalls(yield* admitted(2), [sampleCall(2, 9)])
    yield* calls.createToolCalls(fence, [sampleCall(1, 7), sampleCall(1, 3)])
    yield* calls.createToolCalls(fence, [sampleCall(1, 5)])
    const listed = yield* calls.unfinishedCalls(fence.runId)
    expect(listed.map((call) => call.callId)).toEqual([7, 3, 5].map(sampleId.call))
    expect((yield* recordOf(1)).unfinished).toEqual(listed)
  }))
}
