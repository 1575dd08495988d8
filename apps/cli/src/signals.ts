/**
 * Ctrl-C and other signals.
 *
 * Owns: a first signal interrupts the Run, a second one kills its processes and leaves at once; exit codes 128 + n. While no Run is
 * admitted a first signal stops the work, which ends what it has started and settles what it has begun to; a second one leaves
 * within `leaveAfterMs`.
 * Limits: two signals within 100 ms are one: a process that forwards signals to us shares our terminal's Ctrl-C.
 */
import type { RunId, RunState } from "@steno/contracts"
import type { ProjectionPort } from "@steno/projection-port"
import { Effect } from "effect"
import { constants } from "node:os"

const handled = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"] as const
type HandledSignal = typeof handled[number]

const sameSignalMs = 100
const leaveAfterMs = 1_000

interface LiveRun {
  readonly runId: RunId
  readonly port: ProjectionPort["Service"]
}

const codeOf = (signal: HandledSignal) => 128 + constants.signals[signal]

export interface Signals {
  /** To be told about the Run that is waited for. */
  readonly admittedRun: (runId: RunId, port: ProjectionPort["Service"]) => Effect.Effect<void>
  /** Whether one came. */
  readonly hasCome: () => boolean
  /** The exit code of the work: that of the signal that ended it, else the given one. Work that ended by itself all the same keeps its own. */
  readonly exitCode: (code: number) => number
}

/** @param stopWork ends what this process is at; called at most once */
export const listenForSignals = (stopWork: () => void): Signals => {
  let live: LiveRun | undefined
  let first: { readonly signal: HandledSignal; readonly atMs: number } | undefined
  let rest: RunState | undefined

  const interrupt = (run: LiveRun, force: boolean) =>
    run.port.submit({
      input: { operation: "interrupt", runId: run.runId, ...(force ? { force: true as const } : {}) }
    })

  /** What is left to do when the Run took no interrupt: leave if another process drives it, else it is at rest and about to be told. */
  const leaveIfElsewhere = (run: LiveRun, signal: HandledSignal) =>
    run.port.showRun({ text: run.runId, workspacePath: "" }).pipe(
      Effect.map(({ liveness }) => liveness.state === "live-elsewhere"),
      Effect.orElseSucceed(() => true),
      Effect.andThen((isElsewhere) => isElsewhere ? Effect.sync(() => process.exit(codeOf(signal))) : Effect.void)
    )

  const interruptAndSee = (run: LiveRun, signal: HandledSignal) =>
    interrupt(run, false).pipe(
      Effect.andThen(run.port.awaitRest(run.runId)),
      Effect.andThen(({ state }) => Effect.sync(() => void (rest = state))),
      Effect.catch(() => leaveIfElsewhere(run, signal))
    )

  const onSignal = (signal: HandledSignal) => {
    const atMs = performance.now()
    if (first !== undefined && atMs - first.atMs < sameSignalMs) return
    const isFirst = first === undefined
    first ??= { signal, atMs }
    const run = live
    if (run === undefined) {
      if (isFirst) stopWork()
      else setTimeout(() => process.exit(codeOf(signal)), leaveAfterMs)
      return
    }
    if (isFirst) {
      Effect.runFork(interruptAndSee(run, signal))
      return
    }
    Effect.runFork(
      Effect.ignore(interrupt(run, true)).pipe(
        Effect.andThen(Effect.ignore(run.port.awaitRest(run.runId))),
        Effect.timeoutOption(leaveAfterMs),
        Effect.andThen(Effect.sync(() => process.exit(codeOf(signal))))
      )
    )
  }
  for (const signal of handled) process.on(signal, () => onSignal(signal))

  return {
    admittedRun: (runId, port) => Effect.sync(() => void (live = { runId, port })),
    hasCome: () => first !== undefined,
    exitCode: (code) => first === undefined || code === 0 || rest === "failed" ? code : codeOf(first.signal)
  }
}
