/**
 * Applies Operations to a Run that already exists.
 *
 * Owns: what interrupt, cancel and delete mean for a Run that is live here, rests, or was abandoned.
 * Never owns: storing the Operation (operations), a Run that another live process owns: that one applies it itself.
 */
import type { Operation, OperationOutcome, RunId } from "@steno/contracts"
import { type LedgerError, RunLedger, type RunRow } from "@steno/ledger"
import { ProcessHost } from "@steno/process-host"
import type { PortProblem } from "@steno/projection-port"
import { Context, DateTime, Effect, Layer, Schedule } from "effect"
import { ownershipOf } from "./ownership.ts"
import { makeProblem, toPortProblem } from "./problems.ts"
import { runNotFound } from "./run-reference.ts"
import { Reconciliation } from "./reconciliation.ts"
import { RunRemoval } from "./run-removal.ts"
import { Turns } from "./turns.ts"

const applied: OperationOutcome = { status: "applied" }
const notApplied = (refusal: PortProblem): OperationOutcome => ({ status: "not-applied", problem: refusal.problem })

/** Another process that ends or removes the same Run comes first; then there is another state to look at. */
const afterOthers = <A>(work: Effect.Effect<A, LedgerError | PortProblem>) =>
  Effect.retry(work, {
    while: (error) => error._tag === "LedgerError" && error.reason._tag === "Fenced",
    schedule: Schedule.spaced("50 millis"),
    times: 40
  })

const noLiveTurn = (runId: RunId) =>
  makeProblem(
    "turn-control-rejected",
    "No Turn of this Run is live.",
    `Look at the Run with \`steno run show ${runId}\`.`,
    { details: { run: runId } }
  )

const notTaken = (runId: RunId) =>
  makeProblem(
    "turn-control-rejected",
    "A Run of direct commands takes no answer, further input or control but interrupt, cancel and delete.",
    "Start another Run.",
    { details: { run: runId } }
  )

export class RunControl extends Context.Service<RunControl, {
  /** Resolves with the outcome once the Operation took effect; with `undefined`, and without effect, when another live process owns the Run. */
  readonly apply: (input: Operation["input"]) => Effect.Effect<OperationOutcome | undefined, PortProblem>
}>()("@steno/application/RunControl") {
  static readonly layerNoDeps = Layer.effect(
    RunControl,
    Effect.gen(function*() {
      const ledger = yield* RunLedger
      const host = yield* ProcessHost
      const turns = yield* Turns
      const reconciliation = yield* Reconciliation
      const removal = yield* RunRemoval
      const now = Effect.map(DateTime.now, DateTime.formatIso)

      /** Makes a Run rest that is live here or was abandoned; `undefined` when another live process owns it. */
      const bringToRest = Effect.fnUntraced(function*(runId: RunId): Effect.fn.Return<RunRow | undefined, LedgerError | PortProblem> {
        while (true) {
          const row = yield* ledger.runRow(runId)
          if (row === undefined) return yield* runNotFound(runId)
          const where = yield* Effect.provideService(ownershipOf(row), ProcessHost, host)
          if (where === "resting") return row
          if (where === "elsewhere") return undefined
          if (where === "abandoned") yield* reconciliation.settleIfAbandoned(row)
          else {
            yield* turns.cancel(runId)
            yield* turns.rested(runId) ?? Effect.sleep("20 millis")
          }
        }
      })

      /** A Run that is cancelled by now is what was asked for. */
      const cancel = Effect.fnUntraced(function*(runId: RunId) {
        const row = yield* bringToRest(runId)
        if (row === undefined) return undefined
        if (row.state !== "cancelled") {
          const fence = yield* ledger.takeOver({ runId, epoch: row.epoch, owner: yield* host.self, state: "cancelled", at: yield* now })
          yield* ledger.restRun(fence, { state: "cancelled", at: yield* now })
        }
        return applied
      })

      /** A Run that is gone by now is what was asked for. */
      const remove = Effect.fnUntraced(function*(runId: RunId) {
        if ((yield* ledger.runRow(runId)) === undefined) return applied
        const row = yield* bringToRest(runId)
        if (row === undefined) return undefined
        const fence = yield* ledger.takeOver({ runId, epoch: row.epoch, owner: yield* host.self, at: yield* now })
        yield* removal.remove(fence)
        yield* removal.giveBackSpace
        return applied
      })

      const interrupt = Effect.fnUntraced(function*(runId: RunId, force: boolean) {
        if (yield* turns.interrupt(runId, { force })) return applied
        const row = yield* ledger.runRow(runId)
        if (row === undefined) return notApplied(runNotFound(runId))
        const where = yield* Effect.provideService(ownershipOf(row), ProcessHost, host)
        return where === "elsewhere" ? undefined : notApplied(noLiveTurn(runId))
      })

      const apply = Effect.fn("RunControl.apply")(function*(input: Operation["input"]) {
        switch (input.operation) {
          case "start":
            return applied
          case "interrupt":
            return yield* interrupt(input.runId, input.force === true)
          case "cancel":
            return yield* cancel(input.runId).pipe(afterOthers)
          case "delete":
            return yield* remove(input.runId).pipe(afterOthers)
          case "answer":
          case "send":
          case "steer":
          case "resume":
          case "end":
            return notApplied(notTaken(input.runId))
        }
      }, Effect.catch((error) =>
        error._tag === "PortProblem"
          ? error.problem.code === "run-not-found" ? Effect.succeed(notApplied(error)) : Effect.fail(error)
          : Effect.fail(toPortProblem(error, "unknown"))))

      return RunControl.of({ apply })
    })
  )
}
