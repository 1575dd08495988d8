import { expect, it } from "@effect/vitest"
import { quietLimits } from "@steno/contracts"
import { ProcessHost } from "@steno/process-host"
import { Clock, Deferred, Effect, Fiber, Layer, Stream } from "effect"
import { TestClock } from "effect/testing"
import * as fc from "fast-check"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe } from "vitest"
import { defaultCaps } from "./capture-caps.ts"
import { CapturedCommands } from "./captured-commands.ts"
import { makeCapturedCommands } from "./captured-commands-layer.ts"
import { OutputPulse } from "./output-pulse.ts"
import { watchQuiet } from "./quiet-watch.ts"

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const seconds = (count: number): string => new Date(count * 1_000).toISOString()

const watched = Effect.gen(function*() {
  const pulse = new OutputPulse(yield* Clock.Clock, quietLimits.lineBytes)
  const told: Array<unknown> = []
  yield* Effect.forkChild(
    Stream.runForEach(watchQuiet(pulse, quietLimits.quietMs), (quiet) => Effect.sync(() => told.push(quiet))),
    { startImmediately: true }
  )
  return { pulse, told }
})

describe("a silence", () => {
  it.effect("is told once it has lasted 30 s, with the line that is not finished, and not again until there was output", () =>
    Effect.gen(function*() {
      const { pulse, told } = yield* watched
      yield* TestClock.adjust("10 seconds")
      pulse.push("stdout", bytes("building\nPassword: "))
      yield* TestClock.adjust("29999 millis")
      expect(told).toEqual([])
      yield* TestClock.adjust("1 millis")
      const first = { since: seconds(10), line: "Password: " }
      expect(told).toEqual([first])
      yield* TestClock.adjust("10 minutes")
      expect(told).toEqual([first])
      pulse.push("stdout", bytes("\n"))
      yield* TestClock.adjust("29 seconds")
      expect(told).toEqual([first])
      yield* TestClock.adjust("31 seconds")
      expect(told).toEqual([first, { since: seconds(640) }])
    }))

  it.effect("counts from the start of a command that never printed", () =>
    Effect.gen(function*() {
      const { told } = yield* watched
      yield* TestClock.adjust("1 hour")
      expect(told).toEqual([{ since: seconds(0) }])
    }))

  it.effect("is none while output comes now and then", () =>
    Effect.gen(function*() {
      const { pulse, told } = yield* watched
      for (let chunk = 0; chunk < 20; chunk++) {
        pulse.push("stderr", bytes("."))
        yield* TestClock.adjust("29 seconds")
      }
      expect(told).toEqual([])
      yield* TestClock.adjust("1 seconds")
      expect(told).toEqual([{ since: seconds(19 * 29), line: ".".repeat(20) }])
    }))
})

describe("the unfinished line", () => {
  const newPulse = Effect.map(Clock.Clock, (clock) => new OutputPulse(clock, 16))

  it.effect("is the end of what one stream printed since its last line feed, however the bytes were split", () =>
    Effect.gen(function*() {
      const clock = yield* Clock.Clock
      const chunk = fc.array(fc.constantFrom(..."ab\n"), { maxLength: 40 }).map((letters) => letters.join(""))
      fc.assert(fc.property(fc.array(chunk, { maxLength: 12 }), (chunks) => {
        const pulse = new OutputPulse(clock, 16)
        for (const text of chunks) pulse.push("stdout", bytes(text))
        expect(pulse.unfinishedLine).toBe((chunks.join("").split("\n").at(-1) ?? "").slice(-16))
      }))
    }))

  it.effect("is a prompt of the other stream where the one that printed last has finished its line", () =>
    Effect.gen(function*() {
      const pulse = yield* newPulse
      pulse.push("stderr", bytes("Go on? "))
      pulse.push("stdout", bytes("done\n"))
      expect(pulse.unfinishedLine).toBe("Go on? ")
      pulse.push("stdout", bytes("next"))
      expect(pulse.unfinishedLine).toBe("next")
    }))

  it.effect("is what a terminal shows of a line that was drawn again and again", () =>
    Effect.gen(function*() {
      const pulse = yield* newPulse
      pulse.push("stdout", bytes("\r10 %\r20 %\r"))
      expect(pulse.unfinishedLine).toBe("20 %")
    }))

  it.effect("never begins or ends with a part of a character that was cut off by its limit", () =>
    Effect.gen(function*() {
      const pulse = yield* newPulse
      pulse.push("stdout", bytes("é".repeat(20) + "x"))
      expect(pulse.unfinishedLine).toBe(`${"é".repeat(7)}x`)
    }))
})

it.live("a command that asks a question is told while it waits, and ends at once when it is stopped", () =>
  Effect.gen(function*() {
    const directory = yield* Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "quiet-watch-"))),
      (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
    )
    const commands = yield* CapturedCommands
    const command = yield* commands.start({
      command: "printf 'Password: '; sleep 600",
      cwd: directory,
      directory,
      marker: { name: "STENO_CALL_ID", value: "call_quiet" },
      environment: process.env
    })
    const asked = yield* Deferred.make<void>()
    const listening = yield* Effect.forkChild(Stream.runForEach(command.quiet, ({ line }) =>
      line === "Password: " ? Deferred.succeed(asked, undefined) : Effect.void))
    yield* Deferred.await(asked)
    expect((yield* command.stop({ grace: true })).kind).toBe("confirmed")
    yield* Fiber.join(listening)
    expect((yield* command.ended).captured.retained.text).toBe("Password: ")
  }).pipe(Effect.scoped, Effect.provide(
    Layer.effect(CapturedCommands, makeCapturedCommands(defaultCaps, { ...quietLimits, quietMs: 100 })).pipe(Layer.provide(ProcessHost.layer))
  )), 5_000)
