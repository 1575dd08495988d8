/**
 * Where a path of a call really leads.
 *
 * Owns: resolution name by name as the kernel does it, also where the end does not exist yet.
 * Never owns: whether it may be touched (permission-policy).
 * Limits: at most 40 links; a link to nothing leads to where it points, so that writing through it is judged there.
 */
import { Effect } from "effect"
import type { BigIntStats } from "node:fs"
import { readdir } from "node:fs/promises"
import { basename, dirname, isAbsolute, join, relative, sep } from "node:path"
import { attempt, entryAt, linkTarget } from "./file-system.ts"
import { nearNames } from "./near-names.ts"
import { faultOf, FileSystemFault, PathNotFound, type ToolFault } from "./tool-faults.ts"

export type EntryKind = "file" | "directory" | "link" | "other"

export interface ResolvedPath {
  /** As the call has it. */
  readonly given: string
  /** Absolute, without links. */
  readonly real: string
  /** What stands there; absent: nothing. */
  readonly kind: EntryKind | undefined
}

const mostLinks = 40

export const kindOf = (entry: BigIntStats): EntryKind =>
  entry.isFile() ? "file" : entry.isDirectory() ? "directory" : entry.isSymbolicLink() ? "link" : "other"

const namesOf = (path: string): ReadonlyArray<string> => path.split(sep).filter((name) => name !== "" && name !== ".")

/** `cwd` is absolute. Fails with `PathNotFound` only for a way through a missing folder and back, else with the system's reason. */
export const resolvePath = Effect.fnUntraced(function*(given: string, cwd: string): Effect.fn.Return<ResolvedPath, ToolFault> {
  const names = [...(isAbsolute(given) ? [] : namesOf(cwd)), ...namesOf(given)].reverse()
  let real: string = sep
  let kind: EntryKind | undefined = "directory"
  let links = 0
  while (true) {
    const name = names.pop()
    if (name === undefined) return { given, real, kind }
    if (name === "..") {
      if (kind === undefined) return yield* faultOf(new PathNotFound({ path: given, near: [] }))
      real = dirname(real)
      kind = "directory"
      continue
    }
    const next = join(real, name)
    if (kind === undefined) {
      real = next
      continue
    }
    const entry: BigIntStats | undefined = yield* entryAt(next)
    if (entry === undefined) {
      real = next
      kind = undefined
    } else if (entry.isSymbolicLink()) {
      links += 1
      if (links > mostLinks) return yield* faultOf(new FileSystemFault({ operation: "follow it", path: given, errno: "ELOOP" }))
      const target: string = yield* linkTarget(next)
      names.push(...namesOf(target).toReversed())
      if (isAbsolute(target)) real = sep
    } else {
      real = next
      kind = kindOf(entry)
    }
  }
})

/** As a model may write it: relative inside the Workspace, else absolute. */
export const shownPath = (real: string, cwd: string): string => {
  const inside = relative(cwd, real)
  return inside === "" ? "." : inside === ".." || inside.startsWith(`..${sep}`) || isAbsolute(inside) ? real : inside
}

const mostNames = 5_000

/** The fault of a path at which nothing stands, with names from the nearest folder that does. */
export const notFound = Effect.fnUntraced(function*(path: ResolvedPath, cwd: string): Effect.fn.Return<never, ToolFault> {
  let missing = path.real
  while (missing !== sep && (yield* Effect.orElseSucceed(entryAt(dirname(missing)), () => undefined)) === undefined) {
    missing = dirname(missing)
  }
  const folder = dirname(missing)
  const names = yield* Effect.orElseSucceed(attempt("list it", folder, () => readdir(folder)), () => [])
  const near = nearNames(basename(missing), names.slice(0, mostNames))
  return yield* faultOf(new PathNotFound({ path: path.given, near: near.map((name) => shownPath(join(folder, name), cwd)) }))
})
