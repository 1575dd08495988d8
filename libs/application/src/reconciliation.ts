/**
 * Settles Runs whose owner process is verified dead.
 *
 * Owns: taking such a Run over, ending what it left, settling its Turn as lost, or keeping it where a call of a model awaits a person.
 * Ordering: epoch first, then survivors are ended, those of a harness before those of calls, then one transaction settles calls, Turn and Run. Calls of a kept Turn that
 * await nobody are settled before its Run rests.
 * Limits: opening a home answers after at most 1 s; what is left goes on behind. One damaged Run touches no other.
 */
import { reconcileAnswerMs, type RunState, type UnfinishedCall } from "@steno/contracts"
import { type Fence, LedgerError, RunLedger, type RunRecord, type RunRow, TurnLedger, type TurnRow } from "@steno/ledger"
import { ProcessHost } from "@steno/process-host"
import { ToolCallService } from "@steno/tool-call-service"
import { Cause, Context, DateTime, Deferred, Effect, Fiber, Layer } from "effect"
import { HomeFolder } from "./home-folder.ts"
import { ownershipOf } from "./ownership.ts"
import { outlivesOwner } from "./recorded-calls.ts"
import { RunRemoval } from "./run-removal.ts"
import { abandonedAvailability, abandonedRunState, abandonedTurnEnd, abandonedTurnResult, isKeptTurn } from "./turn-rules.ts"

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

      const now = Effect.map(DateTime.now, DateTime.formatIso)

      const callsOf = (record: RunRecord, turn: TurnRow, isLeft: (row: UnfinishedCall) => boolean) =>
        record.unfinished.filter((row) => row.turnId === turn.turnId && isLeft(row)).map((row) => ({ row, arguments: row.arguments }))

      /** @param rest what the Run rests in with it; absent: others of its Turns follow */
      const settleLost = Effect.fnUntraced(function*(fence: Fence, record: RunRecord, turn: TurnRow, rest: RunState | undefined) {
        yield* host.sweep({ marker: { name: "STENO_TURN_ID", value: turn.turnId }, root: undefined })
        const responses = yield* toolCalls.prepareAbandoned(callsOf(record, turn, () => true))
        yield* turns.settleTurn(fence, {
          conversationId: turn.conversationId,
          turnId: turn.turnId,
          settled: { result: abandonedTurnResult(record, turn) ?? "lost", detail: "owner-gone", availability: abandonedAvailability(record, turn) },
          responses,
          ...(rest === undefined ? {} : { rest }),
          at: abandonedTurnEnd(record, turn) ?? (yield* now)
        })
      })

      const settle = Effect.fnUntraced(function*(run: RunRow) {
        const record = yield* runs.readRun(run.runId)
        if (record === undefined) return
        const state = abandonedRunState(record)
        const fence = yield* runs.takeOver({ runId: run.runId, epoch: run.epoch, owner: yield* host.self, state, at: yield* now })
        const unsettled = record.turns.filter((turn) => turn.result === undefined)
        const kept = unsettled.filter((turn) => isKeptTurn(record, turn))
        const lost = unsettled.filter((turn) => !isKeptTurn(record, turn))
        for (const turn of kept) {
          yield* toolCalls.settleAbandoned(fence, callsOf(record, turn, (row) => !outlivesOwner(row)))
        }
        for (const [index, turn] of lost.entries()) {
          yield* settleLost(fence, record, turn, kept.length === 0 && index === lost.length - 1 ? state : undefined)
        }
        if (kept.length > 0 || lost.length === 0) yield* runs.restRun(fence, { state, at: yield* now })
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
