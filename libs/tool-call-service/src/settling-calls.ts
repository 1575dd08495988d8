/**
 * Settles a call: one response, one commit.
 *
 * Owns: the way from an end to the durable response.
 * Never owns: what a call's end means (call-rules), projections (ResultPreparation).
 * Ordering: the claim is looked at before anything is prepared and again in the commit; nobody is told an end before it is durable.
 * Limits: whatever is wrong with a prepared result, the call settles once without it.
 */
import type { CallReason, Supervision, ToolCallResponse, UnfinishedCall } from "@steno/contracts"
import { CallLedger, type LedgerError } from "@steno/ledger/calls"
import { Clock, DateTime, Effect, Equal } from "effect"
import { buildResponse } from "./call-response.ts"
import type { DecidedEnd } from "./call-rules.ts"
import type { ProcessEnd } from "./host-tools.ts"
import type { LiveCall } from "./live-calls.ts"
import { type EndedCall, type EndedResult, type PreparedResult, ResultPreparation } from "./result-preparation.ts"
import { claimLost, notSettled, nowInstant, untilWritten } from "./row-changes.ts"

/** How a call ended, and what it left. */
export interface Ended {
  readonly end: DecidedEnd
  /** False: it is certain that nothing of it ran. */
  readonly begun: boolean
  readonly process?: ProcessEnd
  /** Of a tool inside this process, or a handler. */
  readonly result?: { readonly value: unknown }
  readonly durationMs?: number
  /** The last decision, where it is not the one on record. */
  readonly supervision?: Supervision
}

export const notBegun = (end: DecidedEnd, supervision?: Supervision): Ended =>
  ({ end, begun: false, ...(supervision === undefined ? {} : { supervision }) })

export const notPrepared: CallReason = {
  code: "result-not-prepared",
  text: "The result could not be prepared for display; the captured files are where they were written."
}

interface ShownResult {
  readonly prepared: PreparedResult | undefined
  readonly warnings: ReadonlyArray<CallReason>
}

/** Asks for the projections of a call; what goes wrong there is a warning. */
export const makePreparation = Effect.gen(function*() {
  const preparation = yield* ResultPreparation
  return (call: EndedCall, result: EndedResult): Effect.Effect<ShownResult> =>
    Effect.suspend(() => preparation.prepare(call, result)).pipe(
      Effect.map((prepared): ShownResult => ({ prepared, warnings: [...result.warnings, ...(prepared.warnings ?? [])] })),
      Effect.catchCause((cause) =>
        Effect.as(Effect.logDebug("Result not prepared", cause), {
          prepared: undefined,
          warnings: [...result.warnings, notPrepared]
        })
      )
    )
})

export const makeSettlement = Effect.gen(function*() {
  const ledger = yield* CallLedger
  const prepare = yield* makePreparation

  /**
   * A commit may report a failure and be durable all the same; the repeated settlement then finds the row gone. Still
   * owned by our epoch, the call is settled as asked when the response on record is this very one.
   */
  const adoptStored = Effect.fnUntraced(function*(response: ToolCallResponse, conflict: LedgerError) {
    const stored = yield* ledger.storedResponse(response.callId)
    if (!Equal.equals(stored?.payload, response)) return yield* conflict
    return response
  })

  const store = (live: LiveCall, response: ToolCallResponse, assets: PreparedResult["assets"]) =>
    Effect.flatMap(nowInstant, (at) =>
      ledger.settleToolCall(live.fence, { callId: live.call.callId, from: live.position, response, assets, at })).pipe(
        untilWritten,
        Effect.as(response),
        Effect.catch((error) => error.reason._tag === "Conflict" ? adoptStored(response, error) : Effect.fail(error))
      )

  const elapsedMs = (row: UnfinishedCall) =>
    Effect.map(Clock.currentTimeMillis, (now) =>
      row.startedAt === undefined ? undefined : Math.max(0, now - DateTime.toEpochMillis(DateTime.makeUnsafe(row.startedAt))))

  const respond = Effect.fnUntraced(function*(live: LiveCall, row: UnfinishedCall, ended: Ended) {
    const { process } = ended
    const survivors = process?.survivors ?? []
    const supervision = ended.supervision ?? row.supervision
    const durationMs = ended.durationMs ?? (ended.begun ? yield* elapsedMs(row) : undefined)
    const { interactions, startedAt } = row
    const warnings = [...live.warnings, ...(process?.captured.warnings ?? [])]
    const common = { call: live.call, end: ended.end, startedAt, durationMs, survivors, supervision, interactions, captured: process?.captured }
    const shown = yield* prepare(live.call, {
      end: ended.end,
      begun: ended.begun,
      ...(process === undefined ? {} : { captured: process.captured }),
      ...(ended.result === undefined ? {} : { value: ended.result.value }),
      ...(supervision === undefined ? {} : { supervision }),
      ...(interactions === undefined ? {} : { interactions }),
      survivors,
      warnings,
      ...(durationMs === undefined ? {} : { durationMs })
    })
    return {
      shown: { response: buildResponse({ ...common, ...shown }), assets: shown.prepared?.assets ?? [] },
      bare: buildResponse({ ...common, warnings: [...warnings, notPrepared] })
    }
  })

  /** Fails with `CallNotSettled`; the row stays then, or is another's. */
  return Effect.fnUntraced(function*(live: LiveCall, ended: Ended) {
    const { callId } = live.call
    const row = yield* untilWritten(ledger.unfinishedCall(callId)).pipe(Effect.mapError(notSettled(callId)))
    const isHeld = row !== undefined && row.state === live.position.state && row.claim === live.position.claim
    if (!isHeld) return yield* claimLost(callId)
    live.returned = ended.result?.value
    const { bare, shown } = yield* respond(live, row, ended)
    return yield* store(live, shown.response, shown.assets).pipe(
      Effect.catchIf(({ refusesRows }) => refusesRows, () => store(live, bare, [])),
      Effect.catchDefect((defect) =>
        Effect.andThen(Effect.logDebug("Response not storable", defect), store(live, bare, []))),
      Effect.mapError(notSettled(callId))
    )
  })
})
export type Settlement = Effect.Success<typeof makeSettlement>
