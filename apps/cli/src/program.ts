/**
 * The steno command line as one Effect: from arguments to an exit code.
 *
 * Owns: the root command, `--home`, joining headless and runtime, what a defect and lost output mean for the caller.
 */
import type { Problem } from "@steno/contracts"
import { AdmittedRun, answerForArguments, harnessCommand, HeadlessOutput, problemText, ProgramWords, runArguments, runCommand, type StartOptions } from "@steno/headless"
import { defectsToProblem, homeMaintenanceLayer, homePath, homePolicyLayer, openHome, readHomeConfig, runtimeLayer, startLayer } from "@steno/runtime"
import { Effect, Layer, Logger, Option } from "effect"
import { homedir } from "node:os"
import { fileURLToPath } from "node:url"
import manifest from "../package.json" with { type: "json" }
import { Command, Flag } from "./cli-engine.ts"
import { completionsCommand } from "./commands/completions.ts"
import { doctorCommand } from "./commands/doctor.ts"
import { gcCommand } from "./commands/gc.ts"
import { policyCommand } from "./commands/policy.ts"
import { projectCommand } from "./commands/project.ts"
import { currentDirectory, processInputLayer } from "./process-input.ts"
import { openProcessOutput, type ProcessOutput } from "./process-output.ts"
import { programWords } from "./program-words.ts"
import { writtenFilesLayer } from "./written-file.ts"

const root = Command.make("steno").pipe(
  Command.withDescription("Keeps the true record of what a coding agent did."),
  Command.withExamples([{ command: "steno run start --harness command -- 'npm test'" }]),
  Command.withSharedFlags({
    home: Flag.String("home").pipe(
      Flag.withMetavar("DIR"),
      Flag.withDescription("Where the record lies (default: STENO_HOME, else the platform's data directory)"),
      Flag.filter((directory) => directory !== "", () => "a folder"),
      Flag.optional
    )
  })
)

/** Empty where the system knows none. */
const userHome = Effect.orElseSucceed(Effect.try(homedir), () => "")

/** The home that the arguments or the environment name. */
const namedHome = Effect.gen(function*() {
  const { home } = yield* root
  return yield* homePath({
    platform: process.platform,
    userHome: yield* userHome,
    variables: process.env,
    named: Option.getOrUndefined(home)
  }, currentDirectory)
})

/** Beside the sources and beside the bundle alike. */
const bin = fileURLToPath(new URL("../bin/steno.js", import.meta.url))

const agentCallProgram = { command: process.execPath, arguments: [bin, "agent-calls", "serve"] }

const opened = Effect.fnUntraced(function*(need: "write" | "read") {
  const path = yield* namedHome
  const home = yield* openHome(path, need)
  return { home, config: yield* readHomeConfig(path), environment: process.env, agentCallProgram }
})

const openPort = Layer.unwrap(Effect.map(opened("read"), runtimeLayer))

const openStart = (wanted: StartOptions) => Layer.unwrap(Effect.map(opened("write"), (options) => startLayer(options, wanted)))

const openMaintenance = Layer.unwrap(
  Effect.map(namedHome, (path) => homeMaintenanceLayer({ path, environment: process.env }))
)

const openPolicy = Layer.unwrap(Effect.gen(function*() {
  return homePolicyLayer({ path: yield* namedHome, userHome: yield* userHome })
}))

const steno = root.pipe(Command.withSubcommands([
  runCommand({ start: openStart, read: openPort }),
  harnessCommand(openPort),
  doctorCommand(openMaintenance),
  gcCommand(openMaintenance),
  policyCommand(openPolicy),
  projectCommand,
  completionsCommand(wholeTree)
]))

/** Declared with its type, because the tree holds a command that looks at the tree. */
function wholeTree(): Command.Command.Any {
  return steno
}

const fullCodes = new Set(["ENOSPC", "EDQUOT"])

const outputLost = (fault: NodeJS.ErrnoException): Problem => ({
  code: fullCodes.has(fault.code ?? "") ? "storage-full" : "storage-failed",
  explanation: `The answer could not be written to stdout: ${fault.code ?? "unknown"}.`,
  remediation: "What was done stays recorded: look at it with `steno run list` and `steno run show`.",
  possibleEffects: "unknown"
})

/** Says that output was lost; work whose answer is lost never ends with 0. */
const checkOutput = Effect.fnUntraced(function*(output: ProcessOutput, code: number) {
  const fault = output.lost()
  if (fault === undefined) return code
  yield* output.service.stderr(problemText(outputLost(fault)))
  return code === 0 ? 1 : code
})

export interface ProgramHooks {
  readonly admittedRun: typeof AdmittedRun.Service
}

/** Resolves to the exit code once everything is written; a defect is answered as the Problem `internal`. */
export const stenoProgram = (args: ReadonlyArray<string>, hooks: ProgramHooks): Effect.Effect<number> =>
  Effect.suspend(() => {
    const output = openProcessOutput()
    return defectsToProblem(runArguments(steno, { version: manifest.version })(args)).pipe(
      Effect.catchTag("PortProblem", ({ problem }) => answerForArguments(args, problem)),
      Effect.flatMap((code) => checkOutput(output, code)),
      Effect.provideService(AdmittedRun, hooks.admittedRun),
      Effect.provideService(ProgramWords, programWords(args)),
      Effect.provideService(HeadlessOutput, output.service),
      Effect.provide(Layer.mergeAll(processInputLayer, writtenFilesLayer, Logger.layer([Logger.withConsoleError(Logger.formatLogFmt)])))
    )
  })
