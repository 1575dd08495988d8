/**
 * Settles Runs whose owner process is verified dead.
 *
 * Owns: taking such a Run over, ending what it left, settling its Turn as lost.
 * Ordering: epoch first, then survivors are ended, then one transaction settles calls, Turn and Run.
 * Limits: opening a home answers after at most 1 s; what is left goes on behind. One damaged Run touches no other.
 */
import { reconcileAnswerMs } from "@steno/contracts"
import { LedgerError, RunLedger, type RunRow, TurnLedger } from "@steno/ledger"
import { ProcessHost } from "@steno/process-host"
import { ToolCallService } from "@steno/tool-call-service"
import { Cause, Context, DateTime, Deferred, Effect, Fiber, Layer } from "effect"
import { HomeFolder } from "./home-folder.ts"
import { ownershipOf } from "./ownership.ts"
import { recordedCalls } from "./recorded-calls.ts"
import { RunRemoval } from "./run-removal.ts"
import { abandonedRunState, abandonedTurnEnd, abandonedTurnResult, restingState } from "./turn-rules.ts"

export class Reconciliation extends Context.Service<Reconciliation, {
  /** Resolves when the abandoned Runs found at open are settled, at the latest 1 s after the home was opened. */
  readonly opened: Effect.Effect<void>
  /** Settles one Run if its owner is dead by now; a Run that somebody else settles meanwhile is left alone. Faults are logged. */
  readonly settleIfAbandoned: (run: RunRow) => Effect.Effect<void>
}>()("@steno/application/Reconciliation") {
  static readonly layerNoDeps = Layer.effect(
    Reconciliation,
    Effect.gen(function*() {
      const home = yield* HomeFolder
      const runs = yield* RunLedger
      const turns = yield* TurnLedger
      const toolCalls = yield* ToolCallService
      const host = yield* ProcessHost
      const removal = yield* RunRemoval

      const settle = Effect.fnUntraced(function*(run: RunRow) {
        const now = Effect.map(DateTime.now, DateTime.formatIso)
        const record = yield* runs.readRun(run.runId)
        if (record === undefined) return
        const fence = yield* runs.takeOver({
          runId: run.runId,
          epoch: run.epoch,
          owner: yield* host.self,
          state: abandonedRunState(record),
          at: yield* now
        })
        const open = recordedCalls(record).flatMap(({ started, unfinished }) =>
          unfinished === undefined ? [] : [{ row: unfinished, arguments: started?.arguments }]
        )
        const responses = yield* toolCalls.prepareAbandoned(open)
        const unsettled = record.turns.filter((turn) => turn.result === undefined)
        for (const turn of unsettled) {
          const own = new Set(record.unfinished.filter((row) => row.turnId === turn.turnId).map((row) => row.callId))
          const result = abandonedTurnResult(record, turn)
          yield* turns.settleTurn(fence, {
            conversationId: turn.conversationId,
            turnId: turn.turnId,
            settled: { result, detail: "owner-gone", availability: "open" },
            responses: responses.filter(({ response }) => own.has(response.callId)),
            rest: restingState(result),
            at: abandonedTurnEnd(record, turn) ?? (yield* now)
          })
        }
        if (unsettled.length === 0) {
          yield* runs.restRun(fence, { state: abandonedRunState(record), at: yield* now })
        }
      })

      /** Whatever is wrong with one Run, defects included, is told and touches no other. */
      const settleIfAbandoned = Effect.fn("Reconciliation.settleIfAbandoned")(function*(run: RunRow) {
        if (home.access === "read" || (yield* ownershipOf(run)) !== "abandoned") return
        yield* settle(run)
      }, Effect.provideService(ProcessHost, host), (effect, run) =>
        Effect.catchCause(effect, (cause) => {
          if (Cause.hasInterruptsOnly(cause)) return Effect.interrupt
          const error = Cause.squash(cause)
          return error instanceof LedgerError && error.reason._tag === "Fenced"
            ? Effect.void
            : Effect.logWarning(`Run ${run.runId} could not be settled: ${error instanceof Error ? error.message : "unknown"}`)
        }))

      const settleAll = Effect.gen(function*() {
        yield* Effect.catch(removal.finish, ({ problem }) => Effect.logWarning(`A removal could not be finished: ${problem.explanation}`))
        const owned = yield* runs.ownedRuns
        yield* Effect.forEach(owned, settleIfAbandoned, { concurrency: 4, discard: true })
      }).pipe(Effect.catch((error) => Effect.logWarning(`Abandoned Runs could not be listed: ${error.message}`)))

      if (home.access === "read") return Reconciliation.of({ opened: Effect.void, settleIfAbandoned })
      const fiber = yield* Effect.forkScoped(settleAll, { startImmediately: true })
      yield* Effect.addFinalizer(() => Fiber.await(fiber))
      const answered = yield* Deferred.make<void>()
      yield* Effect.raceFirst(Fiber.await(fiber), Effect.sleep(reconcileAnswerMs)).pipe(
        Effect.andThen(Deferred.succeed(answered, undefined)),
        Effect.forkScoped
      )
      const opened = Deferred.await(answered)
      return Reconciliation.of({ opened, settleIfAbandoned })
    })
  )
}
