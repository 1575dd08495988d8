/**
 * Tells when a command has printed nothing for long, once per silence.
 *
 * Limits: sleeps until the present silence would be long enough, so output costs it nothing.
 */
import type { Quiet } from "@steno/contracts"
import { Clock, DateTime, Effect, Stream } from "effect"
import type { OutputPulse } from "./output-pulse.ts"

const nanosPerMs = 1_000_000

/** Never ends. */
export const watchQuiet = (pulse: OutputPulse, quietMs: number): Stream.Stream<Quiet> =>
  Stream.unfold(
    -1,
    Effect.fnUntraced(function*(toldChunks: number) {
      const clock = yield* Clock.Clock
      for (;;) {
        const { atNanos, chunks } = pulse
        const silentMs = Number(clock.monotonicTimeNanosUnsafe() - atNanos) / nanosPerMs
        if (chunks !== toldChunks && silentMs >= quietMs) {
          const since = DateTime.formatIso(DateTime.makeUnsafe(Math.round(clock.currentTimeMillisUnsafe() - silentMs)))
          const line = pulse.unfinishedLine
          const quiet: Quiet = { since, ...(line === "" ? {} : { line }) }
          return [quiet, chunks] as const
        }
        yield* Effect.sleep(chunks === toldChunks ? quietMs : Math.ceil(quietMs - silentMs))
      }
    })
  )
