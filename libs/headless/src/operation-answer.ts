/**
 * Submits an Operation that has no Run to show, and answers with its outcome.
 *
 * Owns: the document, the words and the exit code of `applied`, `not-applied` and `pending`.
 * Ordering: the Operation is durable before it is waited for; its settlement is what is answered.
 */
import type { OperationDocument, OperationId, OperationInput, OperationOutcome, StartInput } from "@steno/contracts"
import { ProjectionPort } from "@steno/projection-port"
import { Effect } from "effect"
import { answerJson } from "./answers.ts"
import { exitCodes } from "./exit-codes.ts"
import { ExitCode, HeadlessOutput } from "./headless-ports.ts"
import { problemText } from "./problem-text.ts"

export interface SettledOperation {
  readonly operationId: OperationId
  readonly outcome: OperationOutcome
}

/** What is done to a Run that is there. */
export interface ControlRequest {
  readonly operationId?: string
  readonly input: Exclude<OperationInput, StartInput>
}

/** The id that a person has to repeat the command with. */
export const pendingText = ({ operationId, outcome }: SettledOperation): string => `Operation ${operationId}: ${outcome.status}.\n`

const notDoneText = (settled: SettledOperation): string =>
  [
    settled.outcome.problem === undefined ? "" : problemText(settled.outcome.problem),
    settled.outcome.problem === undefined || settled.outcome.status === "pending" ? pendingText(settled) : ""
  ].join("")

const answerOperation = Effect.fnUntraced(function*(
  settled: SettledOperation,
  options: { readonly json: boolean; readonly done: string }
) {
  const output = yield* HeadlessOutput
  const exitCode = yield* ExitCode
  const { outcome } = settled
  if (outcome.status !== "applied") yield* exitCode.set(exitCodes.problem)
  if (options.json) {
    const document: typeof OperationDocument.Type = { family: "operation", ...settled }
    return yield* answerJson(document)
  }
  yield* outcome.status === "applied" ? output.stdout(`${options.done}\n`) : output.stderr(notDoneText(settled))
})

/** @param options `done`: one line that says what was done, for a person */
export const performOperation = Effect.fnUntraced(function*(
  request: ControlRequest,
  options: { readonly json: boolean; readonly done: string }
) {
  const port = yield* ProjectionPort
  const { operationId } = yield* port.submit(request)
  yield* answerOperation({ operationId, outcome: yield* port.awaitOperation(operationId) }, options)
})
