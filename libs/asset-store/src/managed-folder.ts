/**
 * Open folders below the data root, and the one way to name what lies in them.
 *
 * Owns: that no link is followed from the data root down, that folders are made 0700, that a data root open to others is
 * refused.
 * Never owns: which names are legal (asset-path).
 * Limits: Node has no `openat`. With `descriptor` access a name in an open folder is `/proc/self/fd/<n>/<name>`: the
 * system resolves it inside the very folder that was checked, whatever was put in its place meanwhile. Where that does
 * not exist (`path` access: macOS, a Linux without /proc) every folder on the way is looked at right before each use; a
 * link put there between look and use by a process of the same user would be followed.
 */
import { Effect, type Scope } from "effect"
import {
  type BigIntStats,
  closeSync,
  constants,
  fstatSync,
  fsync,
  lstatSync,
  mkdirSync,
  openSync,
  statSync
} from "node:fs"
import { dirname } from "node:path"
import { NotRegular, OpenToOthers, SymlinkOnTheWay } from "./asset-store-errors.ts"
import { attempt, isFault, type StorageFault, type SystemCalls } from "./system-calls.ts"

export type FolderAccess = "descriptor" | "path"

export interface Folder {
  readonly fd: number
  /** Names from the data root down; bytes, because a tool may have made names that are no UTF-8. */
  readonly parts: ReadonlyArray<Buffer>
  /** Absolute, for messages. */
  readonly path: string
  /** What the descriptor led to when it was opened. */
  readonly facts: BigIntStats
}

export interface FileIdentity {
  readonly dev: bigint
  readonly ino: bigint
}

export const isSame = (left: FileIdentity, right: FileIdentity): boolean => left.dev === right.dev && left.ino === right.ino

const slash = Buffer.from("/")
const asFolder = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW

export interface ManagedFolders {
  /** Opens the data root. Throws a reason; `ENOENT` is a `StorageFailed`. */
  readonly openRoot: () => Folder
  /** Opens a folder inside an open one. */
  readonly openIn: (parent: Folder, name: Buffer) => Folder
  /** Makes a folder (0700); false when something has that name already. */
  readonly createIn: (parent: Folder, name: Buffer) => boolean
  /** Opens the folder that holds this one. `facts`: what it has to be. */
  readonly openParent: (child: Folder, facts: FileIdentity) => Folder
  /** A descriptor of its own for an open folder. */
  readonly openAgain: (folder: Folder) => Folder
  /** What to hand to the system for `name` in an open folder. `.` is the folder itself. */
  readonly at: (folder: Folder, name: string | Buffer) => Buffer
  readonly close: (folder: Folder) => void
  /**
   * Opens the folder at `parts` below the data root for as long as the scope; `create` makes what is missing, `durable` (the
   * default) so that it outlives a power cut.
   */
  readonly openPath: (
    parts: ReadonlyArray<string>,
    options: { readonly create: boolean; readonly durable?: boolean }
  ) => Effect.Effect<Folder, ReasonOfFolders, Scope.Scope>
  readonly sync: (folder: Folder) => Effect.Effect<void, StorageFault>
}
type ReasonOfFolders = Effect.Error<ReturnType<typeof attempt>>

export interface FolderOptions {
  readonly calls: SystemCalls
  /** Absolute. */
  readonly dataRoot: string
  /** Absent: `descriptor` where the system has it. */
  readonly access?: FolderAccess | undefined
}

/** Whether the system resolves names below `/proc/self/fd/<n>` inside the open folder. */
const accessOf = (fd: number, facts: FileIdentity): FolderAccess => {
  const seen = statSync(`/proc/self/fd/${fd}`, { bigint: true, throwIfNoEntry: false })
  return seen !== undefined && isSame(seen, facts) ? "descriptor" : "path"
}

export const makeManagedFolders = ({ access: wanted, calls, dataRoot }: FolderOptions): ManagedFolders => {
  const { atOnce } = calls
  const root = Buffer.from(dataRoot)
  let access = wanted

  const pathOf = (parts: ReadonlyArray<Buffer>): Buffer => Buffer.concat([root, ...parts.flatMap((part) => [slash, part])])

  const close = (folder: Folder): void => closeSync(folder.fd)

  /** Opens `target` as a folder; a link or anything else there is refused. */
  const openFolder = (target: Buffer, parts: ReadonlyArray<Buffer>): Folder => {
    const path = pathOf(parts).toString()
    let fd: number
    try {
      fd = atOnce("open-folder", path, () => openSync(target, asFolder))
    } catch (cause) {
      if (!isFault(cause, "ELOOP", "ENOTDIR")) throw cause
      const found = atOnce("stat", path, () => lstatSync(target))
      throw found.isSymbolicLink() ? new SymlinkOnTheWay({ path }) : new NotRegular({ path })
    }
    try {
      return { fd, parts, path, facts: atOnce("stat", path, () => fstatSync(fd, { bigint: true })) }
    } catch (cause) {
      closeSync(fd)
      throw cause
    }
  }

  const openRoot = (): Folder => {
    const folder = openFolder(root, [])
    const mode = Number(folder.facts.mode & 0o777n)
    if ((mode & 0o077) !== 0) {
      close(folder)
      throw new OpenToOthers({ path: dataRoot, mode: mode.toString(8) })
    }
    access ??= accessOf(folder.fd, folder.facts)
    return folder
  }

  /** Refuses when the path of an open folder no longer leads to it, or leads there through a link. */
  const confirm = (folder: Folder): void => {
    for (let depth = 0; depth <= folder.parts.length; depth++) {
      const here = pathOf(folder.parts.slice(0, depth))
      const found = atOnce("stat", here.toString(), () => lstatSync(here, { bigint: true }))
      const isLast = depth === folder.parts.length
      if (!found.isDirectory() || isLast && !isSame(found, folder.facts)) throw new SymlinkOnTheWay({ path: here.toString() })
    }
  }

  const at = (folder: Folder, name: string | Buffer): Buffer => {
    const bytes = typeof name === "string" ? Buffer.from(name) : name
    if (access === "descriptor") return Buffer.concat([Buffer.from(`/proc/self/fd/${folder.fd}/`), bytes])
    confirm(folder)
    return Buffer.concat([pathOf(folder.parts), slash, bytes])
  }

  const openIn = (parent: Folder, name: Buffer): Folder => openFolder(at(parent, name), [...parent.parts, name])

  const createIn = (parent: Folder, name: Buffer): boolean => {
    const target = at(parent, name)
    try {
      atOnce("create-folder", `${parent.path}/${name.toString()}`, () => mkdirSync(target, 0o700))
      return true
    } catch (cause) {
      if (isFault(cause, "EEXIST")) return false
      throw cause
    }
  }

  const openParent = (child: Folder, facts: FileIdentity): Folder => {
    const parts = child.parts.slice(0, -1)
    const folder = openFolder(access === "descriptor" ? at(child, "..") : pathOf(parts), parts)
    if (isSame(folder.facts, facts)) return folder
    close(folder)
    throw new SymlinkOnTheWay({ path: child.path })
  }

  const openAgain = (folder: Folder): Folder => openFolder(at(folder, "."), folder.parts)

  const sync = (folder: Folder) =>
    calls.queued<void>("fsync", folder.path, (answer) => fsync(folder.fd, (cause) => answer(cause, undefined)))

  const createRoot = Effect.fnUntraced(function*() {
    const created = yield* attempt(() => {
      try {
        atOnce("create-folder", dataRoot, () => mkdirSync(dataRoot, 0o700))
        return true
      } catch (cause) {
        if (isFault(cause, "EEXIST")) return false
        throw cause
      }
    })
    if (!created) return
    const home = dirname(dataRoot)
    yield* Effect.acquireUseRelease(
      attempt(() => atOnce("open-folder", home, () => openSync(home, constants.O_RDONLY | constants.O_DIRECTORY))),
      (fd) => calls.queued<void>("fsync", home, (answer) => fsync(fd, (cause) => answer(cause, undefined))),
      (fd) => Effect.sync(() => closeSync(fd))
    )
  })

  const held = (open: () => Folder) => Effect.acquireRelease(attempt(open), (folder) => Effect.sync(() => close(folder)))

  const openPath = Effect.fnUntraced(function*(
    parts: ReadonlyArray<string>,
    { create, durable = true }: { readonly create: boolean; readonly durable?: boolean }
  ) {
    if (create) yield* createRoot()
    let folder = yield* held(openRoot)
    for (const part of parts) {
      const parent = folder
      const name = Buffer.from(part)
      const isNew = create && (yield* attempt(() => createIn(parent, name)))
      if (isNew && durable) yield* sync(parent)
      folder = yield* held(() => openIn(parent, name))
    }
    return folder
  })

  return { at, close, createIn, openAgain, openIn, openParent, openPath, openRoot, sync }
}
