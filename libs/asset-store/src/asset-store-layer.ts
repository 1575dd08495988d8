/** The implementation of `AssetStore` on one data root. */
import { Clock, Effect, Result } from "effect"
import { createHash } from "node:crypto"
import { statfs } from "node:fs"
import { dirname, join } from "node:path"
import { assetLimits, spaceDefaults } from "./asset-limits.ts"
import {
  type AssetOwner,
  checkOwnerId,
  conversationsFolder,
  launchesFolder,
  ownedPath,
  ownerParts,
  placeOf,
  relativePath
} from "./asset-path.ts"
import type { AssetStore, AssetToWrite, ImageToWrite, SpaceRequest, StoredAsset, StoredImage, SweepOptions, Swept } from "./asset-store.ts"
import { AssetStoreError, type AssetStoreReason } from "./asset-store-errors.ts"
import { always, makeFileWrite, type WrittenFile } from "./file-write.ts"
import { recogniseImage } from "./image.ts"
import { type FolderAccess, makeManagedFolders } from "./managed-folder.ts"
import { makeReap } from "./reaped-tree.ts"
import { judgeSpace } from "./storage-space.ts"
import { judgeOrphans } from "./sweep.ts"
import { Failpoint, isFault, makeSystemCalls, type StorageFault } from "./system-calls.ts"
import { sumOf } from "./tree-amount.ts"
import { makeVerifiedFiles, type RecordedFile } from "./verified-file.ts"

export interface AssetStoreOptions {
  readonly dataRoot: string
  /** Absent: what the system has. */
  readonly access?: FolderAccess
}

const asError = (reason: AssetStoreReason) => new AssetStoreError({ reason })

export const makeAssetStore = Effect.fnUntraced(function*({ access, dataRoot }: AssetStoreOptions) {
  const calls = makeSystemCalls(yield* Failpoint)
  const folders = makeManagedFolders({ calls, dataRoot, access })
  const writeFile = makeFileWrite(calls, folders)
  const openVerified = makeVerifiedFiles(calls, folders)
  const reap = makeReap(calls, folders)

  const makeFolder = Effect.fn("AssetStore.makeFolder")(function*(owner: AssetOwner) {
    const parts = yield* Effect.fromResult(ownerParts(owner))
    return (yield* folders.openPath(parts, { create: true, durable: false })).path
  }, Effect.scoped, Effect.mapError(asError))

  /** One of what the owner has already that has these bytes, also on the disk. */
  const soundEqual = Effect.fnUntraced(function*(
    { alreadyStored = [], owner }: Pick<AssetToWrite, "alreadyStored" | "owner">,
    { digest, sizeBytes }: WrittenFile
  ) {
    for (const stored of alreadyStored) {
      const place = ownedPath(stored.path, owner)
      if (stored.digest !== digest || stored.sizeBytes !== sizeBytes || Result.isFailure(place)) continue
      if (Result.isSuccess(yield* Effect.result(Effect.scoped(openVerified(place.success, stored))))) return stored
    }
    return undefined
  })

  const write = Effect.fn("AssetStore.write")(function*<E, R>(asset: AssetToWrite<E, R>) {
    const place = yield* Effect.mapError(Effect.fromResult(placeOf(asset.owner, asset.name)), asError)
    let equal: StoredAsset | undefined
    const written = yield* writeFile(place, asset.content, Effect.fnUntraced(function*(written) {
      equal = yield* soundEqual(asset, written)
      return equal === undefined
    }))
    if (equal !== undefined) return equal
    const stored: StoredAsset = { path: place.path, category: asset.category, ...written }
    return asset.mediaType === undefined ? stored : { ...stored, mediaType: asset.mediaType }
  })

  const writeImage = Effect.fn("AssetStore.writeImage")(function*({ bytes, owner }: ImageToWrite) {
    const { extension, ...facts } = yield* Effect.mapError(Effect.fromResult(recogniseImage(bytes)), asError)
    const hex = createHash("sha256").update(bytes).digest("hex")
    const place = yield* Effect.mapError(Effect.fromResult(placeOf(owner, `images/${hex}.${extension}`)), asError)
    const recorded: RecordedFile = { path: place.path, digest: `sha256:${hex}`, sizeBytes: bytes.length }
    yield* writeFile<never, never>(place, bytes, always).pipe(
      Effect.catchIf((error) => error.reason._tag === "AlreadyExists", () =>
        Effect.mapError(Effect.scoped(openVerified(place, recorded)), asError))
    )
    return { ...recorded, ...facts, category: "image" } satisfies StoredImage
  })

  const open = Effect.fn("AssetStore.open")(function*(asset: RecordedFile, owner: AssetOwner) {
    const place = yield* Effect.fromResult(ownedPath(asset.path, owner))
    return yield* openVerified(place, asset)
  }, Effect.mapError(asError))

  const sweep = Effect.fn("AssetStore.sweep")(function*(options: SweepOptions) {
    const nowMs = yield* Clock.currentTimeMillis
    const reapAll = (start: string) =>
      reap({
        start: [start],
        judge: judgeOrphans({
          start: relativePath([start]),
          known: options.known,
          nowMs,
          olderThanMs: options.olderThanMs ?? assetLimits.orphanAgeMs
        }),
        dryRun: options.dryRun ?? false,
        entriesPerTick: Math.max(1, options.limitPerTick ?? assetLimits.entriesPerTick)
      })
    const conversations = yield* reapAll(conversationsFolder)
    const launches = yield* reapAll(launchesFolder)
    const faults = [...conversations.faults, ...launches.faults].filter((fault) => !isFault(fault, "ENOTEMPTY", "EEXIST"))
    return { ...sumOf(conversations.amount, launches.amount), faults } satisfies Swept
  }, Effect.mapError(asError))

  const reapSession = Effect.fnUntraced(function*(conversationId: string, dryRun: boolean) {
    const only = yield* Effect.fromResult(checkOwnerId(conversationId))
    const { amount, faults: [fault] } = yield* reap({
      start: [conversationsFolder],
      only,
      judge: () => "remove",
      dryRun,
      entriesPerTick: assetLimits.entriesPerTick
    })
    return fault === undefined ? amount : yield* Effect.fail(fault)
  })

  const usage = Effect.fn("AssetStore.usage")(function*(conversationId: string) {
    return yield* reapSession(conversationId, true)
  }, Effect.mapError(asError))

  const remove = Effect.fn("AssetStore.remove")(function*(conversationId: string) {
    return yield* reapSession(conversationId, false)
  }, Effect.mapError(asError))

  const freeBytesAt = (path: string): Effect.Effect<number, StorageFault> =>
    calls.queued<number>("free-space", path, (answer) =>
      statfs(path, (cause, space) => answer(cause, cause === null ? space.bavail * space.bsize : 0)))

  /** A data root that was not made yet lies on the file system of its home. */
  const freeBytes = Effect.catch(freeBytesAt(dataRoot), (fault) =>
    isFault(fault, "ENOENT") ? freeBytesAt(dirname(dataRoot)) : Effect.fail(fault))

  const checkSpace = Effect.fn("AssetStore.checkSpace")(function*(request: SpaceRequest) {
    return judgeSpace({ freeBytes: yield* freeBytes, usedBytes: request.usedBytes }, {
      path: dataRoot,
      limitBytes: request.minFreeBytes ?? spaceDefaults.minFreeBytes
    }, {
      path: join(dataRoot, conversationsFolder, request.conversationId),
      limitBytes: request.sessionQuotaBytes ?? spaceDefaults.sessionQuotaBytes
    })
  }, Effect.mapError(asError))

  const store: typeof AssetStore.Service = { makeFolder, write, writeImage, open, sweep, usage, remove, checkSpace }
  return store
})
