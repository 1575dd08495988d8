/** The `run` group: everything about one Run or many. */
import type { PortProblem, ProjectionPort } from "@steno/projection-port"
import type { Layer } from "effect"
import { Command } from "./cli-engine.ts"
import { listCommand } from "./run-list.ts"
import { readCommand } from "./run-read.ts"
import { showCommand } from "./run-show.ts"
import { startCommand } from "./run-start.ts"

/**
 * To be mounted under the root command.
 *
 * @param openPort built only when a command needs it, so that help and wrong usage never open a home; its `PortProblem` is answered in the command's own JSON shape
 */
export const runCommand = <R>(openPort: Layer.Layer<ProjectionPort, PortProblem, R>) =>
  Command.make("run").pipe(
    Command.withShortDescription("Start, show, list and read Runs"),
    Command.withDescription("Starts, shows, lists and reads Runs."),
    Command.withExamples([{ command: "steno run start --harness command -- 'npm test'" }]),
    Command.withSubcommands([
      startCommand(openPort),
      showCommand(openPort),
      listCommand(openPort),
      readCommand(openPort)
    ])
  )
