/**
 * Admits Operations: checks the input, makes it durable once, starts its work.
 *
 * Owns: refusals before anything happens, idempotency per operation id.
 * Ordering: a start is durable before it acts and before it is acknowledged; a repeat is recognised before anything is checked
 * that may have changed since.
 * Limits: an interrupt acts on a Run that is live in this process and is not stored; asking again is harmless.
 */
import {
  commandTimeoutMs,
  IdMinter,
  type InterruptInput,
  OperationId,
  type RunId,
  type StartInput
} from "@steno/contracts"
import { RunLedger } from "@steno/ledger"
import { ProcessHost } from "@steno/process-host"
import type { PortProblem, Submitted } from "@steno/projection-port"
import { Context, DateTime, Effect, FileSystem, Layer, Schema } from "effect"
import { makeProblem, toPortProblem } from "./problems.ts"
import { Reconciliation } from "./reconciliation.ts"
import { Turns } from "./turns.ts"

const decodeOperationId = Schema.decodeUnknownEffect(OperationId)

/** Harness ids this release can start a Run with. */
const harnesses: ReadonlyArray<string> = ["command"]

export class Operations extends Context.Service<Operations, {
  readonly submit: (
    request: { readonly operationId?: string; readonly input: StartInput | InterruptInput }
  ) => Effect.Effect<Submitted, PortProblem>
}>()("@steno/application/Operations") {
  static readonly layerNoDeps = Layer.effect(
    Operations,
    Effect.gen(function*() {
      const ledger = yield* RunLedger
      const host = yield* ProcessHost
      const fileSystem = yield* FileSystem.FileSystem
      const ids = yield* IdMinter
      const reconciliation = yield* Reconciliation
      const turns = yield* Turns

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

      /** The real path of a workspace; one that is not there any more stays as it was named. */
      const realWorkspace = (path: string) => fileSystem.realPath(path).pipe(Effect.orElseSucceed(() => path))

      const checkWorkspace = Effect.fnUntraced(function*(path: string) {
        const missing = makeProblem(
          "workspace-not-found",
          `The workspace ${path} is not an existing folder.`,
          "Name an existing folder with --workspace, or run the command inside one.",
          { details: { workspace: path } }
        )
        const info = yield* fileSystem.stat(path).pipe(Effect.mapError(() => missing))
        if (info.type !== "Directory") return yield* missing
      })

      const checkStart = Effect.fnUntraced(function*(input: StartInput) {
        if (input.input.trim() === "") {
          return yield* makeProblem("input-blank", "The input is empty.", "Give a command after `--`, or `-` to read it from stdin.")
        }
        if (!harnesses.includes(input.harness)) {
          return yield* makeProblem(
            "harness-unknown",
            `There is no harness ${JSON.stringify(input.harness)}; this release has: ${harnesses.join(", ")}.`,
            "Use one of these with --harness.",
            { details: { harness: input.harness } }
          )
        }
        const { maximum, minimum } = commandTimeoutMs
        const { timeoutMs } = input
        if (timeoutMs !== undefined && !(Number.isInteger(timeoutMs) && timeoutMs >= minimum && timeoutMs <= maximum)) {
          return yield* makeProblem(
            "limit-invalid",
            `timeoutMs must be a whole number from ${minimum} to ${maximum}; it was ${timeoutMs}.`,
            "Repeat the command with a value in this range.",
            { fieldViolations: [{ field: "timeoutMs", explanation: `${timeoutMs} is out of range` }] }
          )
        }
        return { ...input, workspace: yield* realWorkspace(input.workspace) }
      })

      const start = Effect.fnUntraced(function*(operationId: OperationId, given: StartInput) {
        const input = yield* checkStart(given)
        const earlier = yield* ledger.admittedRun({ operationId, input }).pipe(Effect.mapError((error) => toPortProblem(error)))
        if (earlier !== undefined) return earlier.runId
        yield* checkWorkspace(input.workspace)
        yield* reconciliation.opened
        const runId = yield* ids.mint("run")
        const conversationId = yield* ids.mint("conv")
        const turnId = yield* ids.mint("turn")
        const admitted = yield* ledger.admitRun({
          operationId,
          input,
          runId,
          conversationId,
          turnId,
          owner: yield* host.self,
          admitted: {
            input: input.input,
            origin: input.entry === undefined ? "user" : "managed",
            ...(input.entry === undefined ? {} : { entry: input.entry }),
            harness: { id: input.harness }
          },
          at: DateTime.formatIso(yield* DateTime.now)
        }).pipe(Effect.mapError((error) => toPortProblem(error)))
        if (!admitted.repeated) {
          yield* turns.driveCommand({
            fence: { runId, epoch: admitted.epoch },
            conversationId,
            turnId,
            command: input.input,
            cwd: input.workspace,
            ...(input.timeoutMs === undefined ? {} : { timeoutMs: input.timeoutMs })
          })
        }
        return admitted.runId
      })

      const interrupt = Effect.fnUntraced(function*(input: InterruptInput): Effect.fn.Return<RunId, PortProblem> {
        if (yield* turns.interrupt(input.runId, { force: input.force === true })) return input.runId
        return yield* makeProblem(
          "turn-control-rejected",
          "No Turn of this Run is live in this process.",
          "Look at the Run with `steno run show`.",
          { details: { run: input.runId } }
        )
      })

      const submit = Effect.fn("Operations.submit")(function*(
        request: { readonly operationId?: string; readonly input: StartInput | InterruptInput }
      ) {
        const operationId = yield* operationIdOf(request.operationId)
        const runId = request.input.operation === "start"
          ? yield* start(operationId, request.input)
          : yield* interrupt(request.input)
        return { operationId, runId }
      })

      return Operations.of({ submit })
    })
  )
}
