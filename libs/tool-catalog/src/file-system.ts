/**
 * The file system as effects whose failures name operation, path and errno.
 *
 * Limits: one operation each; opening never waits for a pipe and never follows a link in the last name.
 */
import { Effect, Predicate } from "effect"
import type { BigIntStats } from "node:fs"
import { constants } from "node:fs"
import { type FileHandle, lstat, open, readlink } from "node:fs/promises"
import { faultOf, FileSystemFault, type ToolFault } from "./tool-faults.ts"

export const errnoOf = (error: unknown): string =>
  Predicate.hasProperty(error, "code") && typeof error.code === "string" ? error.code : "unknown"

export const attempt = <A>(operation: string, path: string, run: () => Promise<A>): Effect.Effect<A, ToolFault> =>
  Effect.tryPromise({ try: run, catch: (error) => faultOf(new FileSystemFault({ operation, path, errno: errnoOf(error) })) })

export const isErrno = (fault: ToolFault, ...errnos: ReadonlyArray<string>): boolean =>
  fault.reason._tag === "FileSystemFault" && errnos.includes(fault.reason.errno)

/** What stands under a name, links not followed; undefined: nothing. */
export const entryAt = (path: string): Effect.Effect<BigIntStats | undefined, ToolFault> =>
  attempt("look at it", path, () => lstat(path, { bigint: true })).pipe(
    Effect.catch((fault) => isErrno(fault, "ENOENT") ? Effect.succeed(undefined) : Effect.fail(fault))
  )

export const linkTarget = (path: string) => attempt("follow the link", path, () => readlink(path))

export const statOf = (handle: FileHandle, path: string) => attempt("look at it", path, () => handle.stat({ bigint: true }))

const closed = (handle: FileHandle) => Effect.ignore(attempt("close it", "", () => handle.close()))

/** Open while `use` runs. */
export const withOpenFile = <A, E, R>(
  path: string,
  use: (handle: FileHandle) => Effect.Effect<A, E, R>
): Effect.Effect<A, E | ToolFault, R> =>
  Effect.acquireUseRelease(
    attempt("open it", path, () => open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)),
    use,
    closed
  )

/** Largest single read. */
const blockBytes = 256 * 1024

/** Hands over the file from its start, block by block; a block is only valid during `take`. */
export const forEachBlock = (handle: FileHandle, path: string, take: (block: Uint8Array) => void): Effect.Effect<void, ToolFault> =>
  Effect.gen(function*() {
    const block = new Uint8Array(blockBytes)
    let position = 0
    while (true) {
      const { bytesRead } = yield* attempt("read it", path, () => handle.read(block, 0, blockBytes, position))
      if (bytesRead === 0) return
      position += bytesRead
      take(block.subarray(0, bytesRead))
    }
  })
