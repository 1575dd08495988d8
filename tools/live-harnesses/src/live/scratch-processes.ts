/**
 * Which processes belong to one scenario, by the home that their environment names.
 *
 * Limits: Linux. A zombie is none; a process that cleared its environment is not seen.
 */
import { readdirSync, readFileSync } from "node:fs"
import type { Scratch } from "../scratch.ts"

export interface ScratchProcess {
  readonly pid: number
  readonly parent: number
  /** As started, words separated by spaces. */
  readonly command: string
}

const processOf = (pid: number, mark: string): ScratchProcess | undefined => {
  try {
    if (!readFileSync(`/proc/${pid}/environ`, "latin1").split("\0").includes(mark)) return undefined
    const [state = "Z", parent = "0"] = readFileSync(`/proc/${pid}/stat`, "latin1").replace(/^.*\) /s, "").split(" ")
    const command = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim()
    return state === "Z" || state === "X" ? undefined : { pid, parent: Number(parent), command }
  } catch {
    return undefined
  }
}

/** In no order. */
export const scratchProcesses = ({ home }: Scratch): ReadonlyArray<ScratchProcess> =>
  readdirSync("/proc").filter((name) => /^\d+$/.test(name)).flatMap((name) => processOf(Number(name), `HOME=${home}`) ?? [])
