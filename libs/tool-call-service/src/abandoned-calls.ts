/**
 * Ends calls whose owner is gone.
 *
 * Owns: what such a call's response says; that its processes are ended first.
 * Never owns: which calls those are (application), ending processes (HostTools).
 * Limits: whatever is wrong with what a call left, its response says how it ended.
 */
import { ToolCallResponse } from "@steno/contracts"
import { CallLedger, type Fence } from "@steno/ledger/calls"
import { Effect, Result, Schema } from "effect"
import type { AbandonedCall, OpenCallResponse } from "./call-requests.ts"
import { buildResponse } from "./call-response.ts"
import { decideAbandoned, endNotReported } from "./call-rules.ts"
import { HostTools } from "./host-tools.ts"
import { outputAssets } from "./output-assets.ts"
import { type EndedCall, ResultNotPrepared } from "./result-preparation.ts"
import { retainedTail } from "./retained-tail.ts"
import { notSettled, nowInstant, untilWritten } from "./row-changes.ts"
import { makePreparation, notPrepared } from "./settling-calls.ts"

interface PreparedEnd extends OpenCallResponse {
  /** The same end without files and projections. */
  readonly bare: ToolCallResponse
}

const isStorable = Schema.is(ToolCallResponse)

const notRecovered = () => new ResultNotPrepared({ explanation: "What the call left could not be looked at because of an internal fault." })

const endedCall = ({ arguments: args, row }: AbandonedCall): EndedCall => ({
  callId: row.callId,
  runId: row.runId,
  conversationId: row.conversationId,
  turnId: row.turnId,
  tool: row.tool,
  origin: row.origin,
  ...(args === undefined ? {} : { arguments: args })
})

export const makeAbandonedCalls = Effect.gen(function*() {
  const ledger = yield* CallLedger
  const tools = yield* HostTools
  const prepare = yield* makePreparation

  /** What is left of a call that ran. */
  const recover = Effect.fnUntraced(function*(abandoned: AbandonedCall) {
    const recovered = yield* Effect.suspend(() => tools.recover({ ...endedCall(abandoned), process: abandoned.row.process })).pipe(
      Effect.catchDefect((defect) => Effect.andThen(Effect.logWarning("The recovery of a call failed", defect), notRecovered())),
      Effect.result
    )
    if (Result.isFailure(recovered)) {
      const warning = { code: "output-not-recovered", text: recovered.failure.explanation }
      return { captured: undefined, survivors: [], warnings: [warning] }
    }
    const { captured, ended, left } = recovered.success
    const orphans = ended.map((orphan) => ({
      code: "orphan-ended",
      text: `Process ${orphan.pid} was still running and was ended: ${orphan.command}`
    }))
    return { captured, survivors: left, warnings: [...captured?.warnings ?? [], ...orphans] }
  })

  /** Nobody knows how an observed call went on. What its files hold counts where no more is known of its output. */
  const unreported = Effect.fnUntraced(function*(abandoned: AbandonedCall): Effect.fn.Return<PreparedEnd> {
    const { output, row } = abandoned
    const left = output === undefined
      ? yield* recover(abandoned)
      : { captured: abandoned.captured, warnings: abandoned.captured?.warnings ?? [] }
    const captured = left.captured?.outputFile === undefined ? undefined : left.captured
    const supplied = { ...retainedTail(output ?? captured?.retained ?? { text: "" }), incomplete: true } as const
    const common = { call: row, end: endNotReported, startedAt: row.startedAt, supplied, warnings: left.warnings }
    const assets = yield* outputAssets(row, captured)
    return { response: buildResponse({ ...common, captured, assets }), assets, bare: buildResponse(common) }
  })

  const responseOf = Effect.fnUntraced(function*(abandoned: AbandonedCall): Effect.fn.Return<PreparedEnd> {
    const { row } = abandoned
    if (row.origin === "observed") return yield* unreported(abandoned)
    const call = endedCall(abandoned)
    const end = decideAbandoned(row.state)
    const { captured, survivors, warnings } = row.state === "running"
      ? yield* recover(abandoned)
      : { captured: undefined, survivors: [], warnings: [] }
    const { supervision, interactions, startedAt } = row
    const shown = yield* prepare(call, {
      end,
      begun: row.state === "running" || row.state === "awaiting_input",
      ...(captured === undefined ? {} : { captured }),
      ...(supervision === undefined ? {} : { supervision }),
      ...(interactions === undefined ? {} : { interactions }),
      survivors,
      warnings
    })
    const common = { call, end, startedAt, survivors, supervision, interactions, captured }
    const response = buildResponse({ ...common, ...shown })
    const bare = buildResponse({ ...common, warnings: [...warnings, notPrepared] })
    return isStorable(response) ? { response, assets: shown.prepared?.assets ?? [], bare } : { response: bare, assets: [], bare }
  })

  /** A call that is settled by now is what was asked for. */
  const settle = Effect.fnUntraced(function*(fence: Fence, abandoned: AbandonedCall) {
    const { callId, claim, state } = abandoned.row
    const { assets, bare, response } = yield* responseOf(abandoned)
    const store = (settled: OpenCallResponse) =>
      Effect.flatMap(nowInstant, (at) => ledger.settleToolCall(fence, { callId, from: { state, claim }, ...settled, at })).pipe(
        untilWritten,
        Effect.as(settled.response)
      )
    return yield* store({ response, assets }).pipe(
      Effect.catchIf(({ refusesRows }) => refusesRows, () => store({ response: bare, assets: [] })),
      Effect.catch((error) =>
        error.reason._tag !== "Conflict" ? Effect.fail(error) : Effect.flatMap(ledger.storedResponse(callId), (event) =>
          event === undefined ? Effect.fail(error) : Effect.succeed(event.payload))),
      Effect.mapError(notSettled(callId))
    )
  })

  return {
    prepare: Effect.fn("ToolCallService.prepareAbandoned")((calls: ReadonlyArray<AbandonedCall>) =>
      Effect.forEach(calls, (call) => Effect.map(responseOf(call), ({ assets, response }): OpenCallResponse => ({ response, assets })))),
    settle
  }
})
export type AbandonedCalls = Effect.Success<typeof makeAbandonedCalls>
