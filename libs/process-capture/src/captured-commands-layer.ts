/**
 * Runs commands with their output captured.
 *
 * Ordering: files, then the process; the end is told when shell and pipes are done (or let go) and the files are closed.
 */
import { processLimits, type quietLimits, type RetainedOutput, type Survivor } from "@steno/contracts"
import { type Ending, ProcessHost, type RunningCommand, type ShellExit } from "@steno/process-host"
import { Clock, Deferred, Effect, Stream } from "effect"
import type { CaptureCaps } from "./capture-caps.ts"
import type { CapturedCommand, CapturedCommandSpec, CommandEnd } from "./captured-commands.ts"
import { LiveCapture } from "./live-capture.ts"
import { MemoryTail } from "./memory-tail.ts"
import { OutputPulse } from "./output-pulse.ts"
import { watchQuiet } from "./quiet-watch.ts"
import { ProcessCaptureError } from "./process-capture-errors.ts"
import { retainedText } from "./retained-output.ts"

/** Extra time for pipes that wait for our own disk, not for someone who holds them. */
const slowDiskMs = 10_000
const slowDiskLookMs = 50

interface Supervised {
  readonly command: RunningCommand
  readonly capture: LiveCapture
  readonly startedAt: number
  /** What the ladder that a limit or `stop` started has reached. */
  readonly ending: Deferred.Deferred<Ending>
  /** Whom that ladder met first: the running shell, or only what it had left. */
  stopMet: "shell" | "survivors" | undefined
  timedOut: boolean
}

const drain = Effect.fnUntraced(function*(capture: LiveCapture) {
  if (capture.isDrained) return
  yield* Effect.raceFirst(capture.drained, Effect.sleep(processLimits.pipeHoldMs))
  const until = performance.now() + slowDiskMs
  while (capture.isPaused && performance.now() < until) {
    yield* Effect.raceFirst(capture.drained, Effect.sleep(slowDiskLookMs))
  }
})

/** Goes on when the caller is interrupted: the end of the command waits for its answer. */
const stop = Effect.fnUntraced(function*(run: Supervised, options: { readonly grace: boolean }) {
  run.stopMet ??= run.command.hasExited() ? "survivors" : "shell"
  const ending = yield* run.command.terminate(options)
  yield* Deferred.succeed(run.ending, ending)
  return ending
}, Effect.uninterruptible)

const limit = Effect.fnUntraced(function*(run: Supervised, timeoutMs: number) {
  yield* Effect.sleep(timeoutMs)
  if (run.command.hasExited()) return
  run.timedOut = true
  yield* stop(run, { grace: true })
})

/** The shell's status; absent when the ladder ended and still nobody could collect it. */
const collectExit = (run: Supervised): Effect.Effect<ShellExit | undefined> =>
  Effect.raceFirst(
    run.command.exited,
    Deferred.await(run.ending).pipe(Effect.andThen(Effect.sleep(processLimits.pipeHoldMs)), Effect.as(undefined))
  )

const leftBy = (ending: Ending): ReadonlyArray<Survivor> => ending.kind === "confirmed" ? [] : ending.left

const supervise = Effect.fnUntraced(function*(
  run: Supervised,
  timeoutMs: number | undefined
): Effect.fn.Return<CommandEnd> {
  const exited = collectExit(run)
  const exit = timeoutMs === undefined
    ? yield* exited
    : yield* Effect.raceFirst(exited, Effect.andThen(limit(run, timeoutMs), Effect.never))
  const stopped = run.stopMet === "shell" ? yield* Deferred.await(run.ending) : undefined
  yield* drain(run.capture)
  const durationMs = performance.now() - run.startedAt
  const [captured, found] = yield* Effect.all([
    Effect.andThen(run.command.release, run.capture.close),
    run.stopMet === undefined ? run.command.survivors : Effect.succeed([])
  ], { concurrency: "unbounded" })
  const survivors = run.stopMet === undefined ? found : leftBy(yield* Deferred.await(run.ending))
  return { exit, timedOut: run.timedOut, stopped, survivors, captured, durationMs }
})

const shownEnd = (tail: MemoryTail | undefined): RetainedOutput => {
  if (tail === undefined) return { text: "" }
  const bytes = tail.bytes()
  return retainedText({ bytes, cut: tail.total > bytes.length })
}

/** When a silence is told, and how much of its line. */
export type QuietLimits = Readonly<Record<keyof typeof quietLimits, number>>

export const makeCapturedCommands = (caps: CaptureCaps, quiet: QuietLimits) =>
  Effect.gen(function*() {
    const host = yield* ProcessHost
    const start = Effect.fn("CapturedCommands.start")(function*(spec: CapturedCommandSpec) {
      const pulse = new OutputPulse(yield* Clock.Clock, quiet.lineBytes)
      const tail = spec.isWatched === true ? new MemoryTail() : undefined
      const capture = LiveCapture.open(spec.directory, caps, { pulse, ...(tail === undefined ? {} : { tail }) })
      if (!(capture instanceof LiveCapture)) return yield* new ProcessCaptureError({ reason: capture })
      const command = yield* Effect.onError(host.start(spec), () => capture.close)
      capture.read("stdout", command.stdout)
      capture.read("stderr", command.stderr)
      const run: Supervised = {
        command,
        capture,
        startedAt: performance.now(),
        ending: Deferred.makeUnsafe(),
        stopMet: undefined,
        timedOut: false
      }
      const ended = Deferred.makeUnsafe<CommandEnd>()
      yield* Effect.interruptible(supervise(run, spec.timeoutMs)).pipe(
        Deferred.into(ended),
        Effect.forkDetach({ startImmediately: true })
      )
      return {
        identity: command.identity,
        quiet: Stream.interruptWhen(watchQuiet(pulse, quiet.quietMs), Effect.asVoid(Deferred.await(ended))),
        ended: Deferred.await(ended),
        stop: (options) => stop(run, options),
        endedByItself: () => run.stopMet !== "shell" && command.hasExited(),
        storedBytes: () => capture.onDisk,
        output: () => shownEnd(tail),
        endSurvivors: command.terminate({ grace: true })
      } satisfies CapturedCommand
    }, Effect.uninterruptible)
    return { start }
  })
