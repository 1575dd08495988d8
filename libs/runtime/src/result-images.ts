/**
 * Images of results: stored once as files of their call, read again for a model.
 *
 * Owns: which images a call that has not settled yet has stored; its settlement takes them along as assets.
 * Ordering: the file is durable before its reference exists; its row is written with the call's response.
 */
import { AssetStore } from "@steno/asset-store"
import { type Asset, type CallId, IdMinter, type ImageReference } from "@steno/contracts"
import { RunLedger } from "@steno/ledger"
import { ImageNotKept, ResultImages } from "@steno/tool-catalog"
import { Context, Effect, Layer } from "effect"

export class KeptImages extends Context.Service<KeptImages, {
  readonly add: (asset: Asset) => void
  /** Those of a call, which are forgotten with this. */
  readonly take: (callId: CallId) => ReadonlyArray<Asset>
}>()("@steno/runtime/KeptImages") {
  static readonly layer = Layer.sync(KeptImages, () => {
    const kept = new Map<CallId, ReadonlyArray<Asset>>()
    return KeptImages.of({
      add: (asset) => kept.set(asset.callId, [...kept.get(asset.callId) ?? [], asset]),
      take: (callId) => {
        const assets = kept.get(callId) ?? []
        kept.delete(callId)
        return assets
      }
    })
  })
}

export const resultImagesLayer = Layer.effect(
  ResultImages,
  Effect.gen(function*() {
    const store = yield* AssetStore
    const images = yield* KeptImages
    const ids = yield* IdMinter
    return ResultImages.of({
      keep: Effect.fn("ResultImages.keep")(function*({ bytes, callId, conversationId }) {
        const { category, digest, mediaType, path, sizeBytes } = yield* store.writeImage({
          owner: { kind: "call", conversationId, callId },
          bytes
        })
        const assetId = yield* ids.mint("asset")
        images.add({ assetId, callId, category, path, digest, sizeBytes })
        return { assetId, mediaType, sizeBytes }
      }, Effect.mapError(({ message }) => new ImageNotKept({ explanation: message })))
    })
  })
)

/** The verified bytes of a stored image; undefined where they are gone, damaged or cannot be read. */
export const readStoredImage = Effect.fnUntraced(function*({ assetId }: ImageReference) {
  const owned = yield* (yield* RunLedger).ownedAsset(assetId)
  if (owned === undefined || owned.asset.category !== "image") return undefined
  const { asset, conversationId } = owned
  const reader = yield* (yield* AssetStore).open(asset, { kind: "call", conversationId, callId: asset.callId })
  const bytes = Buffer.alloc(asset.sizeBytes)
  const read = yield* reader.read(bytes, 0)
  return read === asset.sizeBytes ? new Uint8Array(bytes) : undefined
}, Effect.scoped, (reading, { assetId }) =>
  Effect.catch(reading, (error) => Effect.as(Effect.logWarning(`Image ${assetId} cannot be shown: ${error.message}`), undefined)))
