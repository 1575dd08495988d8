import { describe, expect, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { OutputReadings, type OutputToRead, readOutput } from "./output-readings.ts"
import { processDiagnostics, projectReading } from "./process-diagnostics.ts"
import { makeProcessFacts } from "./testing.ts"

const bytes = new TextEncoder().encode(Array.from({ length: 900 }, (_, n) => n === 400 ? "error: bad\n" : `ok ${n}\n`).join(""))

/** An output that counts how often it is read. */
const countedOutput = () => {
  let times = 0
  const stream = Stream.suspend(() => {
    times++
    return Stream.make(bytes)
  })
  return {
    read: (output: Partial<Pick<OutputToRead<never, never>, "digest" | "exitCode">>) =>
      Effect.flatMap(OutputReadings, (readings) => readings.read({ ...output, bytes: stream })),
    times: () => times
  }
}

describe("a reading that is kept", () => {
  it.effect("gives the same projection as the output itself, and the output is read once", () =>
    Effect.gen(function*() {
      const output = countedOutput()
      yield* output.read({ digest: "sha256:a", exitCode: 1 })
      const kept = yield* output.read({ digest: "sha256:a", exitCode: 1 })
      const projector = processDiagnostics.begin()
      projector.push(bytes)
      const facts = makeProcessFacts({ exitCode: 1 })
      expect(projectReading(kept, facts)).toEqual(projector.finish(facts))
      expect(output.times()).toBe(1)
    }).pipe(Effect.provide(OutputReadings.layer())))

  it.effect("is told apart by digest and exit code, and the one not asked for the longest goes first", () =>
    Effect.gen(function*() {
      const output = countedOutput()
      yield* output.read({ digest: "sha256:a", exitCode: 0 })
      yield* output.read({ digest: "sha256:a", exitCode: 1 })
      yield* output.read({ digest: "sha256:a", exitCode: 0 })
      expect(output.times()).toBe(2)
      yield* output.read({ digest: "sha256:a" })
      expect(output.times()).toBe(3)
      yield* output.read({ digest: "sha256:a", exitCode: 0 })
      expect(output.times()).toBe(3)
      yield* output.read({ digest: "sha256:a", exitCode: 1 })
      expect(output.times()).toBe(4)
    }).pipe(Effect.provide(OutputReadings.layer({ capacity: 2 }))))

  it.effect("is none of an output whose end is in no file: another one may end differently", () =>
    Effect.gen(function*() {
      const readings = yield* OutputReadings
      const readTo = (end: string) =>
        readings.read({ digest: "sha256:a", bytes: Stream.make(bytes), unfiled: { lostBytes: 7, bytes: new TextEncoder().encode(end) } })
      yield* readTo("first\n")
      const { lastLines, totalBytes } = yield* readTo("second end\n")
      expect(lastLines.at(-1)).toBe("second end")
      const whole = yield* readings.read({ digest: "sha256:a", bytes: Stream.make(bytes) })
      expect([whole.totalBytes, totalBytes]).toEqual([bytes.length, bytes.length + 11])
    }).pipe(Effect.provide(OutputReadings.layer())))

  it.effect("is none of an output without a digest, nor of one that failed", () =>
    Effect.gen(function*() {
      const output = countedOutput()
      yield* output.read({})
      yield* output.read({})
      expect(output.times()).toBe(2)
      const readings = yield* OutputReadings
      const cut = Stream.concat(Stream.make(bytes), Stream.fail("disk"))
      expect(yield* Effect.flip(readings.read({ digest: "sha256:c", bytes: cut }))).toBe("disk")
      yield* output.read({ digest: "sha256:c" })
      expect(output.times()).toBe(3)
    }).pipe(Effect.provide(OutputReadings.layer())))
})

it.live("reading lets the event loop turn at least once per 64 KiB, however large the blocks are", () =>
  Effect.gen(function*() {
    const blocks = 32
    let turns = 0
    let reads = true
    const turn = () => {
      turns++
      if (reads) setImmediate(turn)
    }
    setImmediate(turn)
    yield* readOutput({ bytes: Stream.make(new Uint8Array(blocks * 65_536).fill(0x61)) })
    reads = false
    expect(turns).toBeGreaterThanOrEqual(blocks - 1)
  }))
