/**
 * Ends calls whose owner is gone.
 *
 * Owns: what such a call's response says; that its processes are ended first.
 * Never owns: which calls those are (application), ending processes (HostTools).
 */
import type { ToolCallResponse } from "@steno/contracts"
import { CallLedger, type Fence } from "@steno/ledger/calls"
import { Effect, Result } from "effect"
import type { AbandonedCall, OpenCallResponse } from "./call-requests.ts"
import { buildResponse } from "./call-response.ts"
import { decideAbandoned, endNotReported } from "./call-rules.ts"
import { HostTools } from "./host-tools.ts"
import type { EndedCall } from "./result-preparation.ts"
import { retainedTail } from "./retained-tail.ts"
import { notSettled, nowInstant, untilWritten } from "./row-changes.ts"
import { makePreparation } from "./settling-calls.ts"

const endedCall = ({ arguments: args, row }: AbandonedCall): EndedCall => ({
  callId: row.callId,
  runId: row.runId,
  conversationId: row.conversationId,
  turnId: row.turnId,
  tool: row.tool,
  origin: row.origin,
  ...(args === undefined ? {} : { arguments: args })
})

/** Nobody knows how it went on. */
const unreportedResponse = ({ output, row }: AbandonedCall): ToolCallResponse => {
  const supplied = { ...retainedTail(output ?? { text: "" }), incomplete: true } as const
  return buildResponse({ call: row, end: endNotReported, startedAt: row.startedAt, supplied })
}

export const makeAbandonedCalls = Effect.gen(function*() {
  const ledger = yield* CallLedger
  const tools = yield* HostTools
  const prepare = yield* makePreparation

  /** What is left of a call that ran. */
  const recover = Effect.fnUntraced(function*(abandoned: AbandonedCall) {
    const recovered = yield* Effect.result(tools.recover({ ...endedCall(abandoned), process: abandoned.row.process }))
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

  const responseOf = Effect.fnUntraced(function*(abandoned: AbandonedCall): Effect.fn.Return<OpenCallResponse> {
    const { row } = abandoned
    if (row.origin === "observed") return { response: unreportedResponse(abandoned), assets: [] }
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
    const response = buildResponse({ call, end, startedAt, survivors, supervision, interactions, captured, ...shown })
    return { response, assets: shown.prepared?.assets ?? [] }
  })

  /** A call that is settled by now is what was asked for. */
  const settle = Effect.fnUntraced(function*(fence: Fence, abandoned: AbandonedCall) {
    const { callId, claim, state } = abandoned.row
    const { assets, response } = yield* responseOf(abandoned)
    const stored = Effect.flatMap(nowInstant, (at) =>
      ledger.settleToolCall(fence, { callId, from: { state, claim }, response, assets, at }))
    return yield* untilWritten(stored).pipe(
      Effect.as(response),
      Effect.catch((error) =>
        error.reason._tag !== "Conflict" ? Effect.fail(error) : Effect.flatMap(ledger.storedResponse(callId), (event) =>
          event === undefined ? Effect.fail(error) : Effect.succeed(event.payload))),
      Effect.mapError(notSettled(callId))
    )
  })

  return {
    prepare: Effect.fn("ToolCallService.prepareAbandoned")((calls: ReadonlyArray<AbandonedCall>) => Effect.forEach(calls, responseOf)),
    settle
  }
})
export type AbandonedCalls = Effect.Success<typeof makeAbandonedCalls>
