/**
 * Calls of outside agents: those they run themselves and report, and those they ask their client to run.
 *
 * Owns: that an item of a Turn is one call, however often it is delivered.
 * Never owns: what a harness reports (its adapter), what becomes of a call that runs here (the modules it is carried by).
 * Ordering: one start after the other is stored, so that of two equal ones the second meets the first.
 * Limits: an observed call has no supervision, no claim and no agent projection: none is known. Its files hold what was supplied of its output.
 */
import { type CallId, IdMinter, type OutsideCallStarted, type RetainedOutput, type ToolCallResponse } from "@steno/contracts"
import { CallLedger, type NewCall } from "@steno/ledger/calls"
import { Deferred, Effect, Semaphore } from "effect"
import type { CallTurn, ClientCall, ExecutedCall, ObservedEnd, ObservedStart } from "./call-requests.ts"
import { buildResponse } from "./call-response.ts"
import type { CallCarrier } from "./carrying-calls.ts"
import { LiveCall, type LiveCalls } from "./live-calls.ts"
import { outputAssets } from "./output-assets.ts"
import { retainedTail } from "./retained-tail.ts"
import { claimLost, notSettled, nowInstant, untilWritten } from "./row-changes.ts"
import { CallNotAdmitted, ToolCallError } from "./tool-call-errors.ts"

type Turn = Pick<CallTurn, "fence" | "conversationId" | "turnId">

const refused = (cause: ConstructorParameters<typeof CallNotAdmitted>[0]["cause"]) =>
  new ToolCallError({ reason: new CallNotAdmitted({ cause }) })

const nothingKept: RetainedOutput = { text: "" }

const ofResponse = (callId: CallId, response: ToolCallResponse): ExecutedCall =>
  ({
    callId,
    settled: Effect.succeed(response),
    begun: Effect.succeed(response.startedAt !== undefined),
    output: () => response.retainedOutput ?? nothingKept,
    value: () => undefined
  })

const ofLive = (live: LiveCall): ExecutedCall => ({
  callId: live.call.callId,
  settled: Deferred.await(live.settled),
  begun: Deferred.await(live.begun),
  output: () => live.running?.output() ?? nothingKept,
  value: () => live.returned
})

export const makeOutsideCalls = Effect.fnUntraced(function*(lives: LiveCalls, carrier: CallCarrier) {
  const ledger = yield* CallLedger
  const ids = yield* IdMinter
  const starts = yield* Semaphore.make(1)

  const known = ({ turnId }: Turn, itemId: string) => untilWritten(ledger.callOfItem({ turnId, itemId }))

  /** A commit may report a failure and be durable all the same; repeated, it then finds the call created. */
  const create = Effect.fnUntraced(function*(
    turn: Turn,
    { firstSeen, itemId, started, state }: Pick<NewCall, "itemId" | "firstSeen" | "state"> & { readonly started: OutsideCallStarted }
  ) {
    const { conversationId, fence, turnId } = turn
    const created = Effect.flatMap(nowInstant, (at) =>
      ledger.createToolCalls(fence, [{ conversationId, turnId, itemId, firstSeen, started, state, at }]))
    yield* untilWritten(created).pipe(Effect.catch((error) =>
      error.reason._tag !== "Conflict" ? Effect.fail(error) : Effect.flatMap(known(turn, itemId), (call) =>
        call?.callId === started.callId ? Effect.void : Effect.fail(error))))
  }, Effect.mapError(refused))

  const observeStart = Effect.fn("ToolCallService.observeStart")(function*(turn: Turn, { firstSeen, itemId, ...reported }: ObservedStart) {
    const before = yield* known(turn, itemId).pipe(Effect.mapError(refused))
    if (before !== undefined) return before.callId
    const callId = yield* ids.mint("call")
    yield* create(turn, { itemId, firstSeen, started: { ...reported, callId, origin: "observed" }, state: "running" })
    return callId
  }, starts.withPermit)

  /** The end that was stored first counts. */
  const storedEnd = Effect.fnUntraced(function*(callId: CallId) {
    const event = yield* untilWritten(ledger.storedResponse(callId)).pipe(Effect.mapError(notSettled(callId)))
    return event === undefined ? yield* claimLost(callId) : event.payload
  })

  const observeEnd = Effect.fn("ToolCallService.observeEnd")(function*(turn: Turn, end: ObservedEnd) {
    const call = yield* known(turn, end.itemId).pipe(Effect.mapError(refused))
    if (call === undefined) return yield* claimLost(end.itemId)
    if (call.response !== undefined) return call.response
    const { callId } = call
    const row = yield* untilWritten(ledger.unfinishedCall(callId)).pipe(Effect.mapError(notSettled(callId)))
    if (row === undefined) return yield* storedEnd(callId)
    const { captured, exitCode, itemId: _, outcome, output, reason, reported } = end
    const assets = yield* outputAssets(row, captured)
    const response = buildResponse({
      call: row,
      end: { outcome, ...(reason === undefined ? {} : { reason }), ...(exitCode === undefined ? {} : { exitCode }) },
      startedAt: row.startedAt,
      supplied: output === undefined ? undefined : retainedTail(output),
      reported,
      captured,
      assets,
      warnings: captured?.warnings ?? []
    })
    const settle = Effect.flatMap(nowInstant, (at) =>
      ledger.settleToolCall(turn.fence, { callId, from: { state: "running", claim: undefined }, response, assets, at }))
    return yield* untilWritten(settle).pipe(
      Effect.as(response),
      Effect.catch((error) => error.reason._tag === "Conflict" ? storedEnd(callId) : Effect.fail(notSettled(callId)(error)))
    )
  })

  const execute = Effect.fn("ToolCallService.execute")(function*(turn: CallTurn, asked: ClientCall) {
    const { itemId, firstSeen, ...request } = asked
    const before = yield* known(turn, itemId).pipe(Effect.mapError(refused))
    if (before !== undefined) {
      const live = lives.find(before.callId)
      if (live !== undefined) return ofLive(live)
      return ofResponse(before.callId, before.response ?? (yield* storedEnd(before.callId)))
    }
    const callId = yield* ids.mint("call")
    yield* create(turn, { itemId, firstSeen, started: { ...request, callId, origin: "client" }, state: "supervising" })
    const { conversationId, fence, turnId, workspace } = turn
    const call = { callId, runId: fence.runId, conversationId, turnId, workspace, tool: asked.tool, origin: "client", arguments: asked.arguments } as const
    const live = new LiveCall(call, turn, { state: "supervising", claim: undefined })
    yield* carrier.begin([{ live, isReadable: true }])
    return ofLive(live)
  }, Effect.uninterruptible, starts.withPermit)

  return { execute, observeEnd, observeStart }
})
