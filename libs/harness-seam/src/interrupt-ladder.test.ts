import { harnessLimits } from "@steno/contracts"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { accepted, rejected } from "./control-receipt.ts"
import { climbInterruptLadder, type InterruptSteps } from "./interrupt-ladder.ts"

/** Plays the ladder while time passes; answers the evidence and the steps that were taken, each with its time. */
const climb = (steps: Partial<InterruptSteps>, passMs: number) =>
  Effect.gen(function*() {
    const taken: Array<string> = []
    const note = (step: string) =>
      Effect.clockWith((clock) => Effect.sync(() => taken.push(`${step} ${clock.currentTimeMillisUnsafe()}`)))
    const fiber = yield* Effect.forkChild(climbInterruptLadder({
      nativeEnd: Effect.never,
      processEnd: Effect.never,
      stop: note("stop"),
      kill: note("kill"),
      ...steps
    }))
    yield* TestClock.adjust(passMs)
    return { evidence: yield* Fiber.join(fiber), taken }
  })

const { interruptConfirmMs, interruptStopMs } = harnessLimits
const all = interruptConfirmMs + interruptStopMs

describe("an interrupt", () => {
  it.effect("is proven by the native end, and nothing else is done", () =>
    Effect.gen(function*() {
      const nativeEnd = Effect.sleep(interruptConfirmMs - 1)
      const { evidence, taken } = yield* climb({ interrupt: Effect.succeed(accepted), nativeEnd }, interruptConfirmMs)
      expect([evidence, taken]).toEqual(["active-turn", []])
    }))

  it.effect("that is not confirmed in time stops the process, then kills it, and is unknown", () =>
    Effect.gen(function*() {
      const { evidence, taken } = yield* climb({ interrupt: Effect.succeed(accepted) }, all)
      expect(evidence).toBeUndefined()
      expect(taken).toEqual([`stop ${interruptConfirmMs}`, `kill ${all}`])
    }))

  it.effect("that is refused, or that the harness does not know, stops the process at once", () =>
    Effect.gen(function*() {
      const processEnd = Effect.sleep(interruptStopMs - 1)
      for (const interrupt of [{ interrupt: Effect.succeed(rejected("expired")) }, {}]) {
        const { evidence, taken } = yield* climb({ ...interrupt, processEnd: Effect.never, nativeEnd: processEnd }, all)
        expect(evidence).toBe("active-turn")
        expect(taken).toHaveLength(1)
      }
      const { evidence, taken } = yield* climb({ processEnd }, all)
      expect([evidence, taken.length]).toEqual(["process-only", 1])
    }))

  it.effect("is unknown when the process ended before anybody asked it to", () =>
    Effect.gen(function*() {
      const { evidence, taken } = yield* climb({
        interrupt: Effect.succeed(accepted),
        processEnd: Effect.sleep(10)
      }, 10)
      expect([evidence, taken]).toEqual([undefined, []])
    }))

  it.effect("that is never answered waits no longer than one that was", () =>
    Effect.gen(function*() {
      const { taken } = yield* climb({ interrupt: Effect.never }, all)
      expect(taken).toHaveLength(2)
    }))
})
