/**
 * Applies stored Operations and stores what came of them.
 *
 * Owns: that an Operation is applied by one fiber of this process at a time, and not again once it is settled.
 * Never owns: what an Operation means (run-control), admitting one (operations).
 * Ordering: the outcome is stored after the effect. A crash in between is met by applying again, which has no second effect.
 */
import { type OperationId, type OperationOutcome, suspendedOn } from "@steno/contracts"
import { OperationLedger, RunLedger } from "@steno/ledger"
import type { PortProblem } from "@steno/projection-port"
import { Context, DateTime, Effect, Layer, Semaphore } from "effect"
import { toPortProblem } from "./problems.ts"
import { type ControlOperation, RunControl } from "./run-control.ts"

export class OperationPursuit extends Context.Service<OperationPursuit, {
  /** Resolves with `true` once the Operation is settled, with `false` when another live process owns its Run. */
  readonly carryOut: (operation: ControlOperation) => Effect.Effect<boolean, PortProblem>
  /**
   * Acts on an answer that is settled and stored, and whose call was left waiting because the owner was gone before it went on.
   * Anything else that is settled has its effect.
   */
  readonly goOn: (operation: ControlOperation) => Effect.Effect<void, PortProblem>
  /** Settles it as not applied. */
  readonly giveUp: (operationId: OperationId, problem: PortProblem) => Effect.Effect<void, PortProblem>
}>()("@steno/application/OperationPursuit") {
  static readonly layerNoDeps = Layer.effect(
    OperationPursuit,
    Effect.gen(function*() {
      const ledger = yield* OperationLedger
      const runs = yield* RunLedger
      const control = yield* RunControl
      /** Of Operations that are being applied, with how many fibers want to. */
      const turns = new Map<OperationId, { readonly permit: Semaphore.Semaphore; wanting: number }>()

      const settle = (operationId: OperationId, outcome: OperationOutcome) =>
        Effect.flatMap(DateTime.now, (now) => ledger.settleOperation({ operationId, outcome, at: DateTime.formatIso(now) })).pipe(
          Effect.mapError((error) => toPortProblem(error))
        )

      const apply = Effect.fnUntraced(function*(operation: ControlOperation) {
        const { operationId } = operation
        const stored = yield* ledger.operation(operationId).pipe(Effect.mapError((error) => toPortProblem(error)))
        if (stored?.outcome.status !== "pending") return true
        const outcome = yield* control.apply(operation)
        if (outcome === undefined) return false
        yield* settle(operationId, outcome)
        return true
      })

      const goOn = Effect.fnUntraced(function*(operation: ControlOperation) {
        const { input: { runId }, operationId } = operation
        const record = yield* runs.readRun(runId).pipe(Effect.mapError((error) => toPortProblem(error)))
        const isLeft = record?.unfinished.some((row) => suspendedOn(row)?.resolution?.id === operationId) === true
        if (isLeft) yield* control.apply(operation)
      })

      const oneAtATime = <A, E>(operationId: OperationId, effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
        Effect.suspend(() => {
          const turn = turns.get(operationId) ?? { permit: Semaphore.makeUnsafe(1), wanting: 0 }
          turn.wanting++
          turns.set(operationId, turn)
          return Effect.ensuring(turn.permit.withPermit(effect), Effect.sync(() => {
            turn.wanting--
            if (turn.wanting === 0) turns.delete(operationId)
          }))
        })

      return OperationPursuit.of({
        carryOut: Effect.fn("OperationPursuit.carryOut")((operation: ControlOperation) =>
          oneAtATime(operation.operationId, apply(operation))),
        goOn: (operation) => oneAtATime(operation.operationId, goOn(operation)),
        giveUp: (operationId, { problem }) => Effect.asVoid(settle(operationId, { status: "not-applied", problem }))
      })
    })
  )
}
