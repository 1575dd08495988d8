/**
 * Picks up Operations that other processes left for Runs which are live here.
 *
 * Limits: looks only while a Run is live here, after each commit of another process, noticed within 100 ms.
 */
import { CommittedFacts, OperationLedger } from "@steno/ledger"
import { DateTime, Effect, Layer, Stream } from "effect"
import { LiveRuns } from "./live-runs.ts"
import { RunControl } from "./run-control.ts"

export const operationInboxLayer = Layer.effectDiscard(Effect.gen(function*() {
  const committed = yield* CommittedFacts
  const ledger = yield* OperationLedger
  const control = yield* RunControl
  const liveRuns = yield* LiveRuns

  const applyPending = Effect.gen(function*() {
    for (const runId of yield* liveRuns.all) {
      for (const { input, ...operation } of yield* ledger.pendingOperations(runId)) {
        if (input.operation === "start") continue
        const outcome = yield* control.apply({ ...operation, input })
        if (outcome === undefined) continue
        const { operationId } = operation
        yield* ledger.settleOperation({ operationId, outcome, at: DateTime.formatIso(yield* DateTime.now) })
      }
    }
  }).pipe(Effect.catchCause((cause) => Effect.logWarning("An Operation of another process could not be applied", cause)))

  yield* liveRuns.isAnyLive.pipe(
    Stream.switchMap((isAnyLive) => isAnyLive ? committed.otherProcesses : Stream.empty),
    Stream.runForEach(() => applyPending),
    Effect.forkScoped
  )
}))
