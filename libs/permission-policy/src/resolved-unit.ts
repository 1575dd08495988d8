/** A unit whose paths are resolved. */
import { posix } from "node:path"
import type { JudgedUnit, Target } from "./judged-unit.ts"
import type { PathFacts } from "./path-facts.ts"
import { escapeGlob } from "./shell-word.ts"

export interface ResolvedTarget {
  readonly access: Target["access"]
  /** Absolute, without links, as a glob. */
  readonly real: string
  /** Absolute as written, `..` taken away by text, as a glob. */
  readonly written: string
  /** Exactly one path. */
  readonly exact: boolean
  readonly blockDevice: boolean
}

export interface ResolvedUnit {
  readonly unit: JudgedUnit
  readonly targets: ReadonlyArray<ResolvedTarget>
  /** A path is not known, or the system does not tell where it leads. */
  readonly hidesPaths: boolean
  readonly removed: ReadonlyArray<ResolvedTarget>
  readonly hidesRemoved: boolean
}

const below = (folder: string, glob: string): string => {
  const base = escapeGlob(folder)
  return glob === "" ? base : `${base === "/" ? "" : base}/${glob}`
}

const resolvedTarget = ({ access, glob, path }: Target, facts: PathFacts): ResolvedTarget | undefined => {
  const fact = path === undefined ? undefined : facts.get(path)
  if (path === undefined || fact === undefined) return undefined
  const written = posix.normalize(path).replace(/(?<=.)\/$/, "")
  return {
    access,
    real: below(fact.real, glob),
    written: below(written, glob),
    exact: glob === "",
    blockDevice: fact.blockDevice
  }
}

const resolvedTargets = (targets: ReadonlyArray<Target>, facts: PathFacts): ReadonlyArray<ResolvedTarget> =>
  targets.flatMap((target) => resolvedTarget(target, facts) ?? [])

/** Every path whose fact a unit needs. */
export const pathsOf = (units: ReadonlyArray<JudgedUnit>): ReadonlyArray<string> => [
  ...new Set(units.flatMap(({ removal, targets }) => [...targets, ...removal?.targets ?? []]).flatMap(({ path }) => path ?? []))
]

export const resolveUnit = (unit: JudgedUnit, facts: PathFacts): ResolvedUnit => {
  const targets = resolvedTargets(unit.targets, facts)
  const wanted = unit.removal?.targets ?? []
  const removed = resolvedTargets(wanted, facts)
  return {
    unit,
    targets,
    hidesPaths: targets.length < unit.targets.length,
    removed,
    hidesRemoved: removed.length < wanted.length
  }
}
