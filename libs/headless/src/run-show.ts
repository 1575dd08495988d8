/** `run show`: the Run now. */
import { type PortProblem, ProjectionPort, type RunReference } from "@steno/projection-port"
import { Effect, type Layer } from "effect"
import { answerProblem } from "./answers.ts"
import { Command } from "./cli-engine.ts"
import { missingRun } from "./run-document.ts"
import { wholeRunReference } from "./run-reference.ts"
import { jsonFlag, runArgument } from "./run-shared-arguments.ts"
import { writeRun } from "./run-writing.ts"

const show = Effect.fnUntraced(function*(reference: RunReference, json: boolean) {
  const port = yield* ProjectionPort
  yield* writeRun(yield* port.showRun(reference), json)
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
    Command.withDescription("Shows a Run: its state, what was said and called, where complete output lies, and what it asks with the commands that answer."),
    Command.withExamples([{ command: "steno run show @last" }])
  )
