/** A process of its own that uses a store, for tests that kill it, take its disk away or run it as another user. */
import { Cause, Effect, Exit, Layer, Stream } from "effect"
import { writeSync } from "node:fs"
import { pathToFileURL } from "node:url"
import { AssetStore } from "../src/index.ts"
import { Failpoint, type StorageOperation } from "../src/testing.ts"
import { call, conversationId } from "./store-fixture.ts"

export type StoreTask = { readonly dataRoot: string } & (
  | { readonly do: "write"; readonly sizeBytes: number }
  | { readonly do: "remove" }
) & {
  /** Says `reached` and stays before this operation, the given time it comes; counted from 1. */
  readonly stopAt?: { readonly operation: StorageOperation; readonly count: number }
}

const stopping = (stopAt: NonNullable<StoreTask["stopAt"]>) => {
  let seen = 0
  return (operation: StorageOperation) => {
    if (operation !== stopAt.operation || ++seen < stopAt.count) return
    writeSync(1, "reached\n")
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
  }
}

const steps = (sizeBytes: number) =>
  Stream.fromIterable(Array.from({ length: Math.ceil(sizeBytes / 65_536) }, (_, index) =>
    new Uint8Array(Math.min(65_536, sizeBytes - index * 65_536)).fill(index)))

const run = (task: StoreTask) =>
  Effect.gen(function*() {
    const store = yield* AssetStore
    return task.do === "remove"
      ? yield* store.remove(conversationId)
      : yield* store.write({ owner: call, name: "result.json", category: "payload", content: steps(task.sizeBytes) })
  }).pipe(
    Effect.provide(AssetStore.layer({ dataRoot: task.dataRoot }).pipe(
      Layer.provide(Layer.succeed(Failpoint, task.stopAt === undefined ? undefined : stopping(task.stopAt)))
    ))
  )

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const exit = await Effect.runPromiseExit(run(JSON.parse(process.argv[2] ?? "") as StoreTask))
  const said = Exit.isSuccess(exit) ? { ok: exit.value } : { failure: Cause.squash(exit.cause) }
  writeSync(1, `${JSON.stringify(said)}\n`)
}
