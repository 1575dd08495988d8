/** The most memory that a live process had resident, as far as it was looked at. */
import { readFileSync } from "node:fs"

const lookMs = 20

const peakMegabytes = (pid: number): number | undefined => {
  try {
    const peak = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "latin1"))?.[1]
    return peak === undefined ? undefined : Number(peak) / 1_024
  } catch {
    return undefined
  }
}

/** Looks until the answer is called, which gives what was seen, in MB. */
export const watchPeakMemory = (pid: number): () => number => {
  let peak = 0
  const looking = setInterval(() => void (peak = peakMegabytes(pid) ?? peak), lookMs)
  return () => {
    clearInterval(looking)
    return peak
  }
}
