/**
 * `run cancel` and `run delete`: commands that end a Run for good.
 *
 * Ordering: the Operation is durable before it is waited for; its settlement is what is answered.
 * Limits: a full id is passed on as typed, so that a repeat with the same operation id is answered also when the Run is gone.
 */
import { RunId } from "@steno/contracts"
import { type PortProblem, ProjectionPort, type RunReference } from "@steno/projection-port"
import { Effect, type Layer, Option, Schema } from "effect"
import { answerProblem } from "./answers.ts"
import { Command } from "./cli-engine.ts"
import { answerOperation } from "./operation-answer.ts"
import { checkOperationId, operationIdFlag } from "./operation-id-option.ts"
import { wholeRunReference } from "./run-reference.ts"
import { jsonFlag, runArgument } from "./run-shared-arguments.ts"

interface Ending {
  readonly operation: "cancel" | "delete"
  readonly done: string
  readonly shortDescription: string
  readonly description: string
}

const asRunId = Schema.decodeUnknownOption(RunId)

const end = Effect.fnUntraced(function*(
  ending: Ending,
  reference: RunReference,
  options: { readonly json: boolean; readonly operationId: string | undefined }
) {
  const port = yield* ProjectionPort
  const runId = yield* Option.match(asRunId(reference.text), {
    onSome: Effect.succeed,
    onNone: () => port.resolveRun(reference)
  })
  const { operationId } = yield* port.submit({
    ...(options.operationId === undefined ? {} : { operationId: options.operationId }),
    input: { operation: ending.operation, runId }
  })
  const outcome = yield* port.awaitOperation(operationId)
  yield* answerOperation({ operationId, outcome }, { json: options.json, done: `Run ${runId}: ${ending.done}.` })
})

const endingCommand = (ending: Ending) => <R>(openPort: Layer.Layer<ProjectionPort, PortProblem, R>) => {
  const commandPath = ["steno", "run", ending.operation]
  return Command.make(
    ending.operation,
    { operationId: operationIdFlag, json: jsonFlag, run: runArgument },
    Effect.fn(`run ${ending.operation}`)(function*({ json, run, operationId: typedId }) {
      const operationId = Option.getOrUndefined(typedId)
      yield* Effect.fromResult(checkOperationId(operationId, commandPath))
      const reference = yield* wholeRunReference(run, commandPath)
      yield* end(ending, reference, { json, operationId }).pipe(
        Effect.provide(openPort),
        Effect.catchTag("PortProblem", ({ problem }) => answerProblem(problem, { json }))
      )
    })
  ).pipe(
    Command.withShortDescription(ending.shortDescription),
    Command.withDescription(ending.description),
    Command.withExamples([{ command: `steno run ${ending.operation} @last` }])
  )
}

export const cancelCommand = endingCommand({
  operation: "cancel",
  done: "cancelled",
  shortDescription: "End a Run for good",
  description: "Ends everything that runs for a Run, wherever it is live, and rests it cancelled. Its record stays. Exits 0 when that was done."
})

export const deleteCommand = endingCommand({
  operation: "delete",
  done: "deleted",
  shortDescription: "Remove a Run and its files",
  description: "Cancels a Run that is live, then removes its record and its captured output. Exits 0 when that was done."
})
