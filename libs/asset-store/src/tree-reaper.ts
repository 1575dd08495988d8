/**
 * Goes through a tree below the data root, bottom up, and removes or counts what a judge names.
 *
 * Owns: that a count without removal is the count of the removal; that links are removed, never followed; that what
 * cannot be removed never stops the rest.
 * Never owns: what may go (sweep, removal of a Session).
 * Ordering: all facts of a folder are read when it is entered, so that removing its content changes no later verdict.
 * Limits: three folders are open at a time, whatever the depth; the event loop has its turn after each folder and after
 * `entriesPerTick` entries; another file system mounted inside is not entered.
 */
import { type BigIntStats, fchmodSync, lstatSync } from "node:fs"
import { assetLimits } from "./asset-limits.ts"
import { relativePath } from "./asset-path.ts"
import { type AssetStoreReason, StorageFailed, SymlinkOnTheWay } from "./asset-store-errors.ts"
import { type Folder, isSame, type ManagedFolders } from "./managed-folder.ts"
import { isFault, isReason, type SystemCalls } from "./system-calls.ts"
import { noAmount, sumOf, type TreeAmount } from "./tree-amount.ts"

export interface JudgedEntry {
  /** Relative to the home, with `/`. */
  readonly path: string
  readonly name: string
  readonly isFolder: boolean
  /** When content, names or permissions changed last, in milliseconds. */
  readonly changedMs: number
}

/** `keep` of a folder keeps the folder; what is in it is judged by itself. A folder goes only when it is empty. */
export type Judge = (entry: JudgedEntry) => "keep" | "remove"

export interface ReapOptions {
  /** Folder below the data root to begin in; it stays. */
  readonly start: ReadonlyArray<string>
  /** Only this entry of it; absent: all. */
  readonly only?: string | undefined
  readonly judge: Judge
  /** Counts and removes nothing. */
  readonly dryRun: boolean
  readonly entriesPerTick: number
}

/** What to remove next, in the folder that is open. */
export interface Removal {
  readonly operation: "unlink" | "remove-folder"
  /** Absolute, for messages. */
  readonly path: string
  readonly target: Buffer
  readonly facts: BigIntStats
}

interface Level {
  readonly facts: BigIntStats
  readonly name: Buffer
  readonly verdict: "keep" | "remove"
  names: ReadonlyArray<Buffer>
  next: number
  holdsKept: boolean
}

const changedMs = (facts: BigIntStats): number => Number(facts.mtimeMs > facts.ctimeMs ? facts.mtimeMs : facts.ctimeMs)

/** Throws a reason only when it cannot even come back to where it began. */
export class TreeReaper {
  amount: TreeAmount = noAmount
  private readonly found: Array<AssetStoreReason> = []
  private folder: Folder
  private readonly levels: Array<Level>
  private readonly linked = new Set<string>()
  private readonly calls: SystemCalls
  private readonly folders: ManagedFolders
  private readonly options: ReapOptions
  private readonly start: Folder

  constructor(calls: SystemCalls, folders: ManagedFolders, options: ReapOptions, start: Folder) {
    this.calls = calls
    this.folders = folders
    this.options = options
    this.start = start
    this.folder = folders.openAgain(start)
    this.levels = [{ facts: start.facts, name: Buffer.from(""), verdict: "keep", names: [], next: 0, holdsKept: true }]
  }

  get faults(): ReadonlyArray<AssetStoreReason> {
    return this.found
  }

  get current(): Folder {
    return this.folder
  }

  /** The names of the folder that was entered last. */
  listed(names: ReadonlyArray<Buffer>): void {
    const level = this.levels.at(-1)
    if (level !== undefined) level.names = names
  }

  /** A fault keeps the entry, and with it the folders around it. */
  keep(fault: AssetStoreReason): void {
    if (this.found.length < assetLimits.listedFaults) this.found.push(fault)
    const level = this.levels.at(-1)
    if (level !== undefined) level.holdsKept = true
  }

  /** The removal that `advance` asked for was done. */
  removed({ facts }: Removal): void {
    if (facts.isDirectory()) this.count(facts, { files: 0, folders: 1 })
    else this.countFile(facts)
  }

  /** Goes on until a folder has to be listed, something has to be removed, the tick is over, or nothing is left. */
  advance(): "list" | "pause" | "done" | Removal {
    for (let left = this.options.entriesPerTick; left > 0; left--) {
      const level = this.levels.at(-1)
      if (level === undefined) return "done"
      const name = level.names[level.next++]
      if (name === undefined) {
        if (this.levels.length === 1) return "done"
        const removal = this.leave(level)
        if (removal !== undefined) return removal
      } else {
        const next = this.guarded(() => this.visit(level, name))
        if (next !== undefined) return next
      }
    }
    return "pause"
  }

  private pathOf(name: Buffer): string {
    return `${this.folder.path}/${name.toString()}`
  }

  private guarded<A>(run: () => A): A | undefined {
    try {
      return run()
    } catch (cause) {
      if (isFault(cause, "ENOENT")) return undefined
      if (!isReason(cause)) throw cause
      this.keep(cause)
      return undefined
    }
  }

  private judge(facts: BigIntStats, name: Buffer): "keep" | "remove" {
    const parts = [...this.folder.parts, name].map((part) => part.toString())
    return this.options.judge({
      path: relativePath(parts),
      name: name.toString(),
      isFolder: facts.isDirectory(),
      changedMs: changedMs(facts)
    })
  }

  private visit(level: Level, name: Buffer): "list" | Removal | undefined {
    const path = this.pathOf(name)
    const target = this.folders.at(this.folder, name)
    const facts = this.calls.atOnce("stat", path, () => lstatSync(target, { bigint: true }))
    if (facts.isDirectory()) return this.enter(name, facts)
    if (this.judge(facts, name) === "keep") {
      level.holdsKept = true
      return undefined
    }
    return this.removal({ operation: "unlink", path, target, facts })
  }

  private enter(name: Buffer, seen: BigIntStats): "list" {
    if (seen.dev !== this.folder.facts.dev) {
      throw new StorageFailed({ operation: "open-folder", path: this.pathOf(name), code: "EXDEV" })
    }
    const verdict = this.judge(seen, name)
    const child = this.folders.openIn(this.folder, name)
    this.levels.push({ facts: child.facts, name, verdict, names: [], next: 0, holdsKept: verdict === "keep" })
    this.folders.close(this.folder)
    this.folder = child
    if (!this.options.dryRun && verdict === "remove" && (child.facts.mode & 0o700n) !== 0o700n) {
      this.guarded(() => this.calls.atOnce("open-folder", child.path, () => fchmodSync(child.fd, 0o700)))
    }
    return "list"
  }

  private leave(level: Level): Removal | undefined {
    const parent = this.levels.at(-2)
    if (parent === undefined) return undefined
    this.levels.pop()
    if (!this.goUp(parent)) return undefined
    if (level.holdsKept) {
      parent.holdsKept = true
      return undefined
    }
    const target = this.guarded(() => this.folders.at(this.folder, level.name))
    if (target === undefined) return undefined
    return this.removal({ operation: "remove-folder", path: this.pathOf(level.name), target, facts: level.facts })
  }

  private removal(removal: Removal): Removal | undefined {
    if (!this.options.dryRun) return removal
    this.removed(removal)
    return undefined
  }

  /** Whether the folder that holds the current one is open now; else the nearest one around that is still there is. */
  private goUp(parent: Level): boolean {
    const child = this.folder
    try {
      this.folder = this.folders.openParent(child, parent.facts)
    } catch (cause) {
      if (!isReason(cause)) throw cause
      this.folder = this.reopen()
    }
    this.folders.close(child)
    return this.levels.at(-1) === parent
  }

  /** Someone else moved or removed the folder we were in: comes in from the start again, as far as the way is the same. */
  private reopen(): Folder {
    let folder = this.folders.openAgain(this.start)
    for (const [depth, level] of this.levels.entries()) {
      if (depth === 0) continue
      const next = this.openSame(folder, level)
      if (!("fd" in next)) {
        this.levels.length = depth
        if (!isFault(next, "ENOENT")) this.keep(next)
        return folder
      }
      this.folders.close(folder)
      folder = next
    }
    return folder
  }

  private openSame(parent: Folder, level: Level): Folder | AssetStoreReason {
    try {
      const folder = this.folders.openIn(parent, level.name)
      if (isSame(folder.facts, level.facts)) return folder
      this.folders.close(folder)
      return new SymlinkOnTheWay({ path: folder.path })
    } catch (cause) {
      if (isReason(cause)) return cause
      throw cause
    }
  }

  private countFile(facts: BigIntStats): void {
    const key = `${facts.dev}:${facts.ino}`
    if (this.linked.has(key)) this.amount = sumOf(this.amount, { ...noAmount, files: 1 })
    else this.count(facts, { files: 1, folders: 0 })
    if (facts.nlink > 1n) this.linked.add(key)
  }

  private count(facts: BigIntStats, { files, folders }: { readonly files: number; readonly folders: number }): void {
    this.amount = sumOf(this.amount, {
      files,
      folders,
      allocatedBytes: Number(facts.blocks) * 512,
      apparentBytes: folders === 0 ? Number(facts.size) : 0
    })
  }
}
