/**
 * Puts new content in the place of a file, whole or not at all.
 *
 * Owns: the temporary file beside the target (`.steno-call_….tmp`), its removal once its call is gone, the mode and owner that the
 * file keeps, what is flushed when.
 * Never owns: whether the content may be replaced (file-target).
 * Ordering: content durable → the target is still what it was → the name changes → the folder is durable. From the last look on
 * nothing interrupts; an interruption or fault before leaves the target as it was and no temporary file. What comes before can be
 * interrupted also where the caller cannot.
 * Limits: a process that changes the file between the last look and the change of the name is not noticed. A file with several
 * names keeps its old content under the others. Killed, the temporary file stays until its call is recovered.
 */
import type { CallId } from "@steno/contracts"
import { Effect, Exit } from "effect"
import type { BigIntStats } from "node:fs"
import { type FileHandle, link, mkdir, open, realpath, rename, unlink } from "node:fs/promises"
import { dirname, join } from "node:path"
import { attempt, entryAt, isErrno, statOf } from "./file-system.ts"
import { ChangedMeanwhile, faultOf, type ToolFault } from "./tool-faults.ts"

/** Largest single write, so that an interruption is heard. */
const stepBytes = 1024 * 1024

const permissionBits = 0o7777

/** Whether nobody has touched it between two looks. */
export const isSameState = (one: BigIntStats, other: BigIntStats): boolean =>
  one.dev === other.dev && one.ino === other.ino && one.size === other.size
  && one.mtimeNs === other.mtimeNs && one.ctimeNs === other.ctimeNs

const writeAll = Effect.fnUntraced(function*(handle: FileHandle, path: string, content: Uint8Array) {
  for (let at = 0; at < content.length;) {
    const from = at
    const { bytesWritten } = yield* attempt("write it", path, () => handle.write(content, from, Math.min(stepBytes, content.length - from)))
    at += bytesWritten
  }
})

/** Owner and mode of the file that is replaced; whether the owner could be kept. */
const takeOver = Effect.fnUntraced(function*(handle: FileHandle, path: string, before: BigIntStats) {
  const made = yield* statOf(handle, path)
  const isOwner = made.uid === before.uid && made.gid === before.gid
  const keeps = isOwner || (yield* attempt("keep its owner", path, () => handle.chown(Number(before.uid), Number(before.gid))).pipe(
    Effect.as(true),
    Effect.orElseSucceed(() => false)
  ))
  yield* attempt("keep its mode", path, () => handle.chmod(Number(before.mode) & permissionBits))
  return keeps
})

/** Whether the owner could be kept. */
const fill = Effect.fnUntraced(function*(handle: FileHandle, path: string, content: Uint8Array, before: BigIntStats | undefined) {
  yield* writeAll(handle, path, content)
  const keepsOwner = before === undefined || (yield* takeOver(handle, path, before))
  yield* attempt("flush it", path, () => handle.sync())
  return keepsOwner
})

const isUnchanged = Effect.fnUntraced(function*(real: string, before: BigIntStats | undefined) {
  const now = yield* entryAt(real)
  const folder = dirname(real)
  const leadsTo = yield* attempt("look at its folder", real, () => realpath(folder))
  return leadsTo === folder && (before === undefined ? now === undefined : now !== undefined && isSameState(before, now))
})

const withoutLinks = ["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"] as const

/** Never over something that appeared meanwhile, where the file system can tell. */
const putNew = (temporary: string, real: string) =>
  attempt("create it", real, () => link(temporary, real)).pipe(
    Effect.andThen(Effect.ignore(attempt("clean up beside it", real, () => unlink(temporary)))),
    Effect.catch((fault) =>
      isErrno(fault, "EEXIST")
        ? Effect.fail(faultOf(new ChangedMeanwhile({ path: real, how: "appeared" })))
        : isErrno(fault, ...withoutLinks)
        ? attempt("create it", real, () => rename(temporary, real))
        : Effect.fail(fault)
    )
  )

const flushFolder = (folder: string) =>
  Effect.ignore(Effect.acquireUseRelease(
    attempt("open its folder", folder, () => open(folder, "r")),
    (handle) => attempt("flush its folder", folder, () => handle.sync()),
    (handle) => Effect.ignore(attempt("close its folder", folder, () => handle.close()))
  ))

/** A call writes one file, once; its id makes the name its own. */
const temporaryBeside = (real: string, callId: CallId): string => join(dirname(real), `.steno-${callId}.tmp`)

/** Removes what a call that is gone left beside the file it wrote. Nothing of the file itself. */
export const removeTemporary = (real: string, callId: CallId): Effect.Effect<void> => {
  const temporary = temporaryBeside(real, callId)
  return Effect.ignore(attempt("clean up beside it", real, () => unlink(temporary)))
}

export interface WrittenFile {
  /** What the file could not keep. */
  readonly warnings: ReadonlyArray<string>
}

const place = Effect.fnUntraced(function*<R>(
  temporary: string,
  real: string,
  before: BigIntStats | undefined,
  placed: Effect.Effect<void, never, R>
): Effect.fn.Return<void, ToolFault, R> {
  if (!(yield* isUnchanged(real, before))) return yield* faultOf(new ChangedMeanwhile({ path: real, how: "during" }))
  yield* before === undefined ? putNew(temporary, real) : attempt("replace it", real, () => rename(temporary, real))
  yield* placed
  yield* flushFolder(dirname(real))
}, Effect.uninterruptible)

/**
 * `before`: what stands there, as it was when its content was judged; absent: nothing. `placed` runs as soon as the new content
 * stands there, also when interrupted. Missing folders are made and stay.
 * Fails with `ChangedMeanwhile` or `FileSystemFault`; the target is then as it was.
 */
export const writeAtomically = Effect.fnUntraced(function*<R>(
  real: string,
  content: Uint8Array,
  before: BigIntStats | undefined,
  placed: Effect.Effect<void, never, R>,
  callId: CallId
): Effect.fn.Return<WrittenFile, ToolFault, R> {
  const folder = dirname(real)
  yield* attempt("make its folder", real, () => mkdir(folder, { recursive: true }))
  const temporary = temporaryBeside(real, callId)
  return yield* Effect.acquireUseRelease(
    attempt("write beside it", real, () => open(temporary, "wx", 0o666)),
    Effect.fnUntraced(function*(handle) {
      const keepsOwner = yield* Effect.interruptible(fill(handle, real, content, before))
      yield* place(temporary, real, before, placed)
      return {
        warnings: [
          ...(keepsOwner ? [] : ["The file belongs to this user now; its owner could not be kept."]),
          ...(before !== undefined && before.nlink > 1n ? ["The file has further names (hard links); they keep the old content."] : [])
        ]
      }
    }),
    (handle, exit) =>
      Effect.andThen(
        Effect.ignore(attempt("close it", real, () => handle.close())),
        Exit.isSuccess(exit) ? Effect.void : Effect.ignore(attempt("clean up beside it", real, () => unlink(temporary)))
      )
  )
})
