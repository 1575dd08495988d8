/** Time and memory of capturing 256 MiB beside a bare pipe, each in a process of its own, in turns. */
import { execFileSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import { report } from "./ratio.ts"

const worker = fileURLToPath(new URL("./capture-worker.ts", import.meta.url))
const rounds = 5

interface Measured {
  readonly ms: number
  readonly rssMiB: number
}

const run = (mode: "bare-file" | "bare-drain" | "steno", streams: "one" | "both"): Measured =>
  JSON.parse(execFileSync(process.execPath, [worker, mode, streams], { encoding: "utf8" }))

export const benchCapture = (): void => {
  for (const streams of ["one", "both"] as const) {
    const words = streams === "one" ? "256 MiB on stdout" : "256 MiB on both streams at once"
    const found = Array.from({ length: rounds }, () => ({
      file: run("bare-file", streams),
      drain: run("bare-drain", streams),
      steno: run("steno", streams)
    }))
    report(`capture of ${words}, time against one bare pipe per stream into one file each`, found.map((pair) => pair.steno.ms / pair.file.ms), {
      unit: " ×",
      ...(streams === "one" ? { atMost: 1.6 } : {})
    })
    const drains = found.map((pair) => pair.drain.rssMiB.toFixed(0)).join(", ")
    report(`capture of ${words}, RSS growth against a bare drain of the same pipes`, found.map((pair) => pair.steno.rssMiB / pair.drain.rssMiB), {
      unit: " ×",
      atMost: 1.6
    }, `drain MiB: ${drains}`)
  }
}
