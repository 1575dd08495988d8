/** `run interrupt` and `run steer`: commands for a Turn that is live, wherever it is. */
import type { PortProblem, ProjectionPort } from "@steno/projection-port"
import { Effect, type Layer } from "effect"
import { changeFlags, changeRun } from "./changed-run.ts"
import { Argument, Command } from "./cli-engine.ts"
import { givenText, textArgument } from "./given-text.ts"
import { performOperation } from "./operation-answer.ts"
import { sessionArgument } from "./run-reference.ts"

const interruptPath = ["steno", "run", "interrupt"]
const steerPath = ["steno", "run", "steer"]

const placeText = (runId: string, session: string | undefined): string =>
  session === undefined ? `Run ${runId}` : `Run ${runId}, Session ${session}`

export const interruptCommand = <R>(openPort: Layer.Layer<ProjectionPort, PortProblem, R>) =>
  Command.make(
    "interrupt",
    {
      ...changeFlags,
      run: Argument.String("RUN[/SESSION]").pipe(
        Argument.withDescription("As RUN, which means all of its Sessions; or RUN/SESSION")
      )
    },
    Effect.fn("run interrupt")((typed) =>
      changeRun(typed, { commandPath: interruptPath, names: "session", answersWithRun: false, openPort }, Effect.void, ({ request, runId, session }) =>
        performOperation(request({ operation: "interrupt", runId, ...(session === undefined ? {} : { session }) }), {
          json: typed.json,
          done: `${placeText(runId, session)}: interrupted.`
        })))
  ).pipe(
    Command.withShortDescription("Interrupt the live Turns of a Run"),
    Command.withDescription("Ends the calls and the Turn that are live, and halts the Run; its record can be continued with run send or run resume. Exits 0 when that was done."),
    Command.withExamples([{ command: "steno run interrupt @last" }])
  )

export const steerCommand = <R>(openPort: Layer.Layer<ProjectionPort, PortProblem, R>) =>
  Command.make(
    "steer",
    { ...changeFlags, run: sessionArgument, text: textArgument("TEXT", "What the agent is told") },
    Effect.fn("run steer")((typed) =>
      changeRun(
        typed,
        { commandPath: steerPath, names: "session", answersWithRun: false, openPort },
        givenText(typed.text, "TEXT", steerPath),
        ({ request, runId, session }, text) =>
          performOperation(
            request({ operation: "steer", runId, ...(session === undefined ? {} : { session }), text }),
            { json: typed.json, done: `${placeText(runId, session)}: the Turn has taken the text.` }
          )
      ))
  ).pipe(
    Command.withShortDescription("Tell the agent something while it works"),
    Command.withDescription("Sends text into the Turn that is live; a running tool is left alone. Exits 0 when the Turn has taken it."),
    Command.withExamples([{ command: "steno run steer @last -- 'Leave the tests as they are'" }])
  )
