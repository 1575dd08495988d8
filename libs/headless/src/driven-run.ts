/**
 * Waits until a Run rests and answers with it.
 *
 * Owns: what `run start`, `send`, `answer` and `resume` have in common: progress, the document, the text, the exit code.
 * Ordering: who listens for signals is told of the Run before anything is waited for; an Operation settles before the rest
 * of its Run is waited for; the answer is written once the Run rests.
 */
import type { OperationOutcome, Problem, RunId, RunSnapshot, StartInput } from "@steno/contracts"
import { PortProblem, ProjectionPort } from "@steno/projection-port"
import { Effect, Result } from "effect"
import { answerProblem } from "./answers.ts"
import { exitCodeOfRest } from "./exit-codes.ts"
import { AdmittedRun, ExitCode, HeadlessOutput } from "./headless-ports.ts"
import { type ControlRequest, pendingText } from "./operation-answer.ts"
import { withProgress } from "./progress.ts"
import { missingRun } from "./run-document.ts"
import { writeRun } from "./run-writing.ts"

const answerWithRest = Effect.fnUntraced(function*(
  runId: RunId,
  options: { readonly json: boolean; readonly typed: string },
  rest: (port: ProjectionPort["Service"]) => Effect.Effect<RunSnapshot, PortProblem>
) {
  const port = yield* ProjectionPort
  const exitCode = yield* ExitCode
  const admitted = yield* AdmittedRun
  const settled = yield* admitted(runId, port).pipe(
    Effect.andThen(withProgress(runId, rest(port))),
    Effect.result
  )
  if (Result.isFailure(settled)) {
    const { problem } = settled.failure
    return yield* answerProblem(problem, { json: options.json, document: missingRun(options.typed, problem) })
  }
  yield* exitCode.set(exitCodeOfRest(settled.success.state))
  yield* writeRun(settled.success, options.json)
})

/** Starts a Run; a refused start has no Run and is a Problem of the Port. */
export const driveStart = Effect.fnUntraced(function*(
  request: { readonly operationId?: string; readonly input: StartInput },
  json: boolean
) {
  const port = yield* ProjectionPort
  const { runId } = yield* port.submit(request)
  yield* answerWithRest(runId, { json, typed: runId }, ({ awaitRest }) => awaitRest(runId))
})

const unexplained: Problem = {
  code: "turn-control-rejected",
  explanation: "The Operation was not applied.",
  remediation: "Look at the Run with `steno run show`.",
  possibleEffects: "none"
}

const refusalOf = ({ problem = unexplained, status }: OperationOutcome): PortProblem | undefined =>
  status === "applied" ? undefined : new PortProblem({ problem })

/**
 * Does something to a Run that then goes on.
 *
 * @param options `typed`: RUN as a person typed it
 */
export const driveOn = Effect.fnUntraced(function*(
  request: ControlRequest,
  options: { readonly json: boolean; readonly typed: string }
) {
  const port = yield* ProjectionPort
  const output = yield* HeadlessOutput
  const { operationId, runId } = yield* port.submit(request)
  let outcome: OperationOutcome | undefined
  yield* answerWithRest(runId, options, Effect.fnUntraced(function*({ awaitOperation, awaitRest }) {
    outcome = yield* awaitOperation(operationId)
    const refusal = refusalOf(outcome)
    return yield* refusal ?? awaitRest(runId)
  }))
  if (outcome?.status === "pending" && !options.json) yield* output.stderr(pendingText({ operationId, outcome }))
})
