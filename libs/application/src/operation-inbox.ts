/**
 * Picks up Operations that other processes left for Runs which are live here.
 *
 * Limits: looks only while a Run is live here: when it begins, and after each commit of another process, noticed within 100 ms.
 */
import type { RunId } from "@steno/contracts"
import { CommittedFacts, OperationLedger } from "@steno/ledger"
import { Effect, Layer, Stream } from "effect"
import { LiveRuns } from "./live-runs.ts"
import { OperationPursuit } from "./operation-pursuit.ts"

export const operationInboxLayer = Layer.effectDiscard(Effect.gen(function*() {
  const committed = yield* CommittedFacts
  const ledger = yield* OperationLedger
  const pursuit = yield* OperationPursuit
  const liveRuns = yield* LiveRuns

  /** One that fails stays pending and holds up no other. */
  const left = <E>(effect: Effect.Effect<unknown, E>) =>
    Effect.catchCause(effect, (cause) => Effect.logWarning("An Operation of another process could not be applied", cause))

  const applyPendingOf = Effect.fnUntraced(function*(runId: RunId) {
    for (const { input, ...operation } of yield* ledger.pendingOperations(runId)) {
      if (input.operation !== "start") yield* left(pursuit.carryOut({ ...operation, input }))
    }
  })

  const applyPending = Effect.flatMap(liveRuns.all, Effect.forEach((runId) => left(applyPendingOf(runId)), { discard: true }))

  yield* liveRuns.count.pipe(
    Stream.switchMap((count) => count > 0 ? Stream.concat(Stream.succeed(undefined), committed.otherProcesses) : Stream.empty),
    Stream.runForEach(() => applyPending),
    Effect.forkScoped
  )
}))
