/**
 * Positioned file operations as Effects; each failure names operation, path and the system's code.
 *
 * Limits: what takes microseconds (open, close, stat, unlink, small reads) is done at once, because a way through the
 * thread pool and back costs more and a call's end waits for several; what may wait for the disk goes through the pool.
 */
import { Effect } from "effect"
import { Buffer } from "node:buffer"
import {
  closeSync,
  constants,
  fstatSync,
  fsync,
  ftruncate,
  open,
  openSync,
  read,
  readdir,
  readSync,
  rename,
  type Stats,
  unlinkSync,
  write
} from "node:fs"
import { dirname } from "node:path"
import { codeOf, type StorageFault } from "./storage-fault.ts"

type Answer<A> = (cause: NodeJS.ErrnoException | null, value: A) => void

const operation = <A>(name: string, path: string, run: (answer: Answer<A>) => void): Effect.Effect<A, StorageFault> =>
  Effect.callback<A, StorageFault>((resume) =>
    run((cause, value) =>
      resume(cause === null ? Effect.succeed(value) : Effect.fail({ operation: name, path, code: codeOf(cause) })))
  )

const atOnce = <A>(name: string, path: string, run: () => A): Effect.Effect<A, StorageFault> =>
  Effect.try({ try: run, catch: (cause): StorageFault => ({ operation: name, path, code: codeOf(cause) }) })

/** Reads up to this are done at once. */
const smallRead = 16 * 1024

/** The descriptor is closed by `closeFile`. Links are not followed. */
export const openToRead = (path: string): Effect.Effect<number, StorageFault> =>
  atOnce("open", path, () => openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW))

export const openToAmend = (path: string): Effect.Effect<number, StorageFault> =>
  atOnce("open", path, () => openSync(path, constants.O_RDWR | constants.O_NOFOLLOW))

export const createFile = (path: string): Effect.Effect<number, StorageFault> =>
  operation<number>("create", path, (answer) => open(path, "wx+", 0o600, answer))

export const closeFile = (fd: number): Effect.Effect<void> =>
  Effect.ignore(atOnce("close", "", () => closeSync(fd)))

export const statFile = (fd: number, path: string): Effect.Effect<Stats, StorageFault> =>
  atOnce("stat", path, () => fstatSync(fd))

/** Fills `buffer` up to `length` bytes; fewer only at the end of the file. */
export const readAt = (
  fd: number,
  path: string,
  buffer: Uint8Array,
  length: number,
  position: number
): Effect.Effect<number, StorageFault> => {
  if (length <= smallRead) return atOnce("read", path, () => readSync(fd, buffer, 0, length, position))
  return operation<number>("read", path, (answer) => {
    const from = (done: number): void =>
      read(fd, buffer, done, length - done, position + done, (cause, count) => {
        if (cause !== null) answer(cause, 0)
        else if (count === 0 || done + count === length) answer(null, done + count)
        else from(done + count)
      })
    from(0)
  })
}

export const writeAt = (
  fd: number,
  path: string,
  bytes: Uint8Array,
  position: number
): Effect.Effect<void, StorageFault> =>
  operation<void>("write", path, (answer) => {
    const from = (done: number): void =>
      write(fd, bytes, done, bytes.length - done, position + done, (cause, count) => {
        if (cause !== null) answer(cause, undefined)
        else if (done + count === bytes.length) answer(null, undefined)
        else from(done + count)
      })
    if (bytes.length === 0) answer(null, undefined)
    else from(0)
  })

export const truncateFile = (fd: number, path: string, size: number): Effect.Effect<void, StorageFault> =>
  operation<void>("truncate", path, (answer) => ftruncate(fd, size, (cause) => answer(cause, undefined)))

export const syncFile = (fd: number, path: string): Effect.Effect<void, StorageFault> =>
  operation<void>("fsync", path, (answer) => fsync(fd, (cause) => answer(cause, undefined)))

export const removeFile = (path: string): Effect.Effect<void, StorageFault> =>
  Effect.catch(atOnce("remove", path, () => unlinkSync(path)), (fault) =>
    fault.code === "ENOENT" ? Effect.void : Effect.fail(fault))

/** Makes the names in a folder durable. */
export const syncFolder = (path: string): Effect.Effect<void, StorageFault> =>
  Effect.acquireUseRelease(
    atOnce("open", path, () => openSync(path, constants.O_RDONLY | constants.O_DIRECTORY)),
    (fd) => syncFile(fd, path),
    closeFile
  )

/** Empty when the folder does not exist. */
export const listFolder = (path: string): Effect.Effect<ReadonlyArray<string>, StorageFault> =>
  operation<ReadonlyArray<string>>("list", path, (answer) =>
    readdir(path, (cause, names) => cause?.code === "ENOENT" ? answer(null, []) : answer(cause, names ?? [])))

/** Replaces `path` as a whole, durably. */
export const replaceFile = (path: string, text: string): Effect.Effect<void, StorageFault> => {
  const fresh = `${path}.new`
  return Effect.gen(function*() {
    yield* removeFile(fresh)
    yield* Effect.acquireUseRelease(
      createFile(fresh),
      (fd) => Effect.andThen(writeAt(fd, fresh, Buffer.from(text), 0), syncFile(fd, fresh)),
      closeFile
    )
    yield* operation<void>("rename", path, (answer) => rename(fresh, path, (cause) => answer(cause, undefined)))
    yield* syncFolder(dirname(path))
  })
}
