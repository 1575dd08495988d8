/** `run cancel`, `run delete` and `run end`: commands that end a Run for good. */
import type { PortProblem, ProjectionPort } from "@steno/projection-port"
import { Effect, type Layer } from "effect"
import { changeFlags, changeRun } from "./changed-run.ts"
import { Command, switchFlag } from "./cli-engine.ts"
import { performOperation } from "./operation-answer.ts"
import { runArgument } from "./run-shared-arguments.ts"

interface Ending {
  readonly operation: "cancel" | "delete"
  readonly done: string
  readonly shortDescription: string
  readonly description: string
}

const endingCommand = (ending: Ending) => <R>(openPort: Layer.Layer<ProjectionPort, PortProblem, R>) => {
  const change = { commandPath: ["steno", "run", ending.operation], names: "run", answersWithRun: false, openPort } as const
  return Command.make(
    ending.operation,
    { ...changeFlags, run: runArgument },
    Effect.fn(`run ${ending.operation}`)((typed) =>
      changeRun(typed, change, Effect.void, ({ request, runId }) =>
        performOperation(request({ operation: ending.operation, runId }), {
          json: typed.json,
          done: `Run ${runId}: ${ending.done}.`
        })))
  ).pipe(
    Command.withShortDescription(ending.shortDescription),
    Command.withDescription(ending.description),
    Command.withExamples([{ command: `steno run ${ending.operation} @last` }])
  )
}

export const cancelCommand = endingCommand({
  operation: "cancel",
  done: "cancelled",
  shortDescription: "End a Run for good",
  description: "Ends everything that runs for a Run, wherever it is live, and rests it cancelled. Its record stays. Exits 0 when that was done."
})

export const deleteCommand = endingCommand({
  operation: "delete",
  done: "deleted",
  shortDescription: "Remove a Run and its files",
  description: "Cancels a Run that is live, then removes its record and its captured output. Exits 0 when that was done."
})

export const endCommand = <R>(openPort: Layer.Layer<ProjectionPort, PortProblem, R>) => {
  const change = { commandPath: ["steno", "run", "end"], names: "run", answersWithRun: false, openPort } as const
  return Command.make(
    "end",
    { failed: switchFlag("failed", "Rest it failed instead of succeeded"), ...changeFlags, run: runArgument },
    Effect.fn("run end")((typed) =>
      changeRun(typed, change, Effect.void, ({ request, runId }) =>
        performOperation(request({ operation: "end", runId, ...(typed.failed ? { failed: true } : {}) }), {
          json: typed.json,
          done: `Run ${runId}: ended, ${typed.failed ? "failed" : "succeeded"}.`
        })))
  ).pipe(
    Command.withShortDescription("End an interactive Run that rests"),
    Command.withDescription("Says that an interactive Run, which is blocked between its Turns, is over: it rests succeeded, or failed with --failed. Exits 0 when that was done."),
    Command.withExamples([{ command: "steno run end @last" }])
  )
}
