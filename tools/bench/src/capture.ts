/** Time, memory, CPU and disk of a capture beside a bare pipe or a smaller one, each in a process of its own, in turns. */
import { execFileSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import { report } from "./ratio.ts"

const worker = fileURLToPath(new URL("./capture-worker.ts", import.meta.url))
const rounds = 5
const gibibyteRounds = 3

interface Measured {
  readonly ms: number
  readonly cpuMs: number
  readonly rssMiB: number
  readonly diskMiB: number
}

type Mode = "bare-file" | "bare-drain" | "steno"

const run = (mode: Mode, streams: "one" | "both" | "small-writes", mebibytes: number): Measured =>
  JSON.parse(execFileSync(process.execPath, [worker, mode, streams, String(mebibytes)], { encoding: "utf8" }))

const times = <A>(count: number, measure: () => A): ReadonlyArray<A> => Array.from({ length: count }, measure)

const benchAgainstPipes = (): void => {
  for (const streams of ["one", "both"] as const) {
    const words = streams === "one" ? "256 MiB on stdout" : "256 MiB on both streams at once"
    const found = times(rounds, () => ({
      file: run("bare-file", streams, 256),
      drain: run("bare-drain", streams, 256),
      steno: run("steno", streams, 256)
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

/** Memory and disk do not follow the size of the output. */
const benchGibibyte = (): void => {
  const found = times(gibibyteRounds, () => ({ whole: run("steno", "one", 1_024), quarter: run("steno", "one", 256) }))
  const growth = found.map(({ whole }) => whole.rssMiB.toFixed(0)).join(", ")
  report("capture of 1 GiB, RSS growth against that of 256 MiB", found.map(({ quarter, whole }) => whole.rssMiB / quarter.rssMiB), {
    unit: " ×",
    atMost: 1.3
  }, `1 GiB: ${growth} MiB`)
  report("capture of 200 MiB, on disk", times(gibibyteRounds, () => run("steno", "one", 200).diskMiB), { unit: " MiB", atMost: 16.1 })
  report("capture of 200 MiB on both streams, on disk", times(gibibyteRounds, () => run("steno", "both", 200).diskMiB), {
    unit: " MiB",
    atMost: 48.1
  })
}

/** Twice the output costs twice the time, however small its writes are. */
const benchLinearity = (): void => {
  const found = times(rounds, () => run("steno", "small-writes", 64).cpuMs / run("steno", "small-writes", 32).cpuMs)
  report("capture of 64 MiB in writes of 4 KiB, CPU against that of 32 MiB", found, { unit: " ×", atMost: 2.5 })
}

export const benchCapture = (): void => {
  benchAgainstPipes()
  benchGibibyte()
  benchLinearity()
}
