/** Claims about interactions: what a call asks of a person, the one answer, and what its Run shows meanwhile. */
import type { CallState, InteractionRequest, InteractionResolution } from "@steno/contracts"
import { Effect } from "effect"
import { expect } from "vitest"
import { CallLedger } from "../calls.ts"
import type { Fence } from "../fence.ts"
import { RunLedger } from "../runs.ts"
import { TurnLedger } from "../turns.ts"
import { admitted, type Claim, recordOf, refusal } from "./contract-test.ts"
import {
  sampleApproval,
  sampleId,
  sampleInstant,
  sampleOwner,
  sampleProposal,
  sampleResolution,
  sampleResponse,
  sampleSettlement
} from "./sample-facts.ts"

const callId = sampleId.call(3)
const questions: InteractionRequest = { kind: "user-input", questions: [{ id: "q", prompt: "Which?", options: [] }] }

const step = (
  fence: Fence,
  from: CallState,
  to: CallState,
  changes: { readonly call?: number; readonly interaction?: InteractionRequest } = {}
) =>
  CallLedger.use((calls) =>
    calls.advanceToolCall(fence, {
      callId: sampleId.call(changes.call ?? 3),
      from: { state: from, claim: from === "running" ? "claim" : undefined },
      to: { state: to, claim: to === "running" ? "claim" : undefined },
      ...(changes.interaction && { interaction: changes.interaction }),
      at: sampleInstant(5)
    })
  )

const answer = (fence: Fence, resolution: InteractionResolution, call = 3) =>
  CallLedger.use((calls) => calls.recordResolution(fence, { callId: sampleId.call(call), resolution }))

const runState = Effect.map(recordOf(1), ({ run }) => run.state)

/** Run 1 whose call 3 awaits an approval and whose call 4 is undecided. */
const suspended = Effect.gen(function*() {
  const calls = yield* CallLedger
  const fence = yield* admitted(1)
  yield* calls.proposeToolCalls(fence, sampleProposal(1, [3, 4]))
  yield* step(fence, "supervising", "awaiting_approval", { interaction: sampleApproval })
  return fence
})

export const interactionClaims = (claim: Claim): void => {
  claim("a call keeps everything it asked, with each answer, until its response takes it over", Effect.gen(function*() {
    const calls = yield* CallLedger
    const fence = yield* suspended
    const row = calls.unfinishedCall(callId)
    expect((yield* row)?.interactions).toEqual([{ request: sampleApproval, raisedAt: sampleInstant(5) }])
    const first = sampleResolution(3)
    expect(yield* answer(fence, first)).toEqual({ decision: "recorded" })
    expect(yield* row).toMatchObject({
      state: "awaiting_approval",
      interactions: [{ request: sampleApproval, raisedAt: sampleInstant(5), resolution: first }],
      updatedAt: first.at
    })
    yield* step(fence, "awaiting_approval", "ready")
    yield* step(fence, "ready", "running")
    yield* step(fence, "running", "awaiting_input", { interaction: questions })
    const second = sampleResolution(4, { value: { answers: { q: { options: ["a"], text: "b" } } } })
    expect(yield* answer(fence, second)).toEqual({ decision: "recorded" })
    const raisedAt = sampleInstant(5)
    const interactions = [{ request: sampleApproval, raisedAt, resolution: first }, { request: questions, raisedAt, resolution: second }]
    expect((yield* row)?.interactions).toEqual(interactions)
  }))

  claim("an answer is taken once: the same again is a repetition, whatever the order of its keys; any other is stale", Effect.gen(function*() {
    const calls = yield* CallLedger
    const fence = yield* suspended
    yield* answer(fence, sampleResolution(3))
    const before = yield* recordOf(1)
    const reordered = sampleResolution(3, { value: { approval: { reason: "Go on.", decision: "allow" } }, at: sampleInstant(80) })
    const others = [
      sampleResolution(4),
      sampleResolution(3, { value: { approval: { decision: "deny" } } }),
      sampleResolution(3, { value: { dismissed: true } })
    ]
    expect(yield* answer(fence, reordered)).toEqual({ decision: "repeated" })
    for (const other of others) expect(yield* answer(fence, other)).toEqual({ decision: "stale" })
    expect(yield* recordOf(1)).toEqual(before)
    yield* step(fence, "awaiting_approval", "ready")
    expect(yield* answer(fence, reordered)).toEqual({ decision: "repeated" })
    for (const other of others) expect(yield* answer(fence, other)).toEqual({ decision: "stale" })
    const interactions = (yield* calls.unfinishedCall(callId))?.interactions ?? []
    const response = sampleResponse(3, { origin: "model", interactions })
    const at = sampleInstant(40)
    yield* calls.settleToolCall(fence, { callId, from: { state: "ready", claim: undefined }, response, assets: [], at })
    const settled = yield* recordOf(1)
    expect(yield* answer(fence, reordered)).toEqual({ decision: "repeated", response })
    for (const other of others) expect(yield* answer(fence, other)).toEqual({ decision: "stale" })
    expect(yield* recordOf(1)).toEqual(settled)
  }))

  claim("an answer that is stored while its call is being settled stands in the response, whoever settles it", Effect.gen(function*() {
    const calls = yield* CallLedger
    const turns = yield* TurnLedger
    const fence = yield* suspended
    yield* step(fence, "supervising", "awaiting_approval", { call: 4, interaction: sampleApproval })
    const unanswered = (call: number) =>
      sampleResponse(call, { outcome: "cancelled", interactions: [{ request: sampleApproval, raisedAt: sampleInstant(5) }] })
    for (const call of [3, 4]) yield* answer(fence, sampleResolution(call), call)
    const from = { state: "awaiting_approval", claim: undefined } as const
    yield* calls.settleToolCall(fence, { callId, from, response: unanswered(3), assets: [], at: sampleInstant(9) })
    yield* turns.settleTurn(fence, sampleSettlement(1, "interrupted", { responses: [{ response: unanswered(4), assets: [] }] }))
    for (const call of [3, 4]) {
      const interactions = [{ request: sampleApproval, raisedAt: sampleInstant(5), resolution: sampleResolution(call) }]
      const response = { ...unanswered(call), interactions }
      expect(yield* answer(fence, sampleResolution(call), call)).toEqual({ decision: "repeated", response })
    }
  }))

  claim("of concurrent answers one is recorded", Effect.gen(function*() {
    const fence = yield* suspended
    const outcomes = yield* Effect.all([5, 6, 7, 7].map((number) => answer(fence, sampleResolution(number))), {
      concurrency: "unbounded"
    })
    const decisions = outcomes.map(({ decision }) => decision)
    expect(decisions.filter((decision) => decision === "recorded")).toHaveLength(1)
    expect(decisions.filter((decision) => decision === "stale").length).toBeGreaterThanOrEqual(2)
  }))

  claim("an answer of another kind, to a call that waits for nobody, or to one that is not of the Run writes nothing", Effect.gen(function*() {
    const calls = yield* CallLedger
    const fence = yield* suspended
    const other = yield* admitted(2)
    yield* calls.proposeToolCalls(other, sampleProposal(2, [5]))
    yield* calls.settleToolCall(other, {
      callId: sampleId.call(5),
      from: { state: "supervising", claim: undefined },
      response: sampleResponse(5),
      assets: [],
      at: sampleInstant(9)
    })
    const before = [yield* recordOf(1), yield* recordOf(2)]
    const dismissal = sampleResolution(3, { value: { dismissed: true } })
    expect(yield* answer(fence, dismissal)).toEqual({ decision: "shape-mismatch" })
    expect(yield* answer(fence, sampleResolution(3), 4)).toEqual({ decision: "not-suspended" })
    expect(yield* answer(fence, sampleResolution(3), 9)).toEqual({ decision: "call-not-found" })
    expect(yield* answer(other, sampleResolution(3), 3)).toEqual({ decision: "call-not-found" })
    expect(yield* answer(fence, sampleResolution(3), 5)).toEqual({ decision: "call-not-found" })
    expect(yield* answer(other, sampleResolution(3), 5)).toEqual({ decision: "stale" })
    expect([yield* recordOf(1), yield* recordOf(2)]).toEqual(before)
  }))

  claim("a question that ended with its call takes no answer any more", Effect.gen(function*() {
    const calls = yield* CallLedger
    const fence = yield* suspended
    const response = sampleResponse(3, { outcome: "cancelled", interactions: [{ request: sampleApproval }] })
    const from = { state: "awaiting_approval", claim: undefined } as const
    yield* calls.settleToolCall(fence, { callId, from, response, assets: [], at: sampleInstant(9) })
    expect(yield* answer(fence, sampleResolution(3))).toEqual({ decision: "stale" })
  }))

  claim("a Run shows blocked exactly as long as a call of it awaits a person", Effect.gen(function*() {
    const calls = yield* CallLedger
    const fence = yield* suspended
    expect(yield* runState).toBe("blocked")
    yield* step(fence, "supervising", "awaiting_approval", { call: 4, interaction: sampleApproval })
    yield* answer(fence, sampleResolution(3))
    expect(yield* runState).toBe("blocked")
    yield* step(fence, "awaiting_approval", "ready")
    expect(yield* runState).toBe("blocked")
    yield* calls.settleToolCall(fence, {
      callId: sampleId.call(4),
      from: { state: "awaiting_approval", claim: undefined },
      response: sampleResponse(4, { outcome: "denied" }),
      assets: [],
      at: sampleInstant(9)
    })
    expect(yield* runState).toBe("running")
  }))

  claim("a Run rests blocked with a Turn that only awaits persons, and whoever takes it over answers and goes on", Effect.gen(function*() {
    const runs = yield* RunLedger
    const calls = yield* CallLedger
    const turns = yield* TurnLedger
    const fence = yield* suspended
    const at = sampleInstant(30)
    const rest = runs.restRun(fence, { state: "blocked", at })
    expect(yield* refusal(rest)).toBe("Conflict")
    yield* step(fence, "supervising", "awaiting_approval", { call: 4, interaction: sampleApproval })
    yield* answer(fence, sampleResolution(4), 4)
    expect(yield* refusal(runs.restRun(fence, { state: "halted", at }))).toBe("Conflict")
    yield* rest
    const resting = yield* recordOf(1)
    expect(resting.run).toMatchObject({ state: "blocked", epoch: 1 })
    expect(resting.run).not.toHaveProperty("owner")
    expect(resting.run).not.toHaveProperty("settledAt")
    expect(resting.unfinished).toHaveLength(2)
    expect(yield* refusal(answer(fence, sampleResolution(3)))).toBe("Fenced")
    const taken = yield* runs.takeOver({ ...fence, owner: sampleOwner(8), at })
    expect(yield* refusal(runs.takeOver({ ...fence, owner: sampleOwner(9), at }))).toBe("Fenced")
    expect(yield* answer(taken, sampleResolution(3))).toEqual({ decision: "recorded" })
    expect(yield* answer(taken, sampleResolution(4), 4)).toEqual({ decision: "repeated" })
    for (const call of [3, 4]) {
      yield* step(taken, "awaiting_approval", "ready", { call })
      const response = sampleResponse(call, { origin: "model" })
      const from = { state: "ready", claim: undefined } as const
      yield* calls.settleToolCall(taken, { callId: sampleId.call(call), from, response, assets: [], at })
    }
    expect(yield* runState).toBe("running")
    yield* turns.settleTurn(taken, sampleSettlement(1, "completed", { rest: "succeeded" }))
    expect((yield* recordOf(1)).run).toMatchObject({ state: "succeeded", settledAt: sampleInstant(11) })
  }))

  claim("a Run does not rest blocked with a Turn that has nothing to wait for", Effect.gen(function*() {
    const runs = yield* RunLedger
    const fence = yield* admitted(1)
    expect(yield* refusal(runs.restRun(fence, { state: "blocked", at: sampleInstant(9) }))).toBe("Conflict")
  }))

  claim("approvals for the whole Session are found again, of settled calls and of unfinished ones, and no others", Effect.gen(function*() {
    const calls = yield* CallLedger
    const fence = yield* suspended
    const conversationId = sampleId.conversation(1)
    const kept = (number: number) => sampleResolution(number, { value: { approval: { decision: "allow", scope: "session" } } })
    const ended = (call: number, resolution: InteractionResolution) => ({
      callId: sampleId.call(call),
      from: { state: "awaiting_approval", claim: undefined } as const,
      response: sampleResponse(call, { interactions: [{ request: sampleApproval, resolution }] }),
      assets: [],
      at: sampleInstant(30)
    })
    yield* calls.proposeToolCalls(fence, sampleProposal(1, [5, 6], { itemId: "message-2" }))
    for (const call of [4, 5, 6]) yield* step(fence, "supervising", "awaiting_approval", { call, interaction: sampleApproval })
    expect(yield* calls.sessionApprovals(conversationId)).toEqual([])
    yield* answer(fence, kept(3))
    yield* calls.settleToolCall(fence, ended(4, kept(4)))
    yield* calls.settleToolCall(fence, ended(5, sampleResolution(5, {
      value: { approval: { decision: "allow", scope: "user", reason: `"scope":"session"` } }
    })))
    yield* answer(fence, sampleResolution(6), 6)
    expect(yield* calls.sessionApprovals(conversationId)).toMatchObject([4, 3].map((number) => ({
      request: sampleApproval,
      resolution: kept(number)
    })))
    expect(yield* calls.sessionApprovals(sampleId.conversation(2))).toEqual([])
  }))
}
