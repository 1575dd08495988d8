/**
 * Sends signals, each only after the receiver's identity was verified.
 *
 * Never signals this process, pid 1 or below.
 */
import { isZombie, type ProcessEntry, readProcess } from "./process-table.ts"

/** `gone`: no such process now. `refused`: it lives and may not be signalled by us. */
export type SignalAnswer = "sent" | "gone" | "refused"

const send = (pid: number, signal: NodeJS.Signals | 0): SignalAnswer => {
  try {
    process.kill(pid, signal)
    return "sent"
  } catch (cause) {
    return cause instanceof Error && "code" in cause && cause.code === "EPERM" ? "refused" : "gone"
  }
}

/** Sent only if the pid still has the entry's start time. */
export const signalVerified = (
  entry: Pick<ProcessEntry, "pid" | "startTime">,
  signal: NodeJS.Signals
): SignalAnswer => {
  if (entry.pid <= 1 || entry.pid === process.pid) return "refused"
  const now = readProcess(entry.pid)
  if (now === undefined || now.startTime !== entry.startTime || isZombie(now)) return "gone"
  return send(entry.pid, signal)
}

/** For the group of a child of ours that was not collected yet: its pid cannot name anyone else. */
export const signalOwnGroup = (leader: number, signal: NodeJS.Signals): SignalAnswer =>
  leader <= 1 || leader === process.pid ? "refused" : send(-leader, signal)

export const groupExists = (leader: number): boolean => leader > 1 && send(-leader, 0) !== "gone"

export const pidExists = (pid: number): boolean => pid > 0 && send(pid, 0) !== "gone"
