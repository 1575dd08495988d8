/** The `harness` group: what can carry a Turn out, and what is known of it. */
import type { HarnessCatalog } from "@steno/contracts"
import { type PortProblem, ProjectionPort } from "@steno/projection-port"
import { Effect, type Layer } from "effect"
import { answerJson, answerProblem } from "./answers.ts"
import { callerPath } from "./caller-path.ts"
import { Argument, Command } from "./cli-engine.ts"
import { exitCodes } from "./exit-codes.ts"
import { harnessesText } from "./harness-text.ts"
import { ExitCode, HeadlessOutput } from "./headless-ports.ts"
import { jsonFlag } from "./run-shared-arguments.ts"
import { WrongUsage } from "./wrong-usage.ts"

type OpenPort<R> = Layer.Layer<ProjectionPort, PortProblem, R>

const checkPath = ["steno", "harness", "check"]

const writeCatalog = Effect.fnUntraced(function*(catalog: HarnessCatalog, json: boolean) {
  const output = yield* HeadlessOutput
  yield* json ? answerJson(catalog) : output.stdout(harnessesText(catalog.harnesses))
})

const list = Effect.fnUntraced(function*(json: boolean) {
  const workspacePath = yield* callerPath(".")
  const port = yield* ProjectionPort
  yield* writeCatalog(yield* port.listHarnesses(workspacePath), json)
})

const check = Effect.fnUntraced(function*(harness: string, json: boolean) {
  const workspacePath = yield* callerPath(".")
  const port = yield* ProjectionPort
  const exitCode = yield* ExitCode
  const catalog = yield* port.checkHarness({ harness, workspacePath })
  if (catalog.harnesses.some(({ qualification }) => qualification === "unavailable")) yield* exitCode.set(exitCodes.problem)
  yield* writeCatalog(catalog, json)
})

const listCommand = <R>(openPort: OpenPort<R>) =>
  Command.make(
    "list",
    { json: jsonFlag },
    Effect.fn("harness list")(({ json }) =>
      list(json).pipe(
        Effect.provide(openPort),
        Effect.catchTag("PortProblem", ({ problem }) => answerProblem(problem, { json }))
      ))
  ).pipe(
    Command.withShortDescription("List what can carry a Turn out"),
    Command.withDescription("Lists the harnesses: whether each is there, its version, what it needs and which of that is missing. No model is asked."),
    Command.withExamples([{ command: "steno harness list" }])
  )

const checkCommand = <R>(openPort: OpenPort<R>) =>
  Command.make(
    "check",
    {
      json: jsonFlag,
      harness: Argument.String("ID").pipe(Argument.withDescription("As harness list names it"))
    },
    Effect.fn("harness check")(function*({ harness, json }) {
      if (harness.trim() === "") {
        return yield* new WrongUsage({ explanation: "ID must not be blank.", fields: ["ID"], commandPath: checkPath })
      }
      return yield* check(harness, json).pipe(
        Effect.provide(openPort),
        Effect.catchTag("PortProblem", ({ problem }) => answerProblem(problem, { json }))
      )
    })
  ).pipe(
    Command.withShortDescription("Show what one harness can do, and how that is known"),
    Command.withDescription("Looks at one harness and shows each capability with its evidence. No model is asked; a missing key is said and is no failure. Exits 1 when the harness cannot be used at all."),
    Command.withExamples([{ command: "steno harness check hosted" }])
  )

/**
 * To be mounted under the root command.
 *
 * @param openPort built only when a command needs it
 */
export const harnessCommand = <R>(openPort: OpenPort<R>) =>
  Command.make("harness").pipe(
    Command.withShortDescription("Show what can carry a Turn out"),
    Command.withDescription("Shows the harnesses that can carry a Turn out, and what each can do."),
    Command.withExamples([{ command: "steno harness list" }]),
    Command.withSubcommands([listCommand(openPort), checkCommand(openPort)])
  )
