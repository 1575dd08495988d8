/**
 * Removes old Runs and files without rows.
 *
 * Owns: which Runs are old enough, what a dry run answers.
 * Never owns: how a Run is removed and space given back (run-removal), which files have rows (ledger), removing files (asset-store).
 * Limits: while a repair's copy of the database is kept, no file of a Session is without owner: its row may be in that copy alone. A dry run answers what the real one would remove at the same moment; live Runs are never touched.
 */
import { AssetStore } from "@steno/asset-store"
import { callFolder, type CallId, type ConversationId, type GcDocument } from "@steno/contracts"
import { RetentionLedger, RunLedger, type Tombstone } from "@steno/ledger"
import { ProcessHost } from "@steno/process-host"
import type { PortProblem } from "@steno/projection-port"
import { Clock, Context, DateTime, Effect, Layer, Result } from "effect"
import { HomeFolder } from "./home-folder.ts"
import { type CoreError, makeProblem, toPortProblem } from "./problems.ts"
import { Reconciliation } from "./reconciliation.ts"
import { RunRemoval } from "./run-removal.ts"

const dayMs = 86_400_000

/** Folder of a Session: with all in it kept, row or not, while a damaged copy of the database is. */
const sessionFolder = /^data\/conversations\/[^/]+$/

export interface GcOptions {
  /** Runs at rest for longer than this go; absent: what `retentionDays` says, or none. */
  readonly olderThanMs?: number
  readonly dryRun: boolean
}

export class Retention extends Context.Service<Retention, {
  /** Fails with `home-read-only` or a storage Problem; what was removed before stays removed. */
  readonly collect: (options: GcOptions) => Effect.Effect<GcDocument, PortProblem>
}>()("@steno/application/Retention") {
  static readonly layerNoDeps = Layer.effect(
    Retention,
    Effect.gen(function*() {
      const home = yield* HomeFolder
      const ledger = yield* RetentionLedger
      const runs = yield* RunLedger
      const assets = yield* AssetStore
      const host = yield* ProcessHost
      const removal = yield* RunRemoval
      const reconciliation = yield* Reconciliation

      const told = <A>(effect: Effect.Effect<A, CoreError>) => Effect.mapError(effect, (error) => toPortProblem(error, "partial"))

      const usageOf = Effect.fnUntraced(function*(conversationIds: ReadonlyArray<ConversationId>) {
        const amounts = yield* Effect.forEach(conversationIds, (id) => told(assets.usage(id)))
        return amounts.reduce((sum, amount) => sum + amount.allocatedBytes, 0)
      })

      /** Whether it was removed here; a Run that another process took meanwhile is left to that one. */
      const removeRun = Effect.fnUntraced(function*({ runId }: Tombstone) {
        const row = yield* told(runs.runRow(runId))
        if (row === undefined || row.owner !== undefined) return false
        const at = DateTime.formatIso(yield* DateTime.now)
        const taken = yield* Effect.result(runs.takeOver({ runId, epoch: row.epoch, owner: yield* host.self, at }))
        if (Result.isFailure(taken)) return taken.failure.reason._tag === "Fenced" ? false : yield* toPortProblem(taken.failure, "partial")
        yield* removal.remove(taken.success)
        return true
      })

      const collect = Effect.fn("Retention.collect")(function*(options: GcOptions) {
        if (home.access === "read") {
          return yield* makeProblem(
            "home-read-only",
            `The home can only be read: ${home.path}.`,
            "Make it writable for this user, or use another home with --home or STENO_HOME.",
            { details: { path: home.path } }
          )
        }
        yield* reconciliation.opened
        const nowMs = yield* Clock.currentTimeMillis
        const { retentionDays } = home.config
        const olderThanMs = options.olderThanMs ?? (retentionDays === undefined ? undefined : retentionDays * dayMs)
        const old = olderThanMs === undefined
          ? []
          : yield* told(ledger.runsRestingSince(DateTime.formatIso(DateTime.makeUnsafe(nowMs - olderThanMs))))
        const amounts = yield* Effect.forEach(old, (run) => Effect.map(usageOf(run.conversationIds), (bytes) => ({ run, bytes })))
        const oldRuns = new Set(old.map((run) => run.runId))
        const owners = (yield* told(ledger.fileOwners)).filter((owner) => !oldRuns.has(owner.runId))
        const owned = new Set([
          ...old.flatMap((run) => run.conversationIds).map((id) => `data/conversations/${id}`),
          ...owners.flatMap(({ callIds, conversationId }) => callIds.map((id) => callFolder(conversationId, id as CallId)))
        ])
        const isHeld = (yield* told(ledger.damagedCopies)).length > 0
        const known = (path: string) => owned.has(path) || (isHeld && sessionFolder.test(path))
        const swept = yield* told(assets.sweep({ known, dryRun: options.dryRun }))
        const removed = options.dryRun ? amounts : yield* Effect.filter(amounts, ({ run }) => removeRun(run))
        if (!options.dryRun) yield* removal.giveBackSpace
        return {
          family: "gc" as const,
          removed: { runs: removed.length, bytes: removed.reduce((sum, { bytes }) => sum + bytes, swept.allocatedBytes) },
          kept: {
            runs: new Set(owners.map((owner) => owner.runId)).size,
            bytes: yield* usageOf(owners.map((owner) => owner.conversationId))
          },
          dryRun: options.dryRun
        }
      })

      return Retention.of({ collect })
    })
  )
}
