/** Processes that write to one home while a third connection checkpoints its journal as often as it can. */
import Database from "better-sqlite3"
import { Effect, Fiber, Layer } from "effect"
import { ledgerLayer } from "../ledger-layer.ts"
import { type Contention, startRunsAtOnce } from "./contention.ts"

export interface CheckpointLoadEnd {
  readonly violations: ReadonlyArray<string>
  readonly whole: number
  /** Checkpoints that moved the whole journal and began it anew. */
  readonly checkpoints: number
}

const checkpointing = (file: string, counted: () => void) =>
  Effect.acquireUseRelease(
    Effect.sync(() => new Database(file, { timeout: 0 })),
    (connection) =>
      Effect.sync(() => {
        const [outcome] = connection.pragma("wal_checkpoint(RESTART)") as ReadonlyArray<{ readonly busy: number }>
        if (outcome?.busy === 0) counted()
      }).pipe(Effect.andThen(Effect.sleep(1)), Effect.forever),
    (connection) => Effect.sync(() => connection.close())
  )

/** @param load.file a new one; its folder exists */
export const writeUnderCheckpoints = Effect.fnUntraced(function*(load: Contention) {
  const { file } = load
  yield* Effect.scoped(Layer.build(ledgerLayer({ file, access: "write" })))
  let checkpoints = 0
  const fiber = yield* Effect.forkChild(checkpointing(file, () => checkpoints++))
  const { violations, whole } = yield* startRunsAtOnce(load)
  yield* Fiber.interrupt(fiber)
  const connection = new Database(file, { readonly: true })
  const found = connection.pragma("integrity_check", { simple: true })
  connection.close()
  const ofFile = found === "ok" ? [] : [`integrity_check: ${String(found)}`]
  return { violations: [...violations, ...ofFile], whole, checkpoints } satisfies CheckpointLoadEnd
})
