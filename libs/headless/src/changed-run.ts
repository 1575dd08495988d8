/**
 * Around every command that changes a Run: its name is found, its Problems are answered.
 *
 * Owns: the options that all of them have, and the order of their checks.
 * Limits: a full id is passed on as typed, so that a repeat with the same operation id is answered also when the Run is gone.
 */
import { type OperationInput, type Problem, RunId, type StartInput } from "@steno/contracts"
import { type PortProblem, ProjectionPort } from "@steno/projection-port"
import { Effect, type Layer, Option, Schema } from "effect"
import { answerProblem } from "./answers.ts"
import type { ControlRequest } from "./operation-answer.ts"
import { checkOperationId, operationIdFlag } from "./operation-id-option.ts"
import { missingRun } from "./run-document.ts"
import { sessionReference, wholeRunReference } from "./run-reference.ts"
import { jsonFlag } from "./run-shared-arguments.ts"
import { type WrongUsage } from "./wrong-usage.ts"

/** To be spread into a command's own configuration. */
export const changeFlags = { operationId: operationIdFlag, json: jsonFlag }

/** What a person typed of it. */
export interface TypedChange {
  readonly operationId: Option.Option<string>
  readonly json: boolean
  /** RUN or RUN/SESSION. */
  readonly run: string
}

export interface ChangedRun {
  readonly runId: RunId
  /** Absent where none was named. */
  readonly session?: string
  /** The Operation under the id that was typed. */
  readonly request: (input: Exclude<OperationInput, StartInput>) => ControlRequest
}

interface Change<R> {
  readonly commandPath: ReadonlyArray<string>
  /** Whether a Session may be named. */
  readonly names: "run" | "session"
  /** The answer carries the Run, so a Problem stands in the Run's place. */
  readonly answersWithRun: boolean
  readonly openPort: Layer.Layer<ProjectionPort, PortProblem, R>
}

const asRunId = Schema.decodeUnknownOption(RunId)

/**
 * Opens the Port for `work` once everything that was typed is checked.
 *
 * @param given checks and reads the rest of what was typed
 */
export const changeRun = Effect.fnUntraced(function*<R, A, R2, R3>(
  typed: TypedChange,
  change: Change<R>,
  given: Effect.Effect<A, PortProblem | WrongUsage, R2>,
  work: (changed: ChangedRun, given: A) => Effect.Effect<void, PortProblem, R3>
) {
  const { answersWithRun, commandPath, names, openPort } = change
  const operationId = Option.getOrUndefined(typed.operationId)
  yield* Effect.fromResult(checkOperationId(operationId, commandPath))
  const answer = ({ problem }: { readonly problem: Problem }) =>
    answerProblem(problem, { json: typed.json, ...(answersWithRun ? { document: missingRun(typed.run, problem) } : {}) })
  const { run, session } = names === "session"
    ? yield* sessionReference(typed.run, commandPath)
    : { run: yield* wholeRunReference(typed.run, commandPath), session: undefined }
  yield* Effect.flatMap(given, (value) =>
    Effect.gen(function*() {
      const port = yield* ProjectionPort
      const runId = yield* Option.match(asRunId(run.text), { onSome: Effect.succeed, onNone: () => port.resolveRun(run) })
      const changed: ChangedRun = {
        runId,
        ...(session === undefined ? {} : { session }),
        request: (input) => ({ ...(operationId === undefined ? {} : { operationId }), input })
      }
      yield* work(changed, value)
    }).pipe(Effect.provide(openPort))).pipe(Effect.catchTag("PortProblem", answer))
})
