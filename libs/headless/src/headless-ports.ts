/**
 * What the command line needs from the program around it.
 *
 * Owns: the ports for output, input and the exit code.
 * Never owns: the streams of the process, environment variables, signals (the app).
 */
import type { RunId } from "@steno/contracts"
import type { PortProblem, ProjectionPort } from "@steno/projection-port"
import { Context, Effect, type Stream } from "effect"

export interface TerminalFacts {
  readonly stdout: boolean
  readonly stderr: boolean
  /** Width of the terminal behind stderr, current at each reading; 80 when it is none. */
  readonly columns: number
}

export class HeadlessOutput extends Context.Service<HeadlessOutput, {
  /** Resolves once everything is handed to the system. A reader that went away ends the program quietly instead of failing here. */
  readonly stdout: (data: string | Uint8Array) => Effect.Effect<void>
  /** As `stdout`. */
  readonly stderr: (text: string) => Effect.Effect<void>
  readonly terminal: TerminalFacts
  /** Whether text on stdout may be coloured: `NO_COLOR` and `FORCE_COLOR` are already weighed. */
  readonly colour: boolean
}>()("@steno/headless/HeadlessOutput") {}

export class HeadlessInput extends Context.Service<HeadlessInput, {
  /** Absolute path of the caller's directory. Fails with `workspace-not-found` where that is gone. */
  readonly cwd: Effect.Effect<string, PortProblem>
  /** Every byte on stdin until its end; read when it is run, once. Fails with `usage-invalid` when it cannot be read. */
  readonly stdin: Stream.Stream<Uint8Array, PortProblem>
}>()("@steno/headless/HeadlessInput") {}

export class ExitCode extends Context.Service<ExitCode, {
  /** The last one set counts; 0 when none was. */
  readonly set: (code: number) => Effect.Effect<void>
}>()("@steno/headless/ExitCode") {}

/** Told about the Run that a command waits for, before the wait begins, so that a signal can interrupt it. */
export const AdmittedRun = Context.Reference<
  (runId: RunId, port: ProjectionPort["Service"]) => Effect.Effect<void>
>("@steno/headless/AdmittedRun", { defaultValue: () => () => Effect.void })

/** The words that a further command for the same home begins with, unquoted. */
export const ProgramWords = Context.Reference<ReadonlyArray<string>>("@steno/headless/ProgramWords", {
  defaultValue: () => ["steno"]
})
