/**
 * The calls of a model's messages, from the proposal to the barrier.
 *
 * Owns: which calls a proposal begins, which it joins; how the calls of a kept Turn are carried on.
 * Never owns: what becomes of one call (the modules it is carried by).
 * Ordering: calls take their places in content order before any of them starts, then go on apart from each other. A step is
 * settled when the response of its last call is durable.
 */
import { type AssistantMessage, callBlocks, type CallId, IdMinter, type MessageBlock, suspendedOn, type ToolCallResponse, type UnfinishedCall } from "@steno/contracts"
import { CallLedger } from "@steno/ledger/calls"
import { Deferred, Effect } from "effect"
import type { AdmittedStep, AdoptedTurn, CallTurn, MessageToPropose } from "./call-requests.ts"
import type { CallCarrier } from "./carrying-calls.ts"
import type { HostCall } from "./host-tools.ts"
import { LiveCall, type LiveCalls } from "./live-calls.ts"
import { claimLost, notSettled, nowInstant, untilWritten } from "./row-changes.ts"
import { openQuestion } from "./supervising-calls.ts"
import { CallNotAdmitted, ToolCallError } from "./tool-call-errors.ts"

interface StepCall {
  readonly contentIndex: number
  readonly callId: CallId
  readonly settled: Effect.Effect<ToolCallResponse, ToolCallError>
}

const stepOf = (modelStep: number, calls: ReadonlyArray<StepCall>): AdmittedStep => ({
  modelStep,
  calls: calls.map(({ callId, contentIndex }) => ({ callId, contentIndex })),
  settled: Effect.forEach(calls, ({ settled }) => settled)
})

const byContent = (left: UnfinishedCall, right: UnfinishedCall): number =>
  (left.modelStep ?? 0) - (right.modelStep ?? 0) || (left.contentIndex ?? 0) - (right.contentIndex ?? 0)

type CallParts = Pick<HostCall, "callId" | "tool" | "origin" | "arguments">

const hostCall = ({ conversationId, fence, turnId, workspace }: CallTurn, parts: CallParts): HostCall =>
  ({ ...parts, runId: fence.runId, conversationId, turnId, workspace })

/** The call as its row says, with its open question. */
const liveOf = (turn: CallTurn, row: UnfinishedCall): LiveCall => {
  const { callId, origin, tool } = row
  const live = new LiveCall(hostCall(turn, { callId, origin, tool, arguments: row.arguments ?? {} }), turn, { state: row.state, claim: row.claim })
  const waiting = suspendedOn(row)
  if (waiting !== undefined) {
    live.question = openQuestion(waiting.request)
    if (waiting.resolution !== undefined) Deferred.doneUnsafe(live.question.answered, Effect.succeed(waiting.resolution))
  }
  return live
}

export const makeModelSteps = Effect.fnUntraced(function*(lives: LiveCalls, carrier: CallCarrier) {
  const ledger = yield* CallLedger
  const ids = yield* IdMinter

  const withIds = Effect.fnUntraced(function*({ blocks, itemId, firstSeen, ...message }: MessageToPropose) {
    const minted = yield* Effect.forEach(blocks, (block): Effect.Effect<MessageBlock> =>
      block.type === "call" ? Effect.map(ids.mint("call"), (callId) => ({ ...block, callId })) : Effect.succeed(block))
    return { itemId, firstSeen, message: { ...message, blocks: minted } satisfies AssistantMessage }
  })

  const refused = (cause: ConstructorParameters<typeof CallNotAdmitted>[0]["cause"]) =>
    new ToolCallError({ reason: new CallNotAdmitted({ cause }) })

  const openCalls = Effect.fnUntraced(function*({ fence, turnId }: CallTurn) {
    const live = new Map(lives.ofTurn(turnId).map((call) => [call.call.callId, call]))
    const rows = yield* untilWritten(ledger.unfinishedCalls(fence.runId)).pipe(Effect.mapError(refused))
    return { live, rows: rows.filter((row) => row.turnId === turnId).toSorted(byContent) }
  })

  /**
   * Carries on the open calls of a Turn that nobody carries here; answers with all of them, in content order. A call that is
   * live when its row is read is joined, also when it has settled meanwhile.
   */
  const carryOn = Effect.fnUntraced(function*(turn: CallTurn) {
    const { live, rows } = yield* openCalls(turn)
    const calls = rows.map((row) => {
      const known = live.get(row.callId) ?? lives.find(row.callId)
      return { row, live: known ?? liveOf(turn, row), isNew: known === undefined }
    })
    yield* carrier.carryOn(calls.filter(({ isNew }) => isNew))
    return calls
  })

  const storedResponse = Effect.fnUntraced(function*(callId: CallId) {
    const event = yield* untilWritten(ledger.storedResponse(callId)).pipe(Effect.mapError(notSettled(callId)))
    return event === undefined ? yield* claimLost(callId) : event.payload
  })

  /** A commit may report a failure and be durable all the same; the repetition then finds a message with the ids of this proposal. */
  const propose = Effect.fn("ToolCallService.propose")(function*(turn: CallTurn & { readonly proposal: MessageToPropose }) {
    const { conversationId, fence, proposal, turnId } = turn
    const message = yield* withIds(proposal)
    const stored = Effect.flatMap(nowInstant, (at) => ledger.proposeToolCalls(fence, { ...message, conversationId, turnId, at }))
    const step = yield* untilWritten(stored).pipe(Effect.mapError(refused))
    const own = new Set(callBlocks(message.message).map(({ block }) => block.callId))
    const fresh = step.calls.filter(({ block: { callId }, response }) =>
      own.has(callId) && response === undefined && lives.find(callId) === undefined
    ).map(({ block }) => {
      const { callId, tool } = block
      const fits = "arguments" in block
      const call = hostCall(turn, { callId, tool, origin: "model", arguments: fits ? block.arguments : {} })
      return { live: new LiveCall(call, turn, { state: "supervising", claim: undefined }), isReadable: fits }
    })
    yield* carrier.begin(fresh)
    const open = new Map(step.repeated ? (yield* carryOn(turn)).map(({ live }) => [live.call.callId, live]) : [])
    for (const { live } of fresh) open.set(live.call.callId, live)
    return stepOf(step.modelStep, step.calls.map(({ block: { callId }, contentIndex, response }) => {
      const live = open.get(callId)
      const settled = response !== undefined
        ? Effect.succeed(response)
        : live === undefined ? storedResponse(callId) : Deferred.await(live.settled)
      return { contentIndex, callId, settled }
    }))
  }, Effect.uninterruptible)

  const adopt = Effect.fn("ToolCallService.adopt")(function*(turn: CallTurn): Effect.fn.Return<AdoptedTurn, ToolCallError> {
    const calls = yield* carryOn(turn)
    const steps = new Map<number, Array<StepCall>>()
    for (const { live, row } of calls) {
      if (row.modelStep === undefined || row.contentIndex === undefined) continue
      const step = steps.get(row.modelStep) ?? []
      step.push({ contentIndex: row.contentIndex, callId: row.callId, settled: Deferred.await(live.settled) })
      steps.set(row.modelStep, step)
    }
    return {
      steps: [...steps].map(([modelStep, own]) => stepOf(modelStep, own)),
      settled: Effect.forEach(calls, ({ live }) => Deferred.await(live.settled), { discard: true })
    }
  }, Effect.uninterruptible)

  return { adopt, propose }
})
