/** `run show`: the Run now. */
import { type PortProblem, ProjectionPort } from "@steno/projection-port"
import { Effect, type Layer } from "effect"
import { answerJson, answerProblem } from "./answers.ts"
import { Command } from "./cli-engine.ts"
import { HeadlessOutput } from "./headless-ports.ts"
import { foundRun, missingRun } from "./run-document.ts"
import { jsonFlag, runArgument, runReference } from "./run-shared-arguments.ts"
import { runText } from "./run-text.ts"

const show = Effect.fnUntraced(function*(runId: string, json: boolean) {
  const port = yield* ProjectionPort
  const output = yield* HeadlessOutput
  const run = yield* port.showRun(yield* runReference(runId))
  yield* json ? answerJson(foundRun(run)) : output.stdout(runText(run, output))
})

export const showCommand = <R>(openPort: Layer.Layer<ProjectionPort, PortProblem, R>) =>
  Command.make(
    "show",
    { json: jsonFlag, run: runArgument },
    Effect.fn("run show")(function*({ json, run }) {
      yield* show(run, json).pipe(
        Effect.provide(openPort),
        Effect.catchTag("PortProblem", ({ problem }) => answerProblem(problem, { json, document: missingRun(run, problem) }))
      )
    })
  ).pipe(
    Command.withShortDescription("Show a Run"),
    Command.withDescription("Shows a Run: its state, its calls, what a model would see of their output, and where the complete output lies."),
    Command.withExamples([{ command: "steno run show @last" }])
  )
