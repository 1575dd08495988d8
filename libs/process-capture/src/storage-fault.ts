/**
 * A file system that stopped keeping bytes, and what is said about it.
 *
 * Owns: the words and codes of the warnings.
 */
import type { CallReason } from "@steno/contracts"
import { readFileSync, statfsSync } from "node:fs"
import { dirname } from "node:path"
import { CaptureFailed } from "./process-capture-errors.ts"

export interface StorageFault {
  readonly operation: string
  readonly path: string
  readonly code: string
}

export const codeOf = (cause: unknown): string =>
  cause instanceof Error && "code" in cause && typeof cause.code === "string" ? cause.code : "unknown"

export const captureFailed = (operation: string, path: string, cause: unknown): CaptureFailed =>
  new CaptureFailed({ operation, path, code: codeOf(cause) })

const fullCodes = new Set(["ENOSPC", "EDQUOT"])

const unescapeMount = (text: string): string =>
  text.replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)))

/** Mount point that holds a path; the folder itself where the system does not list mounts. */
export const mountOf = (path: string): string => {
  let mounts: ReadonlyArray<string>
  try {
    mounts = readFileSync("/proc/self/mounts", "utf8").split("\n").map((line) => unescapeMount(line.split(" ")[1] ?? ""))
  } catch {
    return dirname(path)
  }
  const holding = mounts.filter((mount) =>
    mount !== "" && (path === mount || path.startsWith(mount.endsWith("/") ? mount : `${mount}/`)))
  return holding.reduce((longest, mount) => mount.length >= longest.length ? mount : longest, "/")
}

const freeBytes = (path: string): number | undefined => {
  try {
    const space = statfsSync(dirname(path))
    return space.bavail * space.bsize
  } catch {
    return undefined
  }
}

export const warningOf = (fault: StorageFault, droppedBytes: number): CallReason => {
  const lost = `${droppedBytes} bytes of output were not kept`
  if (!fullCodes.has(fault.code)) {
    return {
      code: "capture-storage-failed",
      text: `${fault.operation} ${fault.path} failed with ${fault.code}: ${lost}.`
    }
  }
  const free = freeBytes(fault.path)
  return {
    code: "capture-storage-full",
    text: `No space left on ${mountOf(fault.path)}${free === undefined ? "" : ` (${free} bytes free)`} for ${fault.path}: ${lost}.`
  }
}
