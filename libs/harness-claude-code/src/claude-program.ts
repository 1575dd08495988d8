/**
 * The program: where it is, which version it is, with which arguments it is spoken to.
 *
 * Owns: finding it, asking its version, its command line.
 * Never owns: what its version means (qualification), its protocol (claude-connection).
 */
import { harnessLimits } from "@steno/contracts"
import {
  HarnessNotExecutable,
  HarnessNotFound,
  HarnessProbeFailed,
  HarnessTimedOut,
  PrepareError,
  type PrepareOptions
} from "@steno/harness-seam"
import type { ProcessHost, ProgramSpec, RunningProgram } from "@steno/process-host"
import { Effect, Exit } from "effect"

const flags = [
  "-p",
  "--input-format", "stream-json",
  "--output-format", "stream-json",
  "--verbose",
  "--include-partial-messages",
  "--permission-prompt-tool", "stdio"
]

export const programArguments = (options: PrepareOptions): ReadonlyArray<string> => [
  ...flags,
  ...(options.model === undefined ? [] : ["--model", options.model.model]),
  ...(options.coordinate === undefined ? [] : ["--resume", options.coordinate])
]

const fail = (reason: PrepareError["reason"]) => Effect.fail(new PrepareError({ reason }))

export const findProgram = Effect.fnUntraced(function*(
  host: ProcessHost["Service"],
  program: string,
  { environment, workspace }: PrepareOptions
) {
  const found = yield* host.locate(program, { cwd: workspace, environment })
  if (found.kind === "found") return found.path
  return yield* found.kind === "not-found"
    ? fail(new HarnessNotFound({
      explanation: `There is no program ${program}`,
      remedy: "Install Claude Code, or configure the path of `claude`."
    }))
    : fail(new HarnessNotExecutable({
      explanation: `${found.path} cannot be run: ${found.code}`,
      remedy: "Make the file executable, or configure another path."
    }))
})

export const specOf = (path: string, options: PrepareOptions, args: ReadonlyArray<string>): ProgramSpec => ({
  path,
  arguments: args,
  cwd: options.workspace,
  marker: { name: "STENO_TURN_ID", value: options.turnId },
  environment: options.environment
})

export const launchProgram = (host: ProcessHost["Service"], spec: ProgramSpec): Effect.Effect<RunningProgram, PrepareError> =>
  host.startProgram(spec).pipe(
    Effect.catch(({ message }) =>
      fail(new HarnessNotExecutable({ explanation: message, remedy: "Reinstall Claude Code, or configure another path." })))
  )

export const withinProbe = <Answer>(
  asked: string,
  probe: Effect.Effect<Answer, PrepareError>
): Effect.Effect<Answer, PrepareError> =>
  Effect.flatMap(Effect.timeoutOption(probe, harnessLimits.probeMs), (answer) =>
    answer._tag === "Some" ? Effect.succeed(answer.value) : fail(new HarnessTimedOut({
      explanation: `Claude Code did not answer ${asked} within ${harnessLimits.probeMs / 1000} s`,
      remedy: "Try again; run `claude doctor` if it stays silent."
    })))

const versionUnits = 4_096

const saidBy = (program: RunningProgram): Effect.Effect<string> =>
  Effect.callback<string>((resume) => {
    let text = ""
    program.stdin.end()
    program.stderr.resume()
    program.stdout.setEncoding("utf8")
    program.stdout.on("data", (piece: string) => {
      text = (text + piece).slice(0, versionUnits)
    })
    program.stdout.once("close", () => resume(Effect.succeed(text)))
  })

/** What the program says to `--version`. It is gone when this resolves, fails or is interrupted. */
export const askVersion = Effect.fnUntraced(function*(
  host: ProcessHost["Service"],
  path: string,
  options: PrepareOptions,
  words: ReadonlyArray<string>
) {
  const asking = Effect.acquireUseRelease(
    launchProgram(host, specOf(path, options, [...words, "--version"])),
    (program) => withinProbe("for its version", Effect.all([saidBy(program), program.exited], { concurrency: 2 })),
    (program, answer) =>
      Exit.isSuccess(answer) ? program.release : Effect.andThen(program.terminate({ grace: false }), program.release)
  )
  const [version, exit] = yield* asking
  if (exit.kind === "exited" && exit.code === 0) return version
  return yield* fail(new HarnessProbeFailed({
    explanation: `${path} could not tell its version: ${exit.kind === "exited" ? `exit code ${exit.code}` : exit.signal}`,
    remedy: "Reinstall Claude Code, or configure another path."
  }))
})
