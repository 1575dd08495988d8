/**
 * Identity of a process: boot id, pid, start time.
 *
 * Never by pid alone: a pid is handed out again.
 */
import type { ProcessIdentity } from "@steno/contracts"
import { pidExists } from "./process-signal.ts"
import { bootId, isZombie, type ProcessEntry, readProcess } from "./process-table.ts"

/** Absent: no such process, or the platform cannot tell. */
export const identityOf = (pid: number): ProcessIdentity | undefined => {
  const entry = readProcess(pid)
  return entry === undefined ? undefined : identityOfEntry(entry)
}

export const identityOfEntry = (entry: ProcessEntry): ProcessIdentity | undefined =>
  bootId === undefined ? undefined : { bootId, pid: entry.pid, startTime: entry.startTime }

/** What an owner writes down about itself; without `/proc` boot id and start time are `unknown`. */
export const selfIdentity = (): ProcessIdentity =>
  identityOf(process.pid) ?? { bootId: "unknown", pid: process.pid, startTime: "unknown" }

export const livenessOf = (identity: ProcessIdentity): "alive" | "dead" | "unknown" => {
  if (bootId === undefined || identity.bootId === "unknown") return pidExists(identity.pid) ? "unknown" : "dead"
  if (identity.bootId !== bootId) return "dead"
  const entry = readProcess(identity.pid)
  if (entry === undefined || entry.startTime !== identity.startTime || isZombie(entry)) return "dead"
  return "alive"
}
