/** `run send` and `run resume`: commands after which a Run goes on until it rests again. */
import type { PortProblem, ProjectionPort } from "@steno/projection-port"
import { Effect, type Layer } from "effect"
import { changeFlags, changeRun } from "./changed-run.ts"
import { Command } from "./cli-engine.ts"
import { driveOn } from "./driven-run.ts"
import { givenText, textArgument } from "./given-text.ts"
import { sessionArgument } from "./run-reference.ts"
import { runArgument } from "./run-shared-arguments.ts"

const sendPath = ["steno", "run", "send"]
const resumePath = ["steno", "run", "resume"]

export const sendCommand = <R>(openPort: Layer.Layer<ProjectionPort, PortProblem, R>) =>
  Command.make(
    "send",
    { ...changeFlags, run: sessionArgument, text: textArgument("TEXT", "The input of the next Turn") },
    Effect.fn("run send")((typed) =>
      changeRun(
        typed,
        { commandPath: sendPath, names: "session", answersWithRun: true, openPort },
        givenText(typed.text, "TEXT", sendPath),
        ({ request, runId, session }, text) =>
          driveOn(
            request({ operation: "send", runId, ...(session === undefined ? {} : { session }), text }),
            { json: typed.json, typed: typed.run }
          )
      ))
  ).pipe(
    Command.withShortDescription("Start another Turn and wait for its result"),
    Command.withDescription("Starts another Turn in a Run that rests succeeded, failed or halted, or that is interactive, drives it to rest and shows the Run. Exits 0 when the Run succeeded, 2 when it is blocked, else 1."),
    Command.withExamples([{ command: "steno run send @last -- 'Now fix the second test'" }])
  )

export const resumeCommand = <R>(openPort: Layer.Layer<ProjectionPort, PortProblem, R>) =>
  Command.make(
    "resume",
    { ...changeFlags, run: runArgument },
    Effect.fn("run resume")((typed) =>
      changeRun(typed, { commandPath: resumePath, names: "run", answersWithRun: true, openPort }, Effect.void, ({ request, runId }) =>
        driveOn(request({ operation: "resume", runId }), { json: typed.json, typed: typed.run })))
  ).pipe(
    Command.withShortDescription("Go on with a Run that rests and wait for its result"),
    Command.withDescription("Goes on with a Run that rests: with an answer that is stored and not acted on yet, else with a Turn that tells the agent how the last one ended. Shows the Run when it rests again. Exits 0 when the Run succeeded, 2 when it is blocked, else 1."),
    Command.withExamples([{ command: "steno run resume @last" }])
  )
