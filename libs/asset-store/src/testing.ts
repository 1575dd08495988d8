/** A store on a folder that goes with its scope, and the points where a test may step into the file system. */
import { Effect, Layer } from "effect"
import { mkdtempSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { AssetStore } from "./asset-store.ts"
import { Failpoint } from "./system-calls.ts"

export { Failpoint }
export type { StorageOperation } from "./system-calls.ts"

/** Ends with its scope. */
export const temporaryHome = Effect.acquireRelease(
  Effect.sync(() => realpathSync(mkdtempSync(join(tmpdir(), "steno-assets-")))),
  (home) => Effect.sync(() => rmSync(home, { recursive: true, force: true }))
)

/** A store on the `data` of a home of its own. */
export const temporaryAssetStoreLayer: Layer.Layer<AssetStore> = Layer.unwrap(
  Effect.map(temporaryHome, (home) => AssetStore.layer({ dataRoot: join(home, "data") }))
)
