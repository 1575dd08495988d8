/**
 * Removes a Run: tombstone, files, rows.
 *
 * Ordering: the tombstone hides the Run first; a crash in between is finished at the next open of a writable home.
 * Limits: what removed rows leave free in the database is given back by `giveBackSpace`, once per removal of any number of Runs.
 */
import { AssetStore } from "@steno/asset-store"
import { type Fence, type LedgerError, RetentionLedger, type Tombstone } from "@steno/ledger"
import type { PortProblem } from "@steno/projection-port"
import { Context, DateTime, Effect, Layer } from "effect"
import { toPortProblem } from "./problems.ts"

export class RunRemoval extends Context.Service<RunRemoval, {
  /** Needs ownership of a Run at rest; resolves when nothing of it is left. */
  readonly remove: (fence: Fence) => Effect.Effect<void, PortProblem>
  /** Makes the database shorter after removals. Never fails: a database that cannot be made shorter now is so next time. */
  readonly giveBackSpace: Effect.Effect<void>
  /** Finishes removals that a crash interrupted. */
  readonly finish: Effect.Effect<void, PortProblem>
}>()("@steno/application/RunRemoval") {
  static readonly layerNoDeps = Layer.effect(
    RunRemoval,
    Effect.gen(function*() {
      const ledger = yield* RetentionLedger
      const assets = yield* AssetStore

      const asProblem = (error: LedgerError) => toPortProblem(error, "partial")

      const clear = Effect.fnUntraced(function*(tombstone: Tombstone) {
        yield* Effect.forEach(tombstone.conversationIds, (id) =>
          assets.remove(id).pipe(Effect.mapError((error) => toPortProblem(error, "partial"))), { discard: true })
        yield* ledger.removeRun(tombstone.runId).pipe(Effect.mapError(asProblem))
      })

      const giveBackSpace = ledger.giveBackPages.pipe(
        Effect.catch((error) => Effect.logWarning(`Free pages of the database could not be given back: ${error.message}`))
      )

      return RunRemoval.of({
        giveBackSpace,
        remove: Effect.fn("RunRemoval.remove")(function*(fence: Fence) {
          const at = DateTime.formatIso(yield* DateTime.now)
          yield* clear(yield* ledger.buryRun(fence, at).pipe(Effect.mapError(asProblem)))
        }),
        finish: ledger.tombstones.pipe(
          Effect.mapError(asProblem),
          Effect.flatMap((left) =>
            left.length === 0 ? Effect.void : Effect.andThen(Effect.forEach(left, clear, { discard: true }), giveBackSpace)
          )
        )
      })
    })
  )
}
