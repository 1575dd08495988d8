/**
 * Where paths really lead.
 *
 * Owns: following links, also dangling ones, from the root to the last name.
 * Never owns: what a path may be used for.
 * Limits: at most 40 links, as the system's own; the file system may change after it was asked.
 */
import { Context, Effect, Layer, Predicate } from "effect"
import { lstatSync, readlinkSync } from "node:fs"
import { posix } from "node:path"

export interface PathFact {
  /** Absolute, without links; names that do not exist stay as they are. */
  readonly real: string
  readonly blockDevice: boolean
}

/** By the path that was asked for; undefined where the system does not tell. */
export type PathFacts = ReadonlyMap<string, PathFact | undefined>

export class PathResolver extends Context.Service<PathResolver, {
  /** Each path is absolute and need not be normalised: `..` after a link means the folder above the link's target. Never fails. */
  readonly resolve: (paths: ReadonlyArray<string>) => Effect.Effect<PathFacts>
}>()("@steno/permission-policy/PathResolver") {
  static readonly layer: Layer.Layer<PathResolver> = Layer.succeed(PathResolver, {
    resolve: (paths) => Effect.sync(() => new Map(paths.map((path) => [path, pathFact(path)])))
  })
}

const maximumLinks = 40
const missing = new Set(["ENOENT", "ENOTDIR", "ENAMETOOLONG"])

const isMissing = (fault: unknown): boolean =>
  Predicate.hasProperty(fault, "code") && Predicate.isString(fault.code) && missing.has(fault.code)

const kindOf = (path: string): "link" | "block-device" | "other" | "missing" | "unknown" => {
  try {
    const stat = lstatSync(path)
    if (stat.isSymbolicLink()) return "link"
    return stat.isBlockDevice() ? "block-device" : "other"
  } catch (fault) {
    return isMissing(fault) ? "missing" : "unknown"
  }
}

const linkTarget = (path: string): string | undefined => {
  try {
    return readlinkSync(path)
  } catch {
    return undefined
  }
}

const namesOf = (path: string): Array<string> => path.split("/").filter((name) => name !== "" && name !== ".").reverse()

/** Undefined when a folder cannot be looked into, or links lead in circles. */
export const pathFact = (path: string): PathFact | undefined => {
  if (path.includes("\0")) return undefined
  const open = namesOf(path)
  let real = "/"
  let links = 0
  let blockDevice = false
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (name === "..") {
      real = posix.dirname(real)
      continue
    }
    const next = posix.join(real, name)
    const kind = kindOf(next)
    if (kind === "unknown") return undefined
    const target = kind === "link" ? linkTarget(next) : undefined
    if (kind === "link") {
      if (target === undefined || ++links > maximumLinks) return undefined
      open.push(...namesOf(target))
      if (target.startsWith("/")) real = "/"
    } else {
      real = next
      blockDevice = kind === "block-device"
    }
  }
  return { real, blockDevice }
}
