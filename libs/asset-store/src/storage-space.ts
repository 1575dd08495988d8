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
    /** What the limit compares: free bytes, or the Session's bytes on the disk. */
    readonly measuredBytes: number
    readonly limitBytes: number
  }

/** Free space below the floor is low; exactly the floor is not. */
export const judgeFreeSpace = (path: string, freeBytes: number, minFreeBytes: number): SpaceAnswer =>
  freeBytes < minFreeBytes
    ? { kind: "storage-low", limit: "min-free", path, freeBytes, measuredBytes: freeBytes, limitBytes: minFreeBytes }
    : { kind: "ok" }

/** A Session that uses its whole quota is low. */
export const judgeQuota = (path: string, freeBytes: number, usedBytes: number, quotaBytes: number): SpaceAnswer =>
  usedBytes >= quotaBytes
    ? { kind: "storage-low", limit: "session-quota", path, freeBytes, measuredBytes: usedBytes, limitBytes: quotaBytes }
    : { kind: "ok" }
