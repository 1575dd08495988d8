/**
 * The steno command line as one Effect: from arguments to an exit code.
 *
 * Owns: the root command, `--home`, joining headless and runtime.
 */
import { AdmittedRun, runArguments, runCommand } from "@steno/headless"
import { homePath, openHome, runtimeLayer } from "@steno/runtime"
import { Effect, Layer, Logger, Option } from "effect"
import { homedir } from "node:os"
import { resolve } from "node:path"
import manifest from "../package.json" with { type: "json" }
import { Command, Flag } from "./cli-engine.ts"
import { completionsCommand } from "./commands/completions.ts"
import { processInputLayer, processOutputLayer } from "./process-output.ts"
import { writtenFilesLayer } from "./written-file.ts"

const root = Command.make("steno").pipe(
  Command.withDescription("Keeps the true record of what a coding agent did."),
  Command.withExamples([{ command: "steno run start --harness command -- 'npm test'" }]),
  Command.withSharedFlags({
    home: Flag.String("home").pipe(
      Flag.withMetavar("DIR"),
      Flag.withDescription("Where the record lies (default: STENO_HOME, else the platform's data directory)"),
      Flag.optional
    )
  })
)

/** The Port of the home that the arguments or the environment name. */
const openPort = (need: "write" | "read") =>
  Layer.unwrap(Effect.gen(function*() {
    const { home } = yield* root
    const cwd = process.cwd()
    const path = Option.match(home, {
      onNone: () => homePath({ platform: process.platform, userHome: homedir(), variables: process.env }, cwd),
      onSome: (given) => resolve(cwd, given)
    })
    return runtimeLayer({ home: yield* openHome(path, need), environment: process.env })
  }))

const steno = root.pipe(Command.withSubcommands([
  runCommand({ write: openPort("write"), read: openPort("read") }),
  completionsCommand(wholeTree)
]))

/** Declared with its type, because the tree holds a command that looks at the tree. */
function wholeTree(): Command.Command.Any {
  return steno
}

export interface ProgramHooks {
  readonly admittedRun: typeof AdmittedRun.Service
}

/** Resolves to the exit code once everything is written. */
export const stenoProgram = (args: ReadonlyArray<string>, hooks: ProgramHooks): Effect.Effect<number> =>
  runArguments(steno, { version: manifest.version })(args).pipe(
    Effect.provideService(AdmittedRun, hooks.admittedRun),
    Effect.provide(Layer.mergeAll(processOutputLayer, processInputLayer, writtenFilesLayer, Logger.layer([Logger.withConsoleError(Logger.formatLogFmt)])))
  )
