/**
 * Runs one Turn: an adapter's `drive` with a producer, and the handle its client holds.
 *
 * Owns: that a Turn settles exactly once whatever the adapter does; controls by the profile.
 * Never owns: how a harness is spoken to (the adapter).
 * Ordering: the handle is there before `drive` has done anything; the slot is free again when the Turn is sealed,
 * before anybody can know its result.
 */
import { Cause, Effect } from "effect"
import { type ControlReceipt, type ModelChoice, rejected, type Steer } from "./control-receipt.ts"
import type { TurnHandle } from "./harness.ts"
import type { CapabilityName, HarnessProfile } from "./harness-profile.ts"
import { TurnProducer, type TurnProducerOptions } from "./turn-producer.ts"
import { turnFailure, type TurnResult } from "./turn-result.ts"
import type { TurnSlot } from "./turn-slot.ts"

/** How a harness takes controls; each answers as soon as the control was taken or refused. */
export interface NativeControls {
  readonly steer: (steer: Steer) => Effect.Effect<ControlReceipt>
  readonly interrupt: Effect.Effect<ControlReceipt>
  readonly changeModel: (choice: ModelChoice) => Effect.Effect<ControlReceipt>
}

export interface TurnPlan extends Omit<TurnProducerOptions, "sealed"> {
  readonly profile: HarnessProfile
  readonly slot: TurnSlot
  /** Plays the Turn to its result. Admits it before any byte of input is written. */
  readonly drive: (turn: TurnProducer) => Effect.Effect<TurnResult>
  readonly controls: (turn: TurnProducer) => NativeControls
}

/** Dies with `SeamMisuse` where the slot is not free. A defect of `drive` still settles the Turn. */
export const startTurn = Effect.fnUntraced(function*(plan: TurnPlan) {
  yield* Effect.sync(() => plan.slot.take())
  const turn = new TurnProducer({ ...plan, sealed: () => plan.slot.free() })
  const driven = plan.drive(turn).pipe(
    Effect.catchCause((cause) => {
      plan.diagnostics.note("adapter-fault", Cause.hasDies(cause) ? "The adapter failed" : "The adapter was interrupted")
      return Effect.succeed(unplayed(turn))
    }),
    Effect.flatMap((result) => turn.end(result))
  )
  yield* Effect.forkDetach(driven)
  return turnHandle(plan.profile, turn, plan.controls(turn))
})

const unplayed = (turn: TurnProducer): TurnResult => {
  const failure = turnFailure("protocol", "The adapter stopped without a result")
  return turn.admitted
    ? { kind: "lost", unknown: "completion", lastObservation: "none", availability: "detached", failure }
    : { kind: "not-started", failure }
}

const turnHandle = (profile: HarnessProfile, turn: TurnProducer, native: NativeControls): TurnHandle => {
  const control = (
    capability: CapabilityName,
    take: () => Effect.Effect<ControlReceipt>
  ): Effect.Effect<ControlReceipt> =>
    Effect.suspend(() => {
      if (turn.ended) return Effect.succeed(rejected("already-settled"))
      if (profile[capability].state === "unsupported") return Effect.succeed(rejected("unsupported"))
      return Effect.raceFirst(take(), Effect.as(turn.result, rejected("already-settled")))
    })
  return {
    subscribe: turn.subscribe,
    result: turn.result,
    steer: (steer) =>
      profile.steer.state === "unsupported"
        ? Effect.succeed(rejected("unsupported"))
        : steer.text.trim() === "" || steer.steerId === ""
        ? Effect.succeed(rejected("shape-mismatch"))
        : turn.steer(steer, Effect.suspend(() => native.steer(steer))),
    interrupt: control("interruption", () => native.interrupt),
    changeModel: (choice) =>
      control("model-selection", () =>
        choice.model.trim() === "" ? Effect.succeed(rejected("shape-mismatch")) : native.changeModel(choice))
  }
}
