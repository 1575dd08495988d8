/** What Node tells of a shell's end, corrected by the status of the dying process itself. */
import type { ShellExit } from "./process-host.ts"

const firstRealTimeSignal = 32

/** Node reports a death by a real-time signal as exit 0; the zombie's own status, if it was read in time, knows better. */
export const exitOf = (code: number | null, signal: string | null, waitStatus: number): ShellExit => {
  if (signal !== null) return { kind: "signalled", signal }
  const unnamed = waitStatus & 0x7f
  if (code === null) return { kind: "signalled", signal: "unknown" }
  if (code === 0 && unnamed >= firstRealTimeSignal) return { kind: "signalled", signal: `SIG${unnamed}` }
  return { kind: "exited", code }
}
