/**
 * Picks up Operations that other processes left for Runs which are live here.
 *
 * Limits: looks only while a Run is live here: when it begins, and after each commit of another process, noticed within 100 ms.
 */
import { CommittedFacts, OperationLedger } from "@steno/ledger"
import { Effect, Layer, Stream } from "effect"
import { LiveRuns } from "./live-runs.ts"
import { OperationPursuit } from "./operation-pursuit.ts"

export const operationInboxLayer = Layer.effectDiscard(Effect.gen(function*() {
  const committed = yield* CommittedFacts
  const ledger = yield* OperationLedger
  const pursuit = yield* OperationPursuit
  const liveRuns = yield* LiveRuns

  const applyPending = Effect.gen(function*() {
    for (const runId of yield* liveRuns.all) {
      for (const { input, ...operation } of yield* ledger.pendingOperations(runId)) {
        if (input.operation !== "start") yield* pursuit.carryOut({ ...operation, input })
      }
    }
  }).pipe(Effect.catchCause((cause) => Effect.logWarning("An Operation of another process could not be applied", cause)))

  yield* liveRuns.count.pipe(
    Stream.switchMap((count) => count > 0 ? Stream.concat(Stream.succeed(undefined), committed.otherProcesses) : Stream.empty),
    Stream.runForEach(() => applyPending),
    Effect.forkScoped
  )
}))
