/**
 * Runs a `TreeReaper` to its end: lists and removes through the thread pool, gives the event loop its turns.
 *
 * Owns: that nothing it opened stays open, also when it is interrupted.
 */
import { Effect } from "effect"
import { readdir, rmdir, unlink } from "node:fs"
import type { AssetStoreReason } from "./asset-store-errors.ts"
import type { Folder, ManagedFolders } from "./managed-folder.ts"
import { attempt, isFault, type SystemCalls } from "./system-calls.ts"
import { noAmount, type TreeAmount } from "./tree-amount.ts"
import { type ReapOptions, type Removal, TreeReaper } from "./tree-reaper.ts"

export interface Reaped {
  readonly amount: TreeAmount
  /** What could not be looked at or removed; all else was. */
  readonly faults: ReadonlyArray<AssetStoreReason>
}

const nothing: Reaped = { amount: noAmount, faults: [] }

export const makeReap = (calls: SystemCalls, folders: ManagedFolders) => {
  const list = (folder: Folder) =>
    Effect.flatMap(attempt(() => folders.at(folder, ".")), (target) =>
      calls.queued<ReadonlyArray<Buffer>>("list", folder.path, (answer) =>
        readdir(target, { encoding: "buffer" }, (cause, names) => answer(cause, names ?? []))))

  const remove = ({ operation, path, target }: Removal) =>
    calls.queued<void>(operation, path, (answer) =>
      (operation === "unlink" ? unlink : rmdir)(target, (cause) => answer(cause, undefined)))

  const open = Effect.fnUntraced(function*(options: ReapOptions) {
    const start = yield* folders.openPath(options.start, { create: false })
    return yield* Effect.acquireRelease(
      attempt(() => new TreeReaper(calls, folders, options, start)),
      (reaper) => Effect.sync(() => folders.close(reaper.current))
    )
  })

  /** Fails when it could not begin, or could not even come back to where it began. */
  const run = Effect.fnUntraced(function*(options: ReapOptions) {
    const reaper = yield* Effect.catch(open(options), (reason) =>
      isFault(reason, "ENOENT") ? Effect.succeed(undefined) : Effect.fail(reason))
    if (reaper === undefined) return nothing
    if (options.only === undefined) reaper.listed(yield* list(reaper.current))
    else reaper.listed([Buffer.from(options.only)])
    const keep = (fault: AssetStoreReason) => {
      if (!isFault(fault, "ENOENT")) reaper.keep(fault)
    }
    while (true) {
      const next = yield* attempt(() => reaper.advance())
      if (next === "done") break
      if (next === "pause") yield* Effect.yieldNow
      else if (next === "list") {
        yield* Effect.match(list(reaper.current), { onSuccess: (names) => reaper.listed(names), onFailure: keep })
      } else yield* Effect.match(remove(next), { onSuccess: () => reaper.removed(next), onFailure: keep })
    }
    return { amount: reaper.amount, faults: reaper.faults } satisfies Reaped
  }, Effect.scoped)

  return run
}
