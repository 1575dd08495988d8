/**
 * Answers with the outcome of an Operation that has no Run to show.
 *
 * Owns: the document, the words and the exit code of `applied`, `not-applied` and `pending`.
 */
import { exitCodes } from "./exit-codes.ts"
import type { OperationDocument, OperationId, OperationOutcome } from "@steno/contracts"
import { Effect } from "effect"
import { answerJson } from "./answers.ts"
import { ExitCode, HeadlessOutput } from "./headless-ports.ts"
import { problemText } from "./problem-text.ts"

export interface SettledOperation {
  readonly operationId: OperationId
  readonly outcome: OperationOutcome
}

/** The id is said while it is what the person has to repeat the command with. */
const notDoneText = ({ operationId, outcome }: SettledOperation): string =>
  [
    outcome.problem === undefined ? "" : problemText(outcome.problem),
    outcome.problem === undefined || outcome.status === "pending" ? `Operation ${operationId}: ${outcome.status}.\n` : ""
  ].join("")

/** @param done one line that says what was done, for a person */
export const answerOperation = Effect.fnUntraced(function*(
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
