/** A store on a folder that goes with its scope, and the points where a test may step into the file system. */
import { Effect, Layer } from "effect"
import { mkdtempSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { AssetStore } from "./asset-store.ts"
import { Failpoint } from "./system-calls.ts"

export { Failpoint }
export type { StorageOperation } from "./system-calls.ts"

const big = (bytes: number, value: number): Buffer => {
  const buffer = Buffer.alloc(bytes)
  buffer.writeUIntBE(value, 0, bytes)
  return buffer
}
const little = (bytes: number, value: number): Buffer => big(bytes, value).reverse()

/** The beginning of a png that says this size. */
export const pngBytes = (width: number, height: number): Uint8Array =>
  Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "latin1"), big(4, width), big(4, height), Buffer.from([8, 6, 0, 0, 0, 0, 0, 0, 0])])

export const gifBytes = (width: number, height: number): Uint8Array =>
  Buffer.concat([Buffer.from("GIF89a"), little(2, width), little(2, height), Buffer.alloc(3)])

/** One JFIF segment, then the frame that says the size. */
export const jpegBytes = (width: number, height: number): Uint8Array =>
  Buffer.concat([
    Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0x00, 0x10]),
    Buffer.from("JFIF\0"),
    Buffer.alloc(9),
    Buffer.from([0xff, 0xc0, 0x00, 0x11, 0x08]),
    big(2, height),
    big(2, width),
    Buffer.alloc(12)
  ])

export const webpBytes = (width: number, height: number): Uint8Array =>
  Buffer.concat([
    Buffer.from("RIFF"),
    little(4, 30),
    Buffer.from("WEBPVP8X"),
    little(4, 10),
    Buffer.alloc(4),
    little(3, width - 1),
    little(3, height - 1),
    Buffer.alloc(8)
  ])

/** Ends with its scope. */
export const temporaryHome = Effect.acquireRelease(
  Effect.sync(() => realpathSync(mkdtempSync(join(tmpdir(), "steno-assets-")))),
  (home) => Effect.sync(() => rmSync(home, { recursive: true, force: true }))
)

/** A store on the `data` of a home of its own. */
export const temporaryAssetStoreLayer: Layer.Layer<AssetStore> = Layer.unwrap(
  Effect.map(temporaryHome, (home) => AssetStore.layer({ dataRoot: join(home, "data") }))
)
