/**
 * When output came last, and the line it stopped on.
 *
 * Limits: per chunk one reading of the clock and a look at its last `lineBytes`; no timer.
 */
import type { Clock } from "effect"
import type { Source } from "./line-assembler.ts"

const lineFeed = 0x0a
const nothing = new Uint8Array(0)

const other = (source: Source): Source => source === "stdout" ? "stderr" : "stdout"

/** What a terminal shows of a line: a carriage return starts it again. */
const shownText = (line: Uint8Array): string => {
  const isStart = (byte: number): boolean => (byte & 0xc0) !== 0x80
  const start = line.findIndex(isStart)
  const text = new TextDecoder().decode(line.subarray(start < 0 ? line.length : start))
  return text.split("\r").findLast((frame) => frame !== "") ?? ""
}

export class OutputPulse {
  readonly #clock: Clock.Clock
  readonly #lineBytes: number
  readonly #unfinished: Record<Source, Uint8Array> = { stdout: nothing, stderr: nothing }
  #last: Source = "stdout"
  #atNanos: bigint
  #chunks = 0

  constructor(clock: Clock.Clock, lineBytes: number) {
    this.#clock = clock
    this.#lineBytes = lineBytes
    this.#atNanos = clock.monotonicTimeNanosUnsafe()
  }

  /** Monotonic time of the last chunk, or of the start. */
  get atNanos(): bigint {
    return this.#atNanos
  }

  /** How many chunks came. */
  get chunks(): number {
    return this.#chunks
  }

  /** The line that the stream which printed last has not finished, else that of the other stream; empty where both have. */
  get unfinishedLine(): string {
    return shownText(this.#unfinished[this.#last]) || shownText(this.#unfinished[other(this.#last)])
  }

  push(source: Source, chunk: Uint8Array): void {
    const end = chunk.subarray(Math.max(0, chunk.length - this.#lineBytes))
    const finished = end.lastIndexOf(lineFeed)
    const goesOn = finished < 0 && end.length < this.#lineBytes
    this.#unfinished[source] = goesOn
      ? Buffer.concat([this.#unfinished[source], end]).subarray(-this.#lineBytes)
      : end.slice(finished + 1)
    this.#last = source
    this.#atNanos = this.#clock.monotonicTimeNanosUnsafe()
    this.#chunks += 1
  }
}
