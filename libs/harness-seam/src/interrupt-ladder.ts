/**
 * Interrupts a Turn by steps and says what proves that it worked.
 *
 * Owns: the order and the times of the steps.
 * Never owns: how a step is done (the adapter), the result that follows.
 * Ordering: native interrupt → 3 s → stop the process → 2 s → kill it. A refused interrupt, or none, goes on at once.
 */
import { harnessLimits } from "@steno/contracts"
import { Effect } from "effect"
import type { ControlReceipt } from "./control-receipt.ts"
import type { InterruptEvidence } from "./turn-result.ts"

export interface InterruptSteps {
  /** Sends the native interrupt; absent where the harness has none. */
  readonly interrupt?: Effect.Effect<ControlReceipt>
  /** Resolves when the native end that matches the Turn and the interrupt was read. */
  readonly nativeEnd: Effect.Effect<void>
  /** Closes stdin and sends SIGTERM. */
  readonly stop: Effect.Effect<void>
  readonly processEnd: Effect.Effect<void>
  /** SIGKILL and a sweep of everything that bears the Turn's mark. */
  readonly kill: Effect.Effect<void>
}

/** Undefined: nothing proves it, the interruption is unknown. */
export const climbInterruptLadder = Effect.fnUntraced(function*(steps: InterruptSteps) {
  const ended = (evidence: InterruptEvidence) => Effect.as(steps.nativeEnd, evidence)
  if (steps.interrupt !== undefined) {
    const said = yield* Effect.raceFirst(
      ended("active-turn"),
      Effect.raceFirst(
        Effect.as(steps.processEnd, "process-ended" as const),
        Effect.flatMap(steps.interrupt, ({ kind }) => kind === "accepted" ? Effect.never : Effect.succeed(kind))
      )
    ).pipe(Effect.timeoutOption(harnessLimits.interruptConfirmMs))
    if (said._tag === "Some" && said.value === "process-ended") return undefined
    if (said._tag === "Some" && said.value === "active-turn") return said.value
  }
  yield* steps.stop
  const stopped = yield* Effect.raceFirst(
    ended("active-turn"),
    Effect.as(steps.processEnd, "process-only" as const)
  ).pipe(Effect.timeoutOption(harnessLimits.interruptStopMs))
  if (stopped._tag === "Some") return stopped.value
  yield* steps.kill
  return undefined
})
