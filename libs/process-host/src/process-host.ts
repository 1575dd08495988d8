/**
 * Starts, identifies and ends processes.
 *
 * Owns: spawn, the environment of commands and programs, identity, the three facts of ending, the kill ladder, the sweep.
 * Never owns: captured bytes (process-capture), what a call's ending means (tool-call-service).
 */
import type { ProcessIdentity, Survivor } from "@steno/contracts"
import { Context, type Effect, Layer } from "effect"
import type { Readable, Writable } from "node:stream"
import type { ProcessHostError } from "./process-host-errors.ts"
import { makeProcessHost } from "./process-host-layer.ts"
import type { ProgramSearch } from "./program-location.ts"

/** Marks every process of a call through its environment. */
export interface ProcessMarker {
  readonly name: "STENO_CALL_ID" | "STENO_TURN_ID"
  readonly value: string
}

export interface CommandSpec {
  /** Shell text; never part of an argument list. */
  readonly command: string
  /** Absolute, existing folder. */
  readonly cwd: string
  /** Existing folder that takes `command.sh` while the command runs. */
  readonly directory: string
  readonly marker: ProcessMarker
  /** The person's environment, as this process got it. */
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Set for this command as they are, over all else but the marker. */
  readonly variables?: Readonly<Record<string, string>>
}

/** How the shell ended, as its status was collected; a number is never made up. */
export type ShellExit =
  | { readonly kind: "exited"; readonly code: number }
  | { readonly kind: "signalled"; readonly signal: string }

export type Ending =
  | { readonly kind: "confirmed" }
  /** What could not be ended or verified. */
  | { readonly kind: "unconfirmed"; readonly left: ReadonlyArray<Survivor> }

export interface RunningCommand {
  /** Absent when the process was gone before it could be identified. */
  readonly identity: ProcessIdentity | undefined
  readonly stdout: Readable
  readonly stderr: Readable
  /** Resolves when the shell's status was collected. */
  readonly exited: Effect.Effect<ShellExit>
  /** Whether the shell runs no more, also when its status is still to be collected. */
  readonly hasExited: () => boolean
  /** Who is left of the call now: same group, session, marker or recorded tree. */
  readonly survivors: Effect.Effect<ReadonlyArray<Survivor>>
  /** SIGTERM to the group, or to each that the shell left; after the grace SIGKILL and sweep; `grace: false` starts at SIGKILL. Resolves with what is known to be gone. Idempotent. */
  readonly terminate: (options: { readonly grace: boolean }) => Effect.Effect<Ending>
  /** Lets go of the pipes and removes `command.sh`. Idempotent. */
  readonly release: Effect.Effect<void>
}

/** A program that is spoken to over its standard streams. */
export interface ProgramSpec {
  /** Absolute. */
  readonly path: string
  readonly arguments: ReadonlyArray<string>
  /** Absolute, existing folder. */
  readonly cwd: string
  readonly marker: ProcessMarker
  /** The person's environment, as this process got it. */
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Set for this program as they are, over all else but the marker. */
  readonly variables?: Readonly<Record<string, string>>
}

export interface RunningProgram {
  /** Absent when the process was gone before it could be identified. */
  readonly identity: ProcessIdentity | undefined
  /** Writing to a program that is gone is no error; `write` then says nothing. */
  readonly stdin: Writable
  readonly stdout: Readable
  readonly stderr: Readable
  /** Resolves when its status was collected; bytes may still be on their way. */
  readonly exited: Effect.Effect<ShellExit>
  /** As that of a command; its own commands are ended with it. */
  readonly terminate: RunningCommand["terminate"]
  /** Lets go of the pipes. Idempotent. */
  readonly release: Effect.Effect<void>
}

export class ProcessHost extends Context.Service<ProcessHost, {
  /** Identity of this process. */
  readonly self: Effect.Effect<ProcessIdentity>
  /** `unknown` where the platform cannot tell. */
  readonly liveness: (identity: ProcessIdentity) => Effect.Effect<"alive" | "dead" | "unknown">
  /** Waits while too many processes run, then starts the shell. Fails with `CouldNotStart`; nothing runs then. */
  readonly start: (spec: CommandSpec) => Effect.Effect<RunningCommand, ProcessHostError>
  /** At once. */
  readonly locate: (
    program: string,
    search: { readonly cwd: string; readonly environment: Readonly<Record<string, string | undefined>> }
  ) => Effect.Effect<ProgramSearch>
  /** Starts a program beside the commands, without waiting for one of their places. Fails with `CouldNotStart`; nothing runs then. */
  readonly startProgram: (spec: ProgramSpec) => Effect.Effect<RunningProgram, ProcessHostError>
  /** Ends, with SIGKILL, what a dead owner left: everything with the marker, and the verified tree and session of `root`. Names what it ended. */
  readonly sweep: (
    target: { readonly marker: ProcessMarker; readonly root: ProcessIdentity | undefined }
  ) => Effect.Effect<{ readonly ended: ReadonlyArray<Survivor>; readonly ending: Ending }>
}>()("@steno/process-host/ProcessHost") {
  /** Uses this machine's processes. Running commands are not ended with the layer: whoever started one ends it. */
  static readonly layer = Layer.effect(ProcessHost, makeProcessHost)
}
