/**
 * Removes a Run: tombstone, files, rows.
 *
 * Ordering: the tombstone hides the Run first; a crash in between is finished at the next open of a writable home.
 */
import type { ConversationId } from "@steno/contracts"
import { type Fence, type LedgerError, RetentionLedger, type Tombstone } from "@steno/ledger"
import type { PortProblem } from "@steno/projection-port"
import { Context, DateTime, Effect, Layer } from "effect"
import { toPortProblem } from "./problems.ts"

/** Port: the files of a Session. */
export class SessionFiles extends Context.Service<SessionFiles, {
  /** Removes everything a Session's calls left; links are removed, not followed. Idempotent. */
  readonly remove: (conversationId: ConversationId) => Effect.Effect<void, PortProblem>
  /** Bytes that a Session's files take on disk. */
  readonly usage: (conversationId: ConversationId) => Effect.Effect<number, PortProblem>
}>()("@steno/application/SessionFiles") {}

export class RunRemoval extends Context.Service<RunRemoval, {
  /** Needs ownership of a Run at rest; resolves when nothing of it is left. */
  readonly remove: (fence: Fence) => Effect.Effect<void, PortProblem>
  /** Finishes removals that a crash interrupted. */
  readonly finish: Effect.Effect<void, PortProblem>
}>()("@steno/application/RunRemoval") {
  static readonly layerNoDeps = Layer.effect(
    RunRemoval,
    Effect.gen(function*() {
      const ledger = yield* RetentionLedger
      const files = yield* SessionFiles

      const asProblem = (error: LedgerError) => toPortProblem(error, "partial")

      const clear = Effect.fnUntraced(function*(tombstone: Tombstone) {
        yield* Effect.forEach(tombstone.conversationIds, (id) => files.remove(id), { discard: true })
        yield* ledger.removeRun(tombstone.runId).pipe(Effect.mapError(asProblem))
      })

      return RunRemoval.of({
        remove: Effect.fn("RunRemoval.remove")(function*(fence: Fence) {
          const at = DateTime.formatIso(yield* DateTime.now)
          yield* clear(yield* ledger.buryRun(fence, at).pipe(Effect.mapError(asProblem)))
        }),
        finish: ledger.tombstones.pipe(
          Effect.mapError(asProblem),
          Effect.flatMap(Effect.forEach(clear, { discard: true }))
        )
      })
    })
  )
}
