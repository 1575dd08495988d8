import { assert, describe, it } from "@effect/vitest"
import { AssetStore } from "@steno/asset-store"
import { gifBytes, pngBytes } from "@steno/asset-store/testing"
import { CallId, ConversationId } from "@steno/contracts"
import { ResultImages } from "@steno/tool-catalog"
import { Effect, Layer } from "effect"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { KeptImages, resultImagesLayer } from "./result-images.ts"
import { temporaryFolder } from "./testing.ts"

const callId = CallId.make("call_01JAVW4QKD7QZB2N5T8M3X9C1S")
const other = CallId.make("call_01JAVW4QKD7QZB2N5T8M3X9C1T")
const conversationId = ConversationId.make("conv_01JAVW4QKD7QZB2N5T8M3X9C1R")

describe("images of results", () => {
  it.live("are files of their call, whose settlement takes them along once", () =>
    Effect.scoped(Effect.gen(function*() {
      const home = yield* temporaryFolder
      const layer = resultImagesLayer.pipe(
        Layer.provideMerge(Layer.mergeAll(KeptImages.layer, AssetStore.layer({ dataRoot: join(home, "data") })))
      )
      yield* Effect.gen(function*() {
        const images = yield* ResultImages
        const kept = yield* KeptImages
        const png = pngBytes(3, 4)
        const reference = yield* images.keep({ conversationId, callId, bytes: png })
        yield* images.keep({ conversationId, callId: other, bytes: gifBytes(3, 4) })
        const assets = kept.take(callId)
        assert.deepStrictEqual(assets.map(({ category, sizeBytes }) => [category, sizeBytes]), [["image", png.length]])
        assert.deepStrictEqual(kept.take(callId), [])
        for (const { assetId, path } of assets) {
          assert.deepStrictEqual(reference, { assetId, mediaType: "image/png", sizeBytes: png.length })
          assert.deepStrictEqual(new Uint8Array(readFileSync(join(home, path))), new Uint8Array(png))
        }
        assert.strictEqual(kept.take(other).length, 1)
        const refused = yield* Effect.flip(images.keep({ conversationId, callId, bytes: Buffer.from("<svg/>") }))
        assert.include(refused.message, "png")
        assert.deepStrictEqual(kept.take(callId), [])
      }).pipe(Effect.provide(layer))
    })))
})
