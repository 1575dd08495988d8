/**
 * The way every operation of this library takes to the file system; a fault names operation, path and the system's code.
 *
 * Owns: which faults mean a full file system, the points where a test may step in.
 * Limits: what takes microseconds (open, stat, unlink, link) is done at once, what may wait for the disk goes through
 * the thread pool. A queued operation is never abandoned: its descriptor may only be closed when it has answered.
 */
import { Context, Effect, Schema } from "effect"
import { AssetStoreReason, StorageFailed, StorageFull } from "./asset-store-errors.ts"

export type StorageOperation =
  | "open-folder"
  | "create-folder"
  | "list"
  | "create"
  | "write"
  | "fsync"
  | "link"
  | "rename"
  | "unlink"
  | "remove-folder"
  | "open"
  | "stat"
  | "read"
  | "free-space"

export type StorageFault = StorageFull | StorageFailed

/**
 * Called before each operation with its absolute path. What it throws counts as the system's answer when it has a
 * `code`. Read once, when the layer is built. Absent: nothing is called.
 */
export class Failpoint extends Context.Reference<((operation: StorageOperation, path: string) => void) | undefined>(
  "@steno/asset-store/Failpoint",
  { defaultValue: () => undefined }
) {}

const fullCodes = new Set(["ENOSPC", "EDQUOT"])

const faultOf = (operation: StorageOperation, path: string, cause: unknown): unknown => {
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined
  if (typeof code !== "string") return cause
  return fullCodes.has(code) ? new StorageFull({ operation, path, code }) : new StorageFailed({ operation, path, code })
}

const isStorageFault = (cause: unknown): cause is StorageFault =>
  cause instanceof StorageFailed || cause instanceof StorageFull

/** Whether a thrown value is what the system said with one of these codes. */
export const isFault = (cause: unknown, ...codes: ReadonlyArray<string>): boolean =>
  cause instanceof StorageFailed && codes.includes(cause.code)

export interface SystemCalls {
  /** Throws a `StorageFault`. */
  readonly atOnce: <A>(operation: StorageOperation, path: string, run: () => A) => A
  readonly queued: <A>(
    operation: StorageOperation,
    path: string,
    start: (answer: (cause: Error | null, value: A) => void) => void
  ) => Effect.Effect<A, StorageFault>
}

export const makeSystemCalls = (failpoint: typeof Failpoint.Service): SystemCalls => {
  const atOnce: SystemCalls["atOnce"] = (operation, path, run) => {
    try {
      failpoint?.(operation, path)
      return run()
    } catch (cause) {
      throw faultOf(operation, path, cause)
    }
  }
  const queued: SystemCalls["queued"] = <A>(
    operation: StorageOperation,
    path: string,
    start: (answer: (cause: Error | null, value: A) => void) => void
  ) =>
    Effect.callback<A, StorageFault>((resume) => {
      const settle = (cause: unknown) => {
        const fault = faultOf(operation, path, cause)
        resume(isStorageFault(fault) ? Effect.fail(fault) : Effect.die(fault))
      }
      try {
        failpoint?.(operation, path)
        start((cause, value) => cause === null ? resume(Effect.succeed(value)) : settle(cause))
      } catch (cause) {
        settle(cause)
      }
    }).pipe(Effect.uninterruptible)
  return { atOnce, queued }
}

export const isReason = Schema.is(AssetStoreReason)

/** Plain code that throws reasons, as an Effect; anything else it throws is a defect. */
export const attempt = <A>(run: () => A): Effect.Effect<A, AssetStoreReason> =>
  Effect.suspend(() => {
    try {
      return Effect.succeed(run())
    } catch (cause) {
      return isReason(cause) ? Effect.fail(cause) : Effect.die(cause)
    }
  })
