/**
 * Changes of a call's row that leave it open.
 *
 * Owns: that a step is legal before it is written, and what a commit that reported a failure has done.
 * Never owns: which step is taken when.
 */
import type { InteractionRequest, Supervision } from "@steno/contracts"
import { CallLedger, Conflict, LedgerError } from "@steno/ledger/calls"
import { DateTime, Effect, Schedule } from "effect"
import { type CallPosition, carryOver } from "./call-rules.ts"
import type { LiveCall, RowPosition } from "./live-calls.ts"
import { CallNotSettled, ToolCallError } from "./tool-call-errors.ts"

/** A write that other processes or the disk refused for now is worth repeating for a few seconds. */
export const untilWritten = <A>(write: Effect.Effect<A, LedgerError>): Effect.Effect<A, LedgerError> =>
  Effect.retry(write, { schedule: Schedule.spaced("500 millis"), times: 10, while: (error) => error.isRetryable })

export const nowInstant = Effect.map(DateTime.now, DateTime.formatIso)

export const notSettled = (callId: string) => (cause: LedgerError): ToolCallError =>
  new ToolCallError({ reason: new CallNotSettled({ callId, cause }) })

/** The row is another's by now. */
export const claimLost = (callId: string): ToolCallError =>
  notSettled(callId)(new LedgerError({ reason: new Conflict({ subject: `Call ${callId}` }) }))

export interface RowChange {
  /** What the commit carries the call over, in order; empty: it stays. */
  readonly over: ReadonlyArray<Exclude<CallPosition, "gone">>
  readonly claim?: string
  readonly supervision?: Supervision
  readonly interaction?: InteractionRequest
}

export const makeRowChanges = Effect.gen(function*() {
  const ledger = yield* CallLedger

  /** A commit may report a failure and be durable all the same; repeated, it then finds the row as it was to become. */
  const isAt = (live: LiveCall, to: RowPosition) =>
    Effect.map(ledger.unfinishedCall(live.call.callId), (row) =>
      row !== undefined && row.runId === live.fence.runId && row.state === to.state && row.claim === to.claim)

  /** Fails with `CallNotSettled`; the row is then as it was, or another's. */
  return Effect.fnUntraced(function*(live: LiveCall, { claim, interaction, over, supervision }: RowChange) {
    // The paths are constants of ours: an illegal step in one is a defect.
    const state = yield* Effect.orDie(Effect.fromResult(carryOver(live.position.state, ...over)))
    const to: RowPosition = { state, claim }
    let mayBeDone = false
    const advance = Effect.flatMap(nowInstant, (at) =>
      ledger.advanceToolCall(live.fence, {
        callId: live.call.callId,
        from: live.position,
        to,
        ...(supervision === undefined ? {} : { supervision }),
        ...(interaction === undefined ? {} : { interaction }),
        at
      })).pipe(Effect.tapError((error) => Effect.sync(() => mayBeDone ||= error.isRetryable)))
    yield* untilWritten(advance).pipe(
      Effect.catch((error) =>
        mayBeDone && error.reason._tag === "Conflict"
          ? Effect.flatMap(isAt(live, to), (isDone) => isDone ? Effect.void : Effect.fail(error))
          : Effect.fail(error)
      ),
      Effect.mapError(notSettled(live.call.callId))
    )
    live.position = to
  })
})
