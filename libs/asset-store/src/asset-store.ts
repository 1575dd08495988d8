/**
 * Managed files: written once under their owner's folder, read only after they were verified, swept when nobody owns them.
 *
 * Owns: every path below the data root, digests of the files it writes, sizes of Sessions, removal of files.
 * Never owns: capture files while they grow (process-capture), the rows of files (ledger), how an image is shown.
 * Ordering: the file is durable first; then the ledger writes its row. A file without a row is an orphan.
 */
import type { Asset } from "@steno/contracts"
import { Context, type Effect, Layer, type Scope, type Stream } from "effect"
import { makeAssetStore } from "./asset-store-layer.ts"
import type { AssetOwner } from "./asset-path.ts"
import type { ImageFacts } from "./image.ts"
import type { AssetStoreError, AssetStoreReason } from "./asset-store-errors.ts"
import type { SpaceAnswer } from "./storage-space.ts"
import type { Known } from "./sweep.ts"
import type { TreeAmount } from "./tree-amount.ts"
import type { AssetReader, RecordedFile } from "./verified-file.ts"

export interface AssetToWrite<E = never, R = never> {
  readonly owner: AssetOwner
  /** Relative to the owner's folder, with `/`; at most 1,024 bytes, each part at most 255. */
  readonly name: string
  readonly category: Asset["category"]
  readonly content: Uint8Array | Stream.Stream<Uint8Array, E, R>
  /** Kept as given. */
  readonly mediaType?: string
  /** What the owner has already: content equal to one of these is not stored again, that one is answered. */
  readonly alreadyStored?: ReadonlyArray<StoredAsset>
}

export interface ImageToWrite {
  readonly owner: AssetOwner
  readonly bytes: Uint8Array
}

/** What a row says about a written file. */
export interface StoredAsset extends RecordedFile {
  readonly category: Asset["category"]
  readonly mediaType?: string
}

/** `images/<digest>.<extension>` of its owner; its media type is that of its bytes. */
export interface StoredImage extends StoredAsset, Omit<ImageFacts, "extension"> {
  readonly category: "image"
  readonly mediaType: ImageFacts["mediaType"]
}

export interface SweepOptions {
  readonly known: Known
  /** Default 3,600,000; only what nothing changed for this long goes. */
  readonly olderThanMs?: number
  /** Entries between two turns of the event loop, from 1, default 256. */
  readonly limitPerTick?: number
  /** Removes nothing and answers what a sweep would. */
  readonly dryRun?: boolean
}

export interface Swept extends TreeAmount {
  /** What could not be looked at or removed, at most 20 of each folder; the rest of the sweep was done. */
  readonly faults: ReadonlyArray<AssetStoreReason>
}

export interface SpaceRequest {
  readonly conversationId: string
  /** What the Session's managed files take by now; the caller knows it from their rows. */
  readonly usedBytes: number
  /** Default 4 GiB. */
  readonly sessionQuotaBytes?: number
  /** Default 256 MiB. */
  readonly minFreeBytes?: number
}

export class AssetStore extends Context.Service<AssetStore, {
  /**
   * Makes an owner's folder, for files that somebody else fills (captures), and resolves with its absolute path: real folders
   * (0700) all the way. Idempotent. Whoever fills it makes it durable. Fails as `write` does.
   */
  readonly makeFolder: (owner: AssetOwner) => Effect.Effect<string, AssetStoreError>
  /**
   * Resolves when the file is durable under its name (0600, folders 0700). Fails with `AlreadyExists` when the name is
   * taken, `InvalidName`, `SymlinkOnTheWay`, `NotRegular`, `OpenToOthers`, `StorageFull`, `StorageFailed`, or as the
   * content does: nothing is left under the name then, and no temporary file.
   */
  readonly write: <E = never, R = never>(asset: AssetToWrite<E, R>) => Effect.Effect<StoredAsset, AssetStoreError | E, R>
  /**
   * Resolves when the image is durable; equal bytes of one owner are one file. Fails with `NotAnImage` or `ImageTooLarge`,
   * whatever was declared of the bytes, or as `write` does; with `DigestMismatch` when its file was there and damaged.
   */
  readonly writeImage: (image: ImageToWrite) => Effect.Effect<StoredImage, AssetStoreError>
  /**
   * Resolves when owner, kind, length and digest were checked; the reader is usable until the scope closes. Fails with
   * `ForeignOwner`, `NotFound`, `DigestMismatch`, `NotRegular`, `SymlinkOnTheWay`, `InvalidName`, `StorageFailed`.
   */
  readonly open: (asset: RecordedFile, owner: AssetOwner) => Effect.Effect<AssetReader, AssetStoreError, Scope.Scope>
  /** Removes what is not `known` and old, links and special files as such. Idempotent; may be interrupted anywhere. */
  readonly sweep: (options: SweepOptions) => Effect.Effect<Swept, AssetStoreError>
  /** What a Session's folder holds: exactly what `remove` would answer. Zero when there is none. */
  readonly usage: (conversationId: string) => Effect.Effect<TreeAmount, AssetStoreError>
  /**
   * Removes a Session's folder. Resolves with what this call removed when nothing of it is left, also when there was
   * nothing. Fails with the first fault after all else was removed; a repetition goes on.
   */
  readonly remove: (conversationId: string) => Effect.Effect<TreeAmount, AssetStoreError>
  /** Whether a new call of a Session may start. Measures the free space alone. */
  readonly checkSpace: (request: SpaceRequest) => Effect.Effect<SpaceAnswer, AssetStoreError>
}>()("@steno/asset-store/AssetStore") {
  /** `dataRoot`: absolute, the home's `data`; made at the first write, in an existing home. Nothing is touched before. */
  static readonly layer = (options: { readonly dataRoot: string }): Layer.Layer<AssetStore> =>
    Layer.effect(AssetStore, makeAssetStore(options))
}
