/**
 * Which files a sweep removes. Pure.
 *
 * Owns: the age of orphans, what a known folder protects.
 * Never owns: which rows there are (the caller's `known`).
 */
import { isTemporaryName } from "./asset-path.ts"
import type { Judge } from "./tree-reaper.ts"

/**
 * Whether a path (relative to the home, `data/…`) has an owner: the path of a file with a row, or a folder whose whole
 * content stays, such as that of an unfinished call or a running async Bash. Asked when the entry is looked at.
 */
export type Known = (path: string) => boolean

export interface OrphanRule {
  /** Folder the sweep begins in, relative to the home. */
  readonly start: string
  readonly known: Known
  readonly nowMs: number
  readonly olderThanMs: number
}

/**
 * Each folder must be judged before what is in it. Inside a known folder only temporary files of writes that ended
 * without us go.
 */
export const judgeOrphans = ({ known, nowMs, olderThanMs, start }: OrphanRule): Judge => {
  let protectedBy = known(start) ? `${start}/` : undefined
  return ({ changedMs, isFolder, name, path }) => {
    const isInside = protectedBy !== undefined && path.startsWith(protectedBy)
    if (!isInside) {
      protectedBy = undefined
      if (known(path)) {
        if (isFolder) protectedBy = `${path}/`
        return "keep"
      }
    }
    if (isInside && (isFolder || !isTemporaryName(name) || known(path))) return "keep"
    return nowMs - changedMs >= olderThanMs ? "remove" : "keep"
  }
}
