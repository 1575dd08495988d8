/** The projection of long outputs beside `grep` of the same words, its peak memory and its longest synchronous slice. */
import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { projectFile, type TimedProjection } from "./projected-file.ts"
import { errorWords, writeManyLines, writeOneLine, writeVariedLines } from "./projection-input.ts"
import { report } from "./ratio.ts"

const worker = fileURLToPath(new URL("./projection-worker.ts", import.meta.url))
const rounds = 9
const roundsAlone = 5
const MiB = 1_024 * 1_024

interface Measured extends TimedProjection {
  readonly peakBytes: number
}

const alone = (...files: ReadonlyArray<string>): Measured =>
  JSON.parse(execFileSync(process.execPath, [...process.execArgv, worker, ...files], { encoding: "utf8" }))

const grep = (path: string): number => {
  const startedMs = performance.now()
  const bytes = Number(execFileSync("sh", ["-c", "grep -nE \"$1\" \"$2\" | wc -c", "sh", errorWords, path], { encoding: "utf8" }))
  const ms = performance.now() - startedMs
  if (bytes === 0) throw new Error(`grep found nothing in ${path}`)
  return ms
}

const matchingLines = (path: string): number => Number(execFileSync("grep", ["-cE", errorWords, path], { encoding: "utf8" }))

const benchAgainstGrep = (path: string): void => {
  projectFile(path)
  grep(path)
  const found = Array.from({ length: rounds }, () => ({ steno: projectFile(path).ms, grep: grep(path) }))
  const grepMs = found.map((pair) => pair.grep.toFixed(0)).join(", ")
  report("projection of 16 MiB in which every line matches, against grep -nE WORDS FILE | wc -c", found.map((pair) => pair.steno / pair.grep), {
    unit: " ×",
    atMost: 4
  }, `grep ms: ${grepMs}`)
}

const benchAlone = (words: string, small: string, path: string): void => {
  const found = Array.from({ length: roundsAlone }, () => ({ idle: alone(small), steno: alone(small, path), grepMs: grep(path) }))
  report(`projection of ${words}, the first of its process`, found.map(({ steno }) => steno.ms), { unit: " ms" })
  report(`projection of ${words}, the first of its process, against grep`, found.map(({ grepMs, steno }) => steno.ms / grepMs), { unit: " ×" })
  const idleMb = found.map(({ idle }) => (idle.peakBytes / 1e6).toFixed(0)).join(", ")
  report(`projection of ${words}, peak memory above idle`, found.map(({ idle, steno }) => (steno.peakBytes - idle.peakBytes) / 1e6), {
    unit: " MB",
    atMost: 20
  }, `idle MB: ${idleMb}`)
  report(`projection of ${words}, longest push or finish`, found.map(({ steno }) => steno.longestMs), { unit: " ms", atMost: 10 })
  report(`projection of ${words}, longest push or finish in CPU time`, found.map(({ steno }) => steno.longestCpuMs), { unit: " ms", atMost: 10 })
}

export const benchProjection = (): void => {
  const folder = mkdtempSync(join(tmpdir(), "steno-bench-projection-"))
  const small = join(folder, "small")
  const varied = join(folder, "varied")
  const many = join(folder, "many")
  const one = join(folder, "one")
  try {
    writeVariedLines(small, 32 * 1_024)
    writeVariedLines(varied, 16 * MiB)
    writeManyLines(many, 1_000_000)
    writeOneLine(one, 20 * MiB)
    for (const path of [varied, many]) {
      if (matchingLines(path) !== projectFile(path).totalLines) throw new Error(`A line of ${path} does not match`)
    }
    benchAgainstGrep(varied)
    benchAlone("16 MiB in which every line matches", small, varied)
    benchAlone("10⁶ matching lines", small, many)
    benchAlone("one line of 20 MiB", small, one)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
