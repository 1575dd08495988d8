/**
 * Applies Operations to a Run that already exists.
 *
 * Owns: what each Operation means for a Run that is live here, rests, or was abandoned.
 * Never owns: storing the Operation (operations), a Run that another live process owns: that one applies it itself.
 */
import type { EndInput, InterruptInput, Operation, OperationInput, OperationOutcome, RunId, RunState, SteerInput } from "@steno/contracts"
import { LedgerError, RunLedger, type RunRecord, type RunRow } from "@steno/ledger"
import { ProcessHost } from "@steno/process-host"
import type { PortProblem } from "@steno/projection-port"
import type { ToolCallError } from "@steno/tool-call-service"
import { Context, DateTime, Effect, Layer, Schedule } from "effect"
import { awaitedAnswers } from "./answer-target.ts"
import { type AnswerOperation, Answering } from "./answering.ts"
import { awaitsAnswer, hasEnded, noLiveTurn, notInteractive, notTaken, noTurnToSteer, notSettled, restsUnsteered, steerRejected, turnBusy } from "./control-problems.ts"
import { resumeRun, sendText, takesTurns } from "./further-turns.ts"
import { LiveRuns } from "./live-runs.ts"
import { type BegunBy, steerIdOf, turnIdOf } from "./operation-ids.ts"
import { ownershipOf } from "./ownership.ts"
import { toPortProblem } from "./problems.ts"
import { Reconciliation } from "./reconciliation.ts"
import { runNotFound, sessionOf } from "./run-reference.ts"
import { RunRemoval } from "./run-removal.ts"
import { TurnStarts } from "./turn-starts.ts"

type Failure = LedgerError | PortProblem | ToolCallError

export type ControlInput = Exclude<OperationInput, { readonly operation: "start" }>

/** An Operation on a Run that exists, as it is stored. */
export type ControlOperation<Input extends ControlInput = ControlInput> = Pick<Operation, "operationId" | "admittedAt"> & {
  readonly input: Input
}

const applied: OperationOutcome = { status: "applied" }
const notApplied = (refusal: PortProblem): OperationOutcome => ({ status: "not-applied", problem: refusal.problem })

const isFenced = (error: Failure): boolean => {
  const cause = error._tag === "ToolCallError" && "cause" in error.reason ? error.reason.cause : error
  return cause instanceof LedgerError && cause.reason._tag === "Fenced"
}

/** Another process that takes, ends or removes the same Run comes first; then there is another state to look at. */
const afterOthers = <A>(work: Effect.Effect<A, Failure>) =>
  Effect.retry(work, { while: isFenced, schedule: Schedule.spaced("50 millis"), times: 40 })

/** How often a Run of this process that nobody drives is looked at: one that is being taken or put to rest is so for a moment only. */
const mostUndriven = 250

export class RunControl extends Context.Service<RunControl, {
  /** Resolves with the outcome once the Operation took effect; with `undefined`, and without effect, when another live process owns the Run. */
  readonly apply: (operation: ControlOperation) => Effect.Effect<OperationOutcome | undefined, PortProblem>
}>()("@steno/application/RunControl") {
  static readonly layerNoDeps = Layer.effect(
    RunControl,
    Effect.gen(function*() {
      const ledger = yield* RunLedger
      const host = yield* ProcessHost
      const liveRuns = yield* LiveRuns
      const starts = yield* TurnStarts
      const answering = yield* Answering
      const reconciliation = yield* Reconciliation
      const removal = yield* RunRemoval
      const now = Effect.map(DateTime.now, DateTime.formatIso)

      const recordOf = Effect.fnUntraced(function*(runId: RunId) {
        return (yield* ledger.readRun(runId)) ?? (yield* runNotFound(runId))
      })

      /**
       * Does `live` to a Run that is live here and `resting` to one that rests; one that was abandoned is settled first. `undefined`
       * when another live process owns it. `live` answers `undefined` where the Run went to rest meanwhile. Fails where nobody drives
       * the Run and it does not come to rest: that would be waited for without end.
       */
      const wherever = Effect.fnUntraced(function*<A>(
        runId: RunId,
        { live, resting }: {
          readonly live: Effect.Effect<A | undefined, Failure>
          readonly resting: (row: RunRow) => Effect.Effect<A, Failure>
        }
      ): Effect.fn.Return<A | undefined, Failure> {
        let undriven = 0
        let unsettled: number | undefined
        while (true) {
          const row = yield* ledger.runRow(runId)
          if (row === undefined) return yield* runNotFound(runId)
          const where = yield* Effect.provideService(ownershipOf(row), ProcessHost, host)
          switch (where) {
            case "elsewhere":
              return undefined
            case "resting":
              return yield* resting(row)
            case "abandoned":
              if (row.epoch === unsettled) return yield* notSettled(runId)
              unsettled = row.epoch
              yield* reconciliation.settleIfAbandoned(row)
              break
            case "here": {
              const done = yield* live
              if (done !== undefined) return done
              const rested = liveRuns.rested(runId)
              undriven = rested === undefined ? undriven + 1 : 0
              if (undriven > mostUndriven) return yield* notSettled(runId)
              yield* rested ?? Effect.sleep("20 millis")
            }
          }
        }
      })

      const onRecord = (runId: RunId, act: (record: RunRecord) => Effect.Effect<void, Failure>) =>
        Effect.as(Effect.flatMap(recordOf(runId), act), applied)

      /** Makes a Run rest; `undefined` when another live process owns it. */
      const bringToRest = (runId: RunId) =>
        wherever<RunRow>(runId, {
          live: Effect.as(liveRuns.cancel(runId), undefined),
          resting: Effect.succeed
        })

      /** Ends a Turn that rests, so that nothing of the Run waits any more; `false` where there is none. */
      const endResting = Effect.fnUntraced(function*(runId: RunId, rest: RunState) {
        const record = yield* recordOf(runId)
        const turn = record.turns.find(({ result }) => result === undefined)
        if (turn !== undefined) yield* starts.end(record, turn, rest)
        return turn !== undefined
      })

      /** A Run that is cancelled by now is what was asked for. */
      const cancel = Effect.fnUntraced(function*(runId: RunId) {
        const row = yield* bringToRest(runId)
        if (row === undefined) return undefined
        if (row.state === "cancelled" || (yield* endResting(runId, "cancelled"))) return applied
        const fence = yield* ledger.takeOver({ runId, epoch: row.epoch, owner: yield* host.self, state: "cancelled", at: yield* now })
        yield* ledger.restRun(fence, { state: "cancelled", at: yield* now })
        return applied
      })

      /** A Run that is gone by now is what was asked for. */
      const remove = Effect.fnUntraced(function*(runId: RunId) {
        if ((yield* ledger.runRow(runId)) === undefined) return applied
        if ((yield* bringToRest(runId)) === undefined) return undefined
        yield* endResting(runId, "cancelled")
        const row = yield* ledger.runRow(runId)
        if (row === undefined) return applied
        const fence = yield* ledger.takeOver({ runId, epoch: row.epoch, owner: yield* host.self, at: yield* now })
        yield* removal.remove(fence)
        yield* removal.giveBackSpace
        return applied
      })

      const interrupt = Effect.fnUntraced(function*({ force, runId, session }: InterruptInput) {
        if (session !== undefined) yield* sessionOf(yield* recordOf(runId), session)
        return yield* wherever(runId, {
          live: Effect.map(liveRuns.interrupt(runId, { force: force === true }), (done) => done ? applied : undefined),
          resting: () =>
            Effect.flatMap(endResting(runId, "halted"), (ended) => ended ? Effect.succeed(applied) : Effect.fail(noLiveTurn(runId)))
        })
      })

      /** A live Turn takes no further one, unless it is the one that this very Operation began. */
      const whenResting = (operation: BegunBy, act: (record: RunRecord) => Effect.Effect<void, Failure>) => {
        const { runId } = operation
        const begun = turnIdOf(operation)
        return wherever(runId, {
          live: liveRuns.control(runId, () =>
            Effect.flatMap(recordOf(runId), ({ turns }) =>
              turns.some(({ turnId }) => turnId === begun) ? Effect.succeed(applied) : Effect.fail(turnBusy(runId)))),
          resting: () => onRecord(runId, act)
        })
      }

      const answer = (operation: AnswerOperation) =>
        wherever(operation.input.runId, {
          live: Effect.map(answering.live(operation), (done) => done && applied),
          resting: () =>
            Effect.as(
              Effect.andThen(
                Effect.flatMap(recordOf(operation.input.runId), takesAnswers),
                answering.resting(operation)
              ),
              applied
            )
        })

      const takesAnswers = ({ run: { harness, runId } }: RunRecord) => harness.id === "command" ? Effect.fail(notTaken(runId)) : Effect.void

      const steer = (operation: BegunBy, { runId, session, text, turnId }: SteerInput) =>
        wherever(runId, {
          live: liveRuns.control(runId, (turn) =>
            Effect.gen(function*() {
              const { conversationId } = yield* sessionOf(yield* recordOf(runId), session)
              const isMeant = turn?.conversationId === conversationId && (turnId === undefined || turnId === turn.turnId)
              if (turn?.steer === undefined || !isMeant) return yield* noTurnToSteer(runId)
              const receipt = yield* turn.steer({ steerId: steerIdOf(operation), text })
              return receipt.kind === "accepted" ? applied : yield* steerRejected(runId, receipt.reason)
            })),
          resting: () =>
            Effect.flatMap(recordOf(runId), (record) =>
              Effect.andThen(takesTurns(record), Effect.fail(restsUnsteered(record, awaitedAnswers(record)))))
        })

      /** Ends a Run that waits for the next input. One that rests so already is what was asked for. */
      const end = (operation: BegunBy, { failed, runId }: EndInput) =>
        whenResting(operation, Effect.fnUntraced(function*(record) {
          const { run: { epoch, kind, state } } = record
          const wanted: RunState = failed === true ? "failed" : "succeeded"
          yield* takesTurns(record)
          if (kind !== "interactive") return yield* notInteractive(runId)
          if (state === wanted) return
          if (state === "succeeded" || state === "failed") return yield* hasEnded(runId, state)
          const awaited = awaitedAnswers(record)
          if (awaited.length > 0) return yield* awaitsAnswer(record, awaited)
          const fence = yield* ledger.takeOver({ runId, epoch, owner: yield* host.self, at: yield* now })
          yield* ledger.restRun(fence, { state: wanted, at: yield* now })
        }))

      const applyTo = (operation: ControlOperation): Effect.Effect<OperationOutcome | undefined, Failure> => {
        const { input } = operation
        const { runId } = input
        const begun: BegunBy = { ...operation, runId }
        switch (input.operation) {
          case "interrupt":
            return interrupt(input)
          case "cancel":
            return cancel(runId)
          case "delete":
            return remove(runId)
          case "answer":
            return answer({ ...operation, input })
          case "send":
            return whenResting(begun, (record) => sendText(starts, record, begun, input))
          case "resume":
            return whenResting(begun, (record) => resumeRun(starts, record, { ...begun, input }))
          case "steer":
            return steer(begun, input)
          case "end":
            return end(begun, input)
        }
      }

      /** A refusal is an outcome; a fault of the record is not, for the Operation may be applied later. */
      const refusedAs = (error: Failure): Effect.Effect<OperationOutcome, PortProblem> =>
        error._tag === "PortProblem" ? Effect.succeed(notApplied(error)) : Effect.fail(toPortProblem(error, "unknown"))

      return RunControl.of({
        apply: Effect.fn("RunControl.apply")((operation: ControlOperation) =>
          applyTo(operation).pipe(afterOthers, Effect.catch(refusedAs)))
      })
    })
  )
}
