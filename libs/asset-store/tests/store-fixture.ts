/** A store on a temporary home with a failpoint that a test may set, and the names the tests use. */
import { Effect, Result } from "effect"
import { readdirSync } from "node:fs"
import { join } from "node:path"
import type { AssetOwner, AssetStoreError } from "../src/index.ts"
import { makeAssetStore } from "../src/asset-store-layer.ts"
import type { FolderAccess } from "../src/managed-folder.ts"
import { Failpoint, type StorageOperation, temporaryHome } from "../src/testing.ts"

export const conversationId = "conv_A"
export const call = { kind: "call", conversationId, callId: "call_1" } as const satisfies AssetOwner
export const callFolder = "data/conversations/conv_A/tool-calls/call_1"
export const session: AssetOwner = { kind: "session", conversationId }
export const launch: AssetOwner = { kind: "launch", launchId: "launch_1" }

/** The data folder's mode is 0700 when the store makes it; a test that makes it itself has to do the same. */
export const makeFixture = Effect.fnUntraced(function*(access?: FolderAccess) {
  const home = yield* temporaryHome
  const fixture = {
    home,
    dataRoot: join(home, "data"),
    outside: join(home, "outside"),
    /** Called before each operation. */
    step: undefined as ((operation: StorageOperation, path: string) => void) | undefined
  }
  const failpoint = (operation: StorageOperation, path: string) => fixture.step?.(operation, path)
  const store = yield* makeAssetStore({ dataRoot: fixture.dataRoot, ...(access === undefined ? {} : { access }) }).pipe(
    Effect.provideService(Failpoint, failpoint)
  )
  return Object.assign(fixture, { store })
})

/** The reason's tag of a refusal or failure; `ok` when there is none. */
export const tagOf = <A, R>(effect: Effect.Effect<A, AssetStoreError, R>): Effect.Effect<string, never, R> =>
  Effect.map(Effect.result(effect), (result) => Result.isSuccess(result) ? "ok" : result.failure.reason._tag)

/** Everything below a folder, sorted; folders end with `/`; links are not followed. */
export const treeOf = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory()
      ? [`${entry.name}/`, ...treeOf(join(folder, entry.name)).map((inside) => `${entry.name}/${inside}`)]
      : [entry.name]
  ).toSorted()

export const systemError = (code: string): Error => Object.assign(new Error(code), { code })
