/**
 * Runs one shell command and keeps everything it prints.
 *
 * Owns: when a command counts as ended (shell exited, and pipes drained or 1 s passed), its wall-time limit.
 * Ordering: capture files are open before the process starts; the capture is closed and on disk before the end is told.
 */
import { type ProcessIdentity, type Quiet, type RetainedOutput, quietLimits, type Survivor } from "@steno/contracts"
import type { CommandSpec, Ending, ProcessHostError, ShellExit } from "@steno/process-host"
import { Context, type Effect, Layer, type Stream } from "effect"
import { defaultCaps } from "./capture-caps.ts"
import type { Captured } from "./capture-files.ts"
import { makeCapturedCommands } from "./captured-commands-layer.ts"
import type { ProcessCaptureError } from "./process-capture-errors.ts"

export interface CapturedCommandSpec extends CommandSpec {
  /** Wall time from start, 1 … 86,400,000; absent: no limit. */
  readonly timeoutMs?: number
  /** True only: `output` is asked for while the command runs. */
  readonly isWatched?: true
}

export interface CommandEnd {
  /** Absent: nobody collected the shell's status. */
  readonly exit: ShellExit | undefined
  /** The limit was reached while the shell ran. */
  readonly timedOut: boolean
  /** Present exactly when a limit or a `stop` met the running shell; a command whose shell had exited by then keeps its own end. */
  readonly stopped: Ending | undefined
  /** Processes that outlived the shell and still run; whom a `stop` ended since is not among them. */
  readonly survivors: ReadonlyArray<Survivor>
  readonly captured: Captured
  readonly durationMs: number
}

export interface CapturedCommand {
  readonly identity: ProcessIdentity | undefined
  /** Live: a fact each time the command has printed nothing for 30 s, once per silence; ends with the command. */
  readonly quiet: Stream.Stream<Quiet>
  /** Resolves when the command has ended and its files are closed, synced and digested. Never fails: storage faults are warnings. */
  readonly ended: Effect.Effect<CommandEnd>
  /** Ends the command; resolves with what is confirmed gone. `grace: false` starts at SIGKILL, also while a graceful stop is under way. */
  readonly stop: (options: { readonly grace: boolean }) => Effect.Effect<Ending>
  /** Whether the shell ended before any limit or `stop`: its own end will be told, however long its files take. */
  readonly endedByItself: () => boolean
  /** Bytes that its files hold on disk by now. */
  readonly storedBytes: () => number
  /** The end of what it has printed by now, both streams as they came; empty where it is not watched. At most 64 KiB. */
  readonly output: () => RetainedOutput
  /** Ends whoever of the command still runs, by the ladder; for when its Session ends. */
  readonly endSurvivors: Effect.Effect<Ending>
}

export class CapturedCommands extends Context.Service<CapturedCommands, {
  /** The folder must exist and hold none of the capture's files. Fails before anything runs. */
  readonly start: (
    spec: CapturedCommandSpec
  ) => Effect.Effect<CapturedCommand, ProcessHostError | ProcessCaptureError>
}>()("@steno/process-capture/CapturedCommands") {
  /** Needs ProcessHost. */
  static readonly layerNoDeps = Layer.effect(CapturedCommands, makeCapturedCommands(defaultCaps, quietLimits))
}
