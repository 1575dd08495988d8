/**
 * Projects a file in blocks of 64 KiB and times each call that it makes.
 *
 * Limits: the kernel may count CPU time in ticks of some milliseconds; a call may seem longer or shorter by one of them.
 */
import { processDiagnostics } from "@steno/result-projection"
import { makeProcessFacts } from "@steno/result-projection/testing"
import { closeSync, openSync, readSync } from "node:fs"

const blockBytes = 65_536
const facts = makeProcessFacts({ exitCode: 1 })

export interface TimedProjection {
  readonly ms: number
  /** The longest `push` or `finish`. */
  readonly longestMs: number
  /** The most CPU time that one of them took on its thread: what it would take with nobody else on the machine. */
  readonly longestCpuMs: number
  readonly totalLines: number
}

export const projectFile = (path: string): TimedProjection => {
  const file = openSync(path, "r")
  const block = Buffer.allocUnsafe(blockBytes)
  const projector = processDiagnostics.begin()
  const startedMs = performance.now()
  let longestMs = 0
  let longestCpuMs = 0
  const timed = <A>(work: () => A): A => {
    const beginCpu = process.threadCpuUsage()
    const beginMs = performance.now()
    const result = work()
    longestMs = Math.max(longestMs, performance.now() - beginMs)
    const { system, user } = process.threadCpuUsage(beginCpu)
    longestCpuMs = Math.max(longestCpuMs, (system + user) / 1_000)
    return result
  }
  for (let bytes = readSync(file, block); bytes > 0; bytes = readSync(file, block)) {
    timed(() => projector.push(block.subarray(0, bytes)))
  }
  const { decision } = timed(() => projector.finish(facts))
  const ms = performance.now() - startedMs
  closeSync(file)
  return { ms, longestMs, longestCpuMs, totalLines: decision.totalLines }
}
