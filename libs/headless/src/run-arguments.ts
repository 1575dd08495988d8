/**
 * From the words of a command line to an exit code.
 *
 * Owns: who prints what when help, the version or wrong usage is the answer.
 * Never owns: defects and interruption; both pass through to the app.
 */
import { type PortProblem } from "@steno/projection-port"
import { Effect } from "effect"
import type { Problem } from "@steno/contracts"
import { answerProblem } from "./answers.ts"
import { type CliError, type Command, parseAndRun } from "./cli-engine.ts"
import { exitCodeOfProblem } from "./exit-codes.ts"
import { helpText } from "./help-text.ts"
import { ExitCode, HeadlessOutput } from "./headless-ports.ts"
import { usageProblem, wantsJson } from "./usage-problem.ts"
import { type WrongUsage } from "./wrong-usage.ts"

type Refusal = CliError.CliError | WrongUsage | PortProblem

/**
 * Runs the command that `args` name under `root` and resolves to the exit code.
 * Help and version go to stdout with 0; wrong usage is a Problem with 64; a `PortProblem` of a handler is a Problem with 1.
 */
export const runArguments = <const Name extends string, Input, Context, E extends Refusal, R>(
  root: Command.Command<Name, Input, Context, E, R>,
  options: { readonly version: string }
) =>
  Effect.fnUntraced(function*(args: ReadonlyArray<string>) {
    const output = yield* HeadlessOutput
    let code = 0
    const exitCode = ExitCode.of({ set: (next) => Effect.sync(() => void (code = next)) })
    yield* parseAndRun(root, {
      version: options.version,
      args,
      presentation: {
        help: (doc) => output.stdout(helpText(doc)),
        version: (name, version) => output.stdout(`${name} ${version}\n`)
      }
    }).pipe(
      Effect.catch((refusal) =>
        answerProblem(
          refusal._tag === "PortProblem" ? refusal.problem : usageProblem(refusal, root.name),
          { json: wantsJson(args) }
        )
      ),
      Effect.provideService(ExitCode, exitCode)
    )
    return code
  })

/** Answers with a Problem that no command could answer with, as `args` ask for it; resolves to the exit code. */
export const answerForArguments = Effect.fnUntraced(function*(args: ReadonlyArray<string>, problem: Problem) {
  yield* answerProblem(problem, { json: wantsJson(args) }).pipe(
    Effect.provideService(ExitCode, { set: () => Effect.void })
  )
  return exitCodeOfProblem(problem)
})
