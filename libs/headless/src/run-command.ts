/** The `run` group: everything about one Run or many. */
import type { PortProblem, ProjectionPort } from "@steno/projection-port"
import type { Layer } from "effect"
import { Command } from "./cli-engine.ts"
import { answerCommand } from "./run-answer.ts"
import { interruptCommand, steerCommand } from "./run-controls.ts"
import { resumeCommand, sendCommand } from "./run-driving.ts"
import { cancelCommand, deleteCommand, endCommand } from "./run-ending.ts"
import { exportCommand } from "./run-export.ts"
import { listCommand } from "./run-list.ts"
import { readCommand } from "./run-read.ts"
import { showCommand } from "./run-show.ts"
import { type OpenStart, startCommand } from "./run-start.ts"

/** How a command reaches the home: `start` creates it where it is missing; `read` creates nothing, and can change only what exists. */
export interface OpenPorts<R> {
  readonly start: OpenStart<R>
  readonly read: Layer.Layer<ProjectionPort, PortProblem, R>
}

/**
 * To be mounted under the root command.
 *
 * @param openPorts built only when a command needs one, so that help and wrong usage never open a home; a `PortProblem` is answered in the command's own JSON shape
 */
export const runCommand = <R>(openPorts: OpenPorts<R>) =>
  Command.make("run").pipe(
    Command.withShortDescription("Start, show, answer, continue, end and export Runs"),
    Command.withDescription("Starts, shows, lists, reads, answers, continues, ends and exports Runs."),
    Command.withExamples([{ command: "steno run start --harness command -- 'npm test'" }]),
    Command.withSubcommands([
      startCommand(openPorts.start),
      showCommand(openPorts.read),
      listCommand(openPorts.read),
      readCommand(openPorts.read),
      answerCommand(openPorts.read),
      sendCommand(openPorts.read),
      resumeCommand(openPorts.read),
      steerCommand(openPorts.read),
      interruptCommand(openPorts.read),
      endCommand(openPorts.read),
      cancelCommand(openPorts.read),
      deleteCommand(openPorts.read),
      exportCommand(openPorts.read)
    ])
  )
