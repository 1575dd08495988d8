/** `run show`: the Run now. */
import { type PortProblem, ProjectionPort, type RunReference } from "@steno/projection-port"
import { Effect, type Layer } from "effect"
import { answerJson, answerProblem } from "./answers.ts"
import { Command } from "./cli-engine.ts"
import { HeadlessOutput } from "./headless-ports.ts"
import { foundRun, missingRun } from "./run-document.ts"
import { wholeRunReference } from "./run-reference.ts"
import { jsonFlag, runArgument } from "./run-shared-arguments.ts"
import { runText } from "./run-text.ts"

const show = Effect.fnUntraced(function*(reference: RunReference, json: boolean) {
  const port = yield* ProjectionPort
  const output = yield* HeadlessOutput
  const run = yield* port.showRun(reference)
  yield* json ? answerJson(foundRun(run)) : output.stdout(runText(run, output))
})

export const showCommand = <R>(openPort: Layer.Layer<ProjectionPort, PortProblem, R>) =>
  Command.make(
    "show",
    { json: jsonFlag, run: runArgument },
    Effect.fn("run show")(function*({ json, run }) {
      yield* wholeRunReference(run, ["steno", "run", "show"]).pipe(
        Effect.flatMap((reference) => Effect.provide(show(reference, json), openPort)),
        Effect.catchTag("PortProblem", ({ problem }) => answerProblem(problem, { json, document: missingRun(run, problem) }))
      )
    })
  ).pipe(
    Command.withShortDescription("Show a Run"),
    Command.withDescription("Shows a Run: its state, its calls, what a model would see of their output, and where the complete output lies."),
    Command.withExamples([{ command: "steno run show @last" }])
  )
