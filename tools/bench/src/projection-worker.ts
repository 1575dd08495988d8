/**
 * Projects one file alone in its process, after a small one, so that all code is loaded; prints {ms, longestMs, longestCpuMs, totalLines, peakBytes} as JSON.
 *
 * Usage: `projection-worker.ts SMALL_FILE [FILE]`; without FILE it stays at that, and peakBytes is what an idle process weighs.
 */
import { existsSync, readFileSync } from "node:fs"
import { projectFile } from "./projected-file.ts"

const ownStatus = "/proc/self/status"

/** `maxRSS` of Linux holds what the parent weighed before this program began; VmHWM does not. */
const peakBytes = (): number => {
  const [, kibibytes] = existsSync(ownStatus) ? /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(ownStatus, "utf8")) ?? [] : []
  return 1_024 * (kibibytes === undefined ? process.resourceUsage().maxRSS : Number(kibibytes))
}

const [small = "", file] = process.argv.slice(2)
const idle = projectFile(small)
const measured = file === undefined ? idle : projectFile(file)
process.stdout.write(`${JSON.stringify({ ...measured, peakBytes: peakBytes() })}\n`)
