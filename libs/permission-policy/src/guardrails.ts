/**
 * What no rule lifts.
 *
 * Owns: writes into the home and reads of its secrets; recursive removal of the root, the person's home directory, the
 * Workspace or a folder above one of them; writes to block devices.
 * Limits: no sandbox: what a program does beyond its words is not seen.
 */
import { type Relation, relationTo } from "./path-glob.ts"
import type { ResolvedTarget, ResolvedUnit } from "./resolved-unit.ts"

/** Absolute real paths. */
export interface PolicyPlace {
  readonly workspace: string
  /** The home, where Steno keeps its data. */
  readonly stenoHome: string
  /** The person's home directory. */
  readonly userHome: string
  /** Folders of the Session's own call files. */
  readonly ownFiles: ReadonlyArray<string>
}

export const guardrailTexts: ReadonlyArray<string> = [
  "No call writes into the home of Steno or reads its secrets.",
  "No call removes the root, your home directory, the Workspace or a folder above them with all that is in it.",
  "No call writes to a block device.",
  "They are checked on what a call says it will do; they are no sandbox."
]

/** What holds where no rule says anything. */
export const defaultTexts: ReadonlyArray<string> = [
  "Reading in the Workspace and in a Session's own call files is allowed, and so are tools without effect.",
  "Everything else asks.",
  "A command that you type yourself is allowed, unless a guardrail or a rule denies it."
]

export type Guard =
  | { readonly kind: "deny"; readonly reason: string }
  | { readonly kind: "doubt"; readonly reason: string }

const devicePath = /^\/dev\/(?:sd|hd|vd|xvd|nvme|mmcblk|loop|dm-|md|mapper\/|disk\/|nbd|zram|ram|sr|rdisk|disk\d)/

const isWithin = (relation: Relation): boolean => relation === "same" || relation === "inside"

const relationsTo = ({ real, written }: ResolvedTarget, folder: string): ReadonlyArray<Relation> => [relationTo(real, folder), relationTo(written, folder)]

/** A last segment that takes everything in its folder takes the folder. */
const withoutAll = (glob: string): string | undefined => /^(.*)\/\*+$/s.exec(glob)?.[1]

const covers = (glob: string, folder: string): boolean => {
  const relation = relationTo(glob, folder)
  if (relation === "same" || relation === "above") return true
  const parent = withoutAll(glob)
  return parent !== undefined && ["same", "above"].includes(relationTo(parent === "" ? "/" : parent, folder))
}

const covered = ({ real, written }: ResolvedTarget, { stenoHome, userHome, workspace }: PolicyPlace): string | undefined =>
  ["/", userHome, workspace, stenoHome].find((folder) => covers(real, folder) || covers(written, folder))

const removalGuard = ({ hidesRemoved, removed, unit }: ResolvedUnit, place: PolicyPlace): Guard | undefined => {
  if (unit.removal === undefined) return undefined
  const folder = removed.map((target) => covered(target, place)).find((one) => one !== undefined)
  if (folder !== undefined) {
    const reason = `it removes ${folder}, or a folder above it, with all that is in it`
    return unit.removal.recursive === "yes" ? { kind: "deny", reason } : { kind: "doubt", reason: `${reason}, if an option says so` }
  }
  return hidesRemoved || unit.removal.recursive === "maybe"
    ? { kind: "doubt", reason: "what it removes with all that is in it is not known" }
    : undefined
}

const isDevice = ({ blockDevice, real, written }: ResolvedTarget): boolean => blockDevice || devicePath.test(real) || devicePath.test(written)

const targetGuard = (target: ResolvedTarget, { ownFiles, stenoHome }: PolicyPlace): Guard | undefined => {
  if (isDevice(target) && target.access !== "read") {
    return target.access === "write"
      ? { kind: "deny", reason: "it writes to a block device" }
      : { kind: "doubt", reason: "it may write to a block device" }
  }
  if (relationsTo(target, `${stenoHome}/secrets`).some(isWithin)) return { kind: "deny", reason: "it reads or writes the secrets of the home" }
  if (!relationsTo(target, stenoHome).some(isWithin)) return undefined
  if (target.access === "write") return { kind: "deny", reason: "it writes into the home" }
  const isOwn = ownFiles.some((folder) => isWithin(relationTo(target.real, folder)))
  return target.access === "any" && !isOwn ? { kind: "doubt", reason: "it may write into the home" } : undefined
}

const stricter = (one: Guard | undefined, other: Guard | undefined): Guard | undefined =>
  one?.kind === "deny" || other === undefined ? one : other.kind === "deny" || one === undefined ? other : one

export const guardOf = (resolved: ResolvedUnit, place: PolicyPlace): Guard | undefined => {
  const hidden: Guard | undefined = resolved.unit.namesPaths && resolved.hidesPaths
    ? { kind: "doubt", reason: "where its path leads is not known" }
    : undefined
  return [...resolved.targets.map((target) => targetGuard(target, place)), removalGuard(resolved, place)].reduce(stricter, hidden)
}
