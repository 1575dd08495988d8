/**
 * Reading and writing whole steps of an open file through the thread pool.
 *
 * Limits: a step is at most `assetLimits.stepBytes`; a read is short only at the end of the file.
 */
import type { Effect } from "effect"
import { fsync, read, write } from "node:fs"
import type { StorageFault, SystemCalls } from "./system-calls.ts"

export interface OpenFile {
  readonly fd: number
  /** Absolute, for messages. */
  readonly path: string
}

/** Fills `buffer` from `position`; resolves with the bytes that were there. */
export const readAt = (
  calls: SystemCalls,
  file: OpenFile,
  buffer: Uint8Array,
  position: number
): Effect.Effect<number, StorageFault> =>
  calls.queued<number>("read", file.path, (answer) => {
    const from = (done: number): void =>
      read(file.fd, buffer, done, buffer.length - done, position + done, (cause, count) => {
        if (cause !== null) answer(cause, 0)
        else if (count === 0 || done + count === buffer.length) answer(null, done + count)
        else from(done + count)
      })
    from(0)
  })

/** Writes all of `bytes` at the end of what was written. */
export const writeOn = (calls: SystemCalls, file: OpenFile, bytes: Uint8Array): Effect.Effect<void, StorageFault> =>
  calls.queued<void>("write", file.path, (answer) => {
    const from = (done: number): void =>
      write(file.fd, bytes, done, bytes.length - done, null, (cause, count) => {
        if (cause !== null) answer(cause, undefined)
        else if (done + count === bytes.length) answer(null, undefined)
        else from(done + count)
      })
    from(0)
  })

export const syncFile = (calls: SystemCalls, file: OpenFile): Effect.Effect<void, StorageFault> =>
  calls.queued<void>("fsync", file.path, (answer) => fsync(file.fd, (cause) => answer(cause, undefined)))
