/**
 * Writes one managed file: all of it durably under its name, or nothing.
 *
 * Owns: the temporary file, the digest while writing, giving the name away once.
 * Ordering: temporary file in the same folder → bytes → fsync → name (a hard link, which never replaces a file) →
 * temporary name gone → fsync of the folder → the folder still lies where it was opened. The row comes after that; a
 * crash before it leaves a file that the sweep removes.
 * Limits: a file system without hard links is served by an empty file made under the name and then replaced by ours.
 */
import { Effect, Stream } from "effect"
import { createHash, randomBytes } from "node:crypto"
import { closeSync, constants, linkSync, lstatSync, openSync, renameSync, unlinkSync } from "node:fs"
import { assetLimits } from "./asset-limits.ts"
import { type ManagedPath, temporaryNameOf } from "./asset-path.ts"
import { AlreadyExists, AssetStoreError, type AssetStoreReason, SymlinkOnTheWay } from "./asset-store-errors.ts"
import { type OpenFile, syncFile, writeOn } from "./file-transfer.ts"
import { type Folder, isSame, type ManagedFolders } from "./managed-folder.ts"
import { attempt, isFault, type SystemCalls } from "./system-calls.ts"

export interface WrittenFile {
  readonly digest: string
  readonly sizeBytes: number
}

/** Asked when all bytes are written and nothing has the name yet: whether to go on. */
export type IsWanted = (written: WrittenFile) => Effect.Effect<boolean>

export const always: IsWanted = () => Effect.succeed(true)

interface TemporaryFile extends OpenFile {
  readonly name: string
  readonly folder: Folder
  isNamed: boolean
}

const exclusive = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW
const withoutLinks = ["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"]

/** A folder may be swept between being opened and getting its first entry; then it is made again. */
const openingTries = 4

const refused = Effect.mapError((reason: AssetStoreReason) => new AssetStoreError({ reason }))

export const makeFileWrite = (calls: SystemCalls, folders: ManagedFolders) => {
  const { atOnce } = calls
  const { at } = folders

  const remove = (folder: Folder, name: string): void => {
    try {
      const target = at(folder, name)
      atOnce("unlink", `${folder.path}/${name}`, () => unlinkSync(target))
    } catch (cause) {
      if (!isFault(cause, "ENOENT")) throw cause
    }
  }

  const refuseTaken = (folder: Folder, place: ManagedPath): void => {
    const target = at(folder, place.name)
    const found = atOnce("stat", `${folder.path}/${place.name}`, () => lstatSync(target, { throwIfNoEntry: false }))
    if (found !== undefined) throw new AlreadyExists({ path: place.path })
  }

  const create = (folder: Folder, name: string): TemporaryFile => {
    const path = `${folder.path}/${name}`
    const target = at(folder, name)
    return { folder, name, path, isNamed: true, fd: atOnce("create", path, () => openSync(target, exclusive, 0o600)) }
  }

  const removeTemporary = (file: TemporaryFile): void => {
    if (!file.isNamed) return
    remove(file.folder, file.name)
    file.isNamed = false
  }

  const giveName = (file: TemporaryFile, place: ManagedPath): void => {
    const path = `${file.folder.path}/${place.name}`
    const target = at(file.folder, place.name)
    const source = at(file.folder, file.name)
    try {
      atOnce("link", path, () => linkSync(source, target))
    } catch (cause) {
      if (isFault(cause, "EEXIST")) throw new AlreadyExists({ path: place.path })
      if (!isFault(cause, ...withoutLinks)) throw cause
      replaceOwnEmpty(file, place)
    }
  }

  /** The empty file is made exclusively, so that of two writers one fails; only that file is replaced. */
  const replaceOwnEmpty = (file: TemporaryFile, place: ManagedPath): void => {
    const path = `${file.folder.path}/${place.name}`
    const target = at(file.folder, place.name)
    const source = at(file.folder, file.name)
    try {
      closeSync(atOnce("create", path, () => openSync(target, exclusive, 0o600)))
    } catch (cause) {
      throw isFault(cause, "EEXIST") ? new AlreadyExists({ path: place.path }) : cause
    }
    try {
      atOnce("rename", path, () => renameSync(source, target))
    } catch (cause) {
      remove(file.folder, place.name)
      throw cause
    }
  }

  /** Opens the folder once more by its path; it must be the same one. */
  const confirmPlace = (folder: Folder, place: ManagedPath) =>
    Effect.scoped(Effect.flatMap(folders.openPath(place.folder, { create: false }), (found) =>
      isSame(found.facts, folder.facts) ? Effect.void : Effect.fail(new SymlinkOnTheWay({ path: folder.path }))))

  const publish = Effect.fnUntraced(
    function*(file: TemporaryFile, place: ManagedPath) {
      yield* attempt(() => giveName(file, place))
      yield* Effect.gen(function*() {
        yield* attempt(() => removeTemporary(file))
        yield* folders.sync(file.folder)
        yield* confirmPlace(file.folder, place)
      }).pipe(Effect.onError(() => Effect.ignore(attempt(() => remove(file.folder, place.name)))))
    },
    Effect.uninterruptible
  )

  const opened = (place: ManagedPath) => {
    const open = Effect.gen(function*() {
      const folder = yield* folders.openPath(place.folder, { create: true })
      yield* attempt(() => refuseTaken(folder, place))
      const name = temporaryNameOf(randomBytes(16).toString("hex"))
      return yield* Effect.acquireRelease(attempt(() => create(folder, name)), (file) =>
        Effect.ensuring(
          Effect.ignore(attempt(() => removeTemporary(file))),
          Effect.sync(() => closeSync(file.fd))
        ))
    })
    return Effect.retry(open, { times: openingTries - 1, while: (reason) => isFault(reason, "ENOENT") })
  }

  return Effect.fnUntraced(
    function*<E, R>(place: ManagedPath, content: Uint8Array | Stream.Stream<Uint8Array, E, R>, isWanted: IsWanted) {
      const file = yield* refused(opened(place))
      const hash = createHash("sha256")
      let sizeBytes = 0
      const append = Effect.fnUntraced(function*(chunk: Uint8Array) {
        for (let from = 0; from < chunk.length; from += assetLimits.stepBytes) {
          const step = chunk.subarray(from, from + assetLimits.stepBytes)
          hash.update(step)
          yield* writeOn(calls, file, step)
          sizeBytes += step.length
        }
      }, refused)
      yield* content instanceof Uint8Array ? append(content) : Stream.runForEach(content, append)
      const written: WrittenFile = { digest: `sha256:${hash.digest("hex")}`, sizeBytes }
      if (yield* isWanted(written)) yield* refused(Effect.andThen(syncFile(calls, file), publish(file, place)))
      return written
    },
    Effect.scoped
  )
}
