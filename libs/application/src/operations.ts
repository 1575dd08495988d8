/**
 * Admits Operations: checks the input, makes it durable once, starts its work.
 *
 * Owns: refusals before anything happens, idempotency per operation id.
 * Ordering: an Operation is durable before it acts and before it is acknowledged; a repeat is recognised before anything is
 * checked that may have changed since.
 * Limits: an interrupt of a Run that is live in this process is not stored; asking again is harmless.
 */
import { type ConversationId, IdMinter, type Operation, OperationId, type OperationInput, type OperationOutcome, type StartInput, type TurnAdmitted, type TurnId } from "@steno/contracts"
import { OperationLedger, RunLedger } from "@steno/ledger"
import { ProcessHost } from "@steno/process-host"
import type { PortProblem, Submitted } from "@steno/projection-port"
import { ToolCallService } from "@steno/tool-call-service"
import { Context, DateTime, Effect, FileSystem, Layer, Option, Schedule, Schema } from "effect"
import { CommandTurns } from "./command-turns.ts"
import { runTerminal } from "./control-problems.ts"
import { askedOf, commandHarness, HarnessPreparation } from "./harness-preparation.ts"
import { HarnessTurns } from "./harness-turns.ts"
import { LiveRuns } from "./live-runs.ts"
import { OperationPursuit } from "./operation-pursuit.ts"
import { makeProblem, toPortProblem } from "./problems.ts"
import { Reconciliation } from "./reconciliation.ts"
import type { ControlInput, ControlOperation } from "./run-control.ts"
import { runNotFound } from "./run-reference.ts"
import { checkStart, checkWorkspace } from "./start-checks.ts"

const decodeOperationId = Schema.decodeUnknownEffect(OperationId)

/** How long a submitted Operation is pursued while another live process owns its Run. */
const ownerAnswersMs = 10_000
const lookAgainMs = 200
const lookMs = 25

export class Operations extends Context.Service<Operations, {
  readonly submit: (
    request: { readonly operationId?: string; readonly input: OperationInput }
  ) => Effect.Effect<Submitted, PortProblem>
  /** The outcome once the Operation is settled, by whichever process; `pending` with a Problem after 10 s. */
  readonly awaitOutcome: (operationId: OperationId) => Effect.Effect<OperationOutcome, PortProblem>
}>()("@steno/application/Operations") {
  static readonly layerNoDeps = Layer.effect(
    Operations,
    Effect.gen(function*() {
      const ledger = yield* RunLedger
      const host = yield* ProcessHost
      const fileSystem = yield* FileSystem.FileSystem
      const operations = yield* OperationLedger
      const pursuit = yield* OperationPursuit
      const toolCalls = yield* ToolCallService
      const scope = yield* Effect.scope
      /** Operations that this process is applying. */
      const pursued = new Set<OperationId>()
      const ids = yield* IdMinter
      const reconciliation = yield* Reconciliation
      const liveRuns = yield* LiveRuns
      const preparation = yield* HarnessPreparation
      const commandTurns = yield* CommandTurns
      const harnessTurns = yield* HarnessTurns

      const withFiles = Effect.provideService(FileSystem.FileSystem, fileSystem)
      const now = Effect.map(DateTime.now, DateTime.formatIso)

      const operationIdOf = (given: string | undefined) =>
        given === undefined
          ? ids.mint("op")
          : decodeOperationId(given).pipe(Effect.mapError(() =>
            makeProblem(
              "usage-invalid",
              "An operation id has 1 to 128 characters of A-Z a-z 0-9 . _ : and -.",
              "Give an id of this form, or leave it out.",
              { fieldViolations: [{ field: "operationId", explanation: "Not 1 to 128 characters of A-Z a-z 0-9 . _ : -" }] }
            )
          ))

      interface Begun {
        readonly operationId: OperationId
        readonly input: StartInput
        readonly conversationId: ConversationId
        readonly turnId: TurnId
      }

      const admit = Effect.fnUntraced(function*({ conversationId, input, operationId, turnId }: Begun, asked: Partial<TurnAdmitted>) {
        return yield* ledger.admitRun({
          operationId,
          input,
          runId: yield* ids.mint("run"),
          conversationId,
          turnId,
          owner: yield* host.self,
          admitted: {
            input: input.input,
            origin: input.entry === undefined ? "user" : "managed",
            ...(input.entry === undefined ? {} : { entry: input.entry }),
            harness: { id: input.harness },
            ...asked
          },
          at: yield* now
        })
      }, Effect.mapError((error) => toPortProblem(error)))

      /** Between admission and drive nothing may come in, or nobody would drive the Run. */
      const startCommand = (begun: Begun) =>
        Effect.uninterruptible(Effect.gen(function*() {
          const { conversationId, input, turnId } = begun
          const { epoch, repeated, runId } = yield* admit(begun, {})
          if (repeated) return runId
          yield* commandTurns.drive({
            fence: { runId, epoch },
            conversationId,
            turnId,
            command: input.input,
            workspace: input.workspace,
            ...(input.timeoutMs === undefined ? {} : { timeoutMs: input.timeoutMs })
          })
          return runId
        }))

      const startHarness = Effect.fnUntraced(function*(begun: Begun) {
        const { conversationId, input, turnId } = begun
        return yield* Effect.uninterruptibleMask((restore) => Effect.gen(function*() {
          const run = yield* restore(preparation.prepare(input, turnId))
          const { epoch, repeated, runId } = yield* admit(begun, askedOf(run)).pipe(Effect.tapError(() => run.prepared.close))
          if (repeated) {
            yield* run.prepared.close
            return runId
          }
          yield* harnessTurns.drive({
            fence: { runId, epoch },
            conversationId,
            turnId,
            session: input.session,
            origin: input.entry === undefined ? "user" : "managed",
            input: input.input,
            start: input,
            ...(input.timeoutMs === undefined ? {} : { timeoutMs: input.timeoutMs }),
            ...run
          })
          return runId
        }))
      })

      const start = Effect.fnUntraced(function*(operationId: OperationId, given: StartInput) {
        yield* preparation.checkKnown(given.harness)
        const input = yield* checkStart(given).pipe(withFiles)
        const earlier = yield* ledger.admittedRun({ operationId, input }).pipe(Effect.mapError((error) => toPortProblem(error)))
        if (earlier !== undefined) return earlier.runId
        yield* checkWorkspace(input.workspace).pipe(withFiles)
        const conversationId = yield* ids.mint("conv")
        yield* toolCalls.checkSpace(conversationId).pipe(Effect.mapError((error) => toPortProblem(error)))
        yield* reconciliation.opened
        const begun: Begun = { operationId, input, conversationId, turnId: yield* preparation.firstTurn(input.harness) }
        return yield* input.harness === commandHarness ? startCommand(begun) : startHarness(begun)
      })

      /** Applies an admitted Operation; while another live process owns the Run, waits for that one to do it. */
      const pursue = (operation: ControlOperation) =>
        pursuit.carryOut(operation).pipe(
          Effect.repeat({ schedule: Schedule.spaced(lookAgainMs), times: ownerAnswersMs / lookAgainMs, until: (isSettled) => isSettled }),
          Effect.catch((error) => pursuit.giveUp(operation.operationId, error))
        )

      const startPursuit = (operation: ControlOperation) => {
        pursued.add(operation.operationId)
        return Effect.forkIn(
          Effect.ensuring(pursue(operation), Effect.sync(() => pursued.delete(operation.operationId))),
          scope
        )
      }

      /** A Run that is live here is interrupted at once, also when nothing can be stored. */
      const interruptHere = (input: ControlInput) =>
        input.operation === "interrupt" && input.session === undefined
          ? liveRuns.interrupt(input.runId, { force: input.force === true })
          : Effect.succeed(false)

      const submitControl = Effect.fnUntraced(function*(operationId: OperationId, input: ControlInput) {
        if (yield* interruptHere(input)) return input.runId
        const admitted = yield* operations.admitOperation({ operationId, input, at: yield* now }).pipe(
          Effect.mapError((error) => error.reason._tag === "Conflict" ? runNotFound(input.runId) : toPortProblem(error))
        )
        if (admitted.outcome.status !== "pending") {
          yield* pursuit.goOn({ operationId, input, admittedAt: admitted.admittedAt })
          return input.runId
        }
        const run = yield* ledger.runRow(input.runId).pipe(Effect.mapError((error) => toPortProblem(error)))
        if (input.operation === "cancel" && run?.state === "cancelled") {
          const { problem } = runTerminal(input.runId)
          yield* operations.settleOperation({ operationId, outcome: { status: "not-applied", problem }, at: yield* now }).pipe(
            Effect.mapError((error) => toPortProblem(error))
          )
        } else yield* startPursuit({ operationId, input, admittedAt: admitted.admittedAt })
        return input.runId
      })

      /** Whom an Operation waits for. */
      const ownerPidOf = (operation: Operation | undefined) =>
        operation?.runId === undefined
          ? Effect.undefined
          : ledger.runRow(operation.runId).pipe(
            Effect.mapBoth({ onFailure: (error) => toPortProblem(error), onSuccess: (run) => run?.owner?.pid })
          )

      const awaitOutcome = Effect.fn("Operations.awaitOutcome")(function*(operationId: OperationId) {
        const look = operations.operation(operationId).pipe(Effect.mapError((error) => toPortProblem(error)))
        const settled = look.pipe(
          Effect.repeat({ schedule: Schedule.spaced(lookMs), until: (operation) => operation?.outcome.status !== "pending" }),
          Effect.timeoutOption(ownerAnswersMs)
        )
        /** What this process does itself takes as long as it takes. */
        const found = yield* settled.pipe(
          Effect.repeat({ until: (looked) => Option.isSome(looked) || !pursued.has(operationId) })
        )
        if (Option.isSome(found)) {
          if (found.value !== undefined) return found.value.outcome
          return yield* makeProblem(
            "operation-not-found",
            `There is no Operation ${operationId} in this home.`,
            "Repeat the command that was to be done.",
            { details: { operationId } }
          )
        }
        const ownerPid = yield* Effect.andThen(look, ownerPidOf)
        const { problem } = makeProblem(
          "operation-pending",
          `The process that owns the Run${ownerPid === undefined ? "" : ` (${ownerPid})`} did not answer within 10 s; the Operation stays on record for it.`,
          "Look at the Run with `steno run show`, or repeat the command with the same --operation-id.",
          { possibleEffects: "unknown", details: { operationId, ...(ownerPid === undefined ? {} : { ownerPid }) } }
        )
        return { status: "pending" as const, problem }
      })

      const submit = Effect.fn("Operations.submit")(function*(
        request: { readonly operationId?: string; readonly input: OperationInput }
      ) {
        const operationId = yield* operationIdOf(request.operationId)
        const runId = request.input.operation === "start"
          ? yield* start(operationId, request.input)
          : yield* submitControl(operationId, request.input)
        return { operationId, runId }
      })

      return Operations.of({ submit, awaitOutcome })
    })
  )
}
