/**
 * `run start`: admits a Run, waits until it rests, answers with it.
 *
 * Ordering: the Operation is durable before anything is waited for; the answer is written once the Run rests.
 */
import type { Problem } from "@steno/contracts"
import { PortProblem, ProjectionPort } from "@steno/projection-port"
import { Effect, type Layer, Option, Result, Stream } from "effect"
import { answerJson, answerProblem } from "./answers.ts"
import { callerPath } from "./caller-path.ts"
import { Argument, Command, Flag, switchFlag, textFlag } from "./cli-engine.ts"
import { exitCodeOfRest } from "./exit-codes.ts"
import { AdmittedRun, ExitCode, HeadlessInput, HeadlessOutput } from "./headless-ports.ts"
import { operationIdFlag } from "./operation-id-option.ts"
import { withProgress } from "./progress.ts"
import { foundRun, missingRun } from "./run-document.ts"
import { jsonFlag } from "./run-shared-arguments.ts"
import { runText } from "./run-text.ts"
import { checkOptions, inputOfStdin, startRequest, type StartRequest } from "./start-request.ts"
import { type WrongUsage } from "./wrong-usage.ts"

const config = {
  harness: textFlag("harness", "ID", "What carries the Turn out: command (the default)"),
  session: Flag.String("session").pipe(
    Flag.withMetavar("NAME"),
    Flag.withDescription("Name of the first Session (default main)"),
    Flag.optional
  ),
  workspace: textFlag("workspace", "DIR", "Directory to work in (default: the current one)"),
  entry: switchFlag("entry", "A program wrote the INPUT, not a person"),
  timeoutMs: Flag.Int("timeout-ms").pipe(
    Flag.withMetavar("N"),
    Flag.withDescription("Wall time of the first Turn in milliseconds, 1 to 86400000 (default: no limit)"),
    Flag.optional
  ),
  operationId: operationIdFlag,
  json: jsonFlag,
  input: Argument.String("INPUT").pipe(
    Argument.withDescription("The command, its words joined by one space; - reads stdin; after -- nothing is an option"),
    Argument.variadic({ min: 1 })
  )
}

const drive = Effect.fnUntraced(function*(request: StartRequest, json: boolean) {
  const port = yield* ProjectionPort
  const output = yield* HeadlessOutput
  const exitCode = yield* ExitCode
  const admitted = yield* AdmittedRun
  const { runId } = yield* port.submit(request)
  const settled = yield* admitted(runId, port).pipe(
    Effect.andThen(withProgress(runId, port.awaitRest(runId))),
    Effect.result
  )
  if (Result.isFailure(settled)) {
    const { problem } = settled.failure
    return yield* answerProblem(problem, { json, document: missingRun(runId, problem) })
  }
  const run = settled.success
  yield* exitCode.set(exitCodeOfRest(run.state))
  yield* json ? answerJson(foundRun(run)) : output.stdout(runText(run, output))
})

/** A Problem that was decided here travels as one of the Port's. */
const accepted = <A>(decided: Result.Result<A, Problem | WrongUsage>): Effect.Effect<A, PortProblem | WrongUsage> =>
  Result.match(decided, {
    onSuccess: Effect.succeed,
    onFailure: (refusal) => Effect.fail("code" in refusal ? new PortProblem({ problem: refusal }) : refusal)
  })

const inputOf = Effect.fnUntraced(function*(words: ReadonlyArray<string>) {
  const input = yield* HeadlessInput
  return words.length === 1 && words[0] === "-"
    ? yield* accepted(inputOfStdin(yield* Stream.mkUint8Array(input.stdin)))
    : words.join(" ")
})

export const startCommand = <R>(openPort: Layer.Layer<ProjectionPort, PortProblem, R>) =>
  Command.make(
    "start",
    config,
    Effect.fn("run start")(function*(options) {
      const given = {
        harness: Option.getOrUndefined(options.harness),
        session: Option.getOrUndefined(options.session),
        entry: options.entry,
        timeoutMs: Option.getOrUndefined(options.timeoutMs),
        operationId: Option.getOrUndefined(options.operationId)
      }
      return yield* Effect.gen(function*() {
        yield* accepted(checkOptions(given))
        const workspace = yield* callerPath(Option.getOrElse(options.workspace, () => "."))
        const request = yield* accepted(startRequest({ ...given, workspace }, yield* inputOf(options.input)))
        return yield* Effect.provide(drive(request, options.json), openPort)
      }).pipe(
        Effect.catchTag("PortProblem", ({ problem }) => answerProblem(problem, { json: options.json }))
      )
    })
  ).pipe(
    Command.withShortDescription("Run something and wait for its result"),
    Command.withDescription("Admits a Run, drives its first Turn to rest and shows it. Exits 0 when the Run succeeded, 2 when it is blocked, else 1."),
    Command.withExamples([{ command: "steno run start --harness command -- 'npm test'" }])
  )
