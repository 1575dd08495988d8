/**
 * Whether a new call may start. Pure.
 *
 * Owns: the order and meaning of the two limits.
 */

export type SpaceLimit = "min-free" | "session-quota"

export type SpaceAnswer =
  | { readonly kind: "ok" }
  | {
    readonly kind: "storage-low"
    readonly limit: SpaceLimit
    /** Folder that is too full: the data root, or the Session's; absolute. */
    readonly path: string
    /** Free bytes of the file system. */
    readonly freeBytes: number
    /** Bytes of the Session's managed files. */
    readonly usedBytes: number
    readonly limitBytes: number
  }

export interface MeasuredSpace {
  readonly freeBytes: number
  readonly usedBytes: number
}

interface Limit {
  /** Folder that the answer names. */
  readonly path: string
  readonly limitBytes: number
}

/** Free space below the floor is low; exactly the floor is not. */
const judgeFreeSpace = (space: MeasuredSpace, floor: Limit): SpaceAnswer =>
  space.freeBytes < floor.limitBytes ? { kind: "storage-low", limit: "min-free", ...space, ...floor } : { kind: "ok" }

/** A Session above its quota is low; exactly the quota is not. */
const judgeQuota = (space: MeasuredSpace, quota: Limit): SpaceAnswer =>
  space.usedBytes > quota.limitBytes ? { kind: "storage-low", limit: "session-quota", ...space, ...quota } : { kind: "ok" }

/** The floor of free space is looked at first. */
export const judgeSpace = (space: MeasuredSpace, floor: Limit, quota: Limit): SpaceAnswer => {
  const free = judgeFreeSpace(space, floor)
  return free.kind === "ok" ? judgeQuota(space, quota) : free
}
