/** Runs the command line against a Port in memory and captures what it writes. */
import type { PortProblem, ProjectionPort } from "@steno/projection-port"
import { Effect, type Layer, Stream } from "effect"
import { Command } from "./cli-engine.ts"
import { HeadlessFiles } from "./headless-files.ts"
import { harnessCommand } from "./harness-command.ts"
import { HeadlessInput, HeadlessOutput, type TerminalFacts } from "./headless-ports.ts"
import { runArguments } from "./run-arguments.ts"
import { runCommand } from "./run-command.ts"

export interface Captured {
  readonly exitCode: number
  readonly stdout: string
  readonly stdoutBytes: Uint8Array
  readonly stderr: string
  /** Files written, by absolute path. */
  readonly files: ReadonlyMap<string, string>
}

export interface Surroundings {
  readonly port: Layer.Layer<ProjectionPort, PortProblem>
  /** An Effect where a test must see whether it was read. */
  readonly stdin?: string | Uint8Array | Effect.Effect<Uint8Array, PortProblem>
  readonly cwd?: string | Effect.Effect<string, PortProblem>
  /** Replaces files in memory. */
  readonly writeFile?: HeadlessFiles["Service"]["write"]
  readonly terminal?: Partial<TerminalFacts>
  readonly colour?: boolean
}

const encoder = new TextEncoder()

/** An output that keeps what was written. */
export const captureOutput = (options: Pick<Surroundings, "terminal" | "colour"> = {}) => {
  const stdout: Array<Uint8Array> = []
  const stderr: Array<string> = []
  return {
    service: HeadlessOutput.of({
      stdout: (data) => Effect.sync(() => void stdout.push(typeof data === "string" ? encoder.encode(data) : data)),
      stderr: (text) => Effect.sync(() => void stderr.push(text)),
      terminal: {
        stdout: options.terminal?.stdout ?? false,
        stderr: options.terminal?.stderr ?? false,
        get columns() {
          return options.terminal?.columns ?? 80
        }
      },
      colour: options.colour ?? false
    }),
    stdoutBytes: (): Uint8Array => Buffer.concat(stdout),
    stderr: (): string => stderr.join("")
  }
}

/** Runs `steno ARGS…` with the `run` and `harness` commands mounted; resolves when it would exit. */
export const runSteno = Effect.fnUntraced(function*(args: ReadonlyArray<string>, surroundings: Surroundings) {
  const { cwd = "/workspace", stdin = "" } = surroundings
  const output = captureOutput(surroundings)
  const files = new Map<string, string>()
  const root = Command.make("steno").pipe(Command.withSubcommands([
    runCommand({ start: () => surroundings.port, read: surroundings.port }),
    harnessCommand(surroundings.port)
  ]))
  const exitCode = yield* runArguments(root, { version: "1.2.3" })(args).pipe(
    Effect.provideService(HeadlessOutput, output.service),
    Effect.provideService(HeadlessFiles, {
      write: surroundings.writeFile ?? ((path, text) => Effect.sync(() => void files.set(path, text)))
    }),
    Effect.provideService(HeadlessInput, {
      cwd: Effect.isEffect(cwd) ? cwd : Effect.succeed(cwd),
      stdin: Effect.isEffect(stdin) ? Stream.fromEffect(stdin) : Stream.make(typeof stdin === "string" ? encoder.encode(stdin) : stdin)
    })
  )
  const stdoutBytes = output.stdoutBytes()
  const captured: Captured = {
    exitCode,
    stdout: new TextDecoder().decode(stdoutBytes),
    stdoutBytes,
    stderr: output.stderr(),
    files
  }
  return captured
})
