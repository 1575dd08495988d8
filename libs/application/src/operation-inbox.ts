/**
 * Picks up Operations that other processes left for Runs which are live here.
 *
 * Limits: looks only while a Run is live here, after each commit of another process, noticed within 100 ms.
 */
import { CommittedFacts, OperationLedger } from "@steno/ledger"
import { DateTime, Effect, Layer, Stream } from "effect"
import { RunControl } from "./run-control.ts"
import { Turns } from "./turns.ts"

export const operationInboxLayer = Layer.effectDiscard(Effect.gen(function*() {
  const committed = yield* CommittedFacts
  const ledger = yield* OperationLedger
  const control = yield* RunControl
  const turns = yield* Turns

  const applyPending = Effect.gen(function*() {
    for (const runId of yield* turns.live) {
      for (const { input, operationId } of yield* ledger.pendingOperations(runId)) {
        const outcome = yield* control.apply(input)
        if (outcome === undefined) continue
        yield* ledger.settleOperation({ operationId, outcome, at: DateTime.formatIso(yield* DateTime.now) })
      }
    }
  }).pipe(Effect.catchCause((cause) => Effect.logWarning("An Operation of another process could not be applied", cause)))

  yield* turns.isAnyLive.pipe(
    Stream.switchMap((isAnyLive) => isAnyLive ? committed.otherProcesses : Stream.empty),
    Stream.runForEach(() => applyPending),
    Effect.forkScoped
  )
}))
