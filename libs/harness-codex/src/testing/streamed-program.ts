/** A program whose bytes a test deals out, and whose stdin it reads. */
import type { RunningProgram, ShellExit } from "@steno/process-host"
import { Deferred, Effect } from "effect"
import { PassThrough, Writable } from "node:stream"

export interface StreamedProgram {
  readonly program: RunningProgram
  readonly say: (bytes: string | Uint8Array) => void
  /** Resolves when all that was said was read, or never. */
  readonly allRead: Effect.Effect<void>
  /** The pipes end, then the exit is known. */
  readonly exit: (exit: ShellExit) => Effect.Effect<void>
  /** Messages that reached its stdin. */
  readonly received: () => ReadonlyArray<unknown>
}

export const streamedProgram = (): StreamedProgram => {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()]
  const exited = Deferred.makeUnsafe<ShellExit>()
  let read = ""
  const stdin = new Writable({
    write: (bytes: Uint8Array, _, done) => {
      read += bytes.toString()
      done()
    }
  })
  return {
    program: {
      identity: undefined,
      stdin,
      stdout,
      stderr,
      exited: Deferred.await(exited),
      terminate: () => Effect.succeed({ kind: "confirmed" }),
      release: Effect.void
    },
    say: (bytes) => {
      stdout.write(bytes)
    },
    allRead: Effect.callback((resume) => {
      stdout.write("", () => resume(Effect.void))
    }),
    exit: (exit) =>
      Effect.suspend(() => {
        stdout.end()
        stderr.end()
        return Effect.asVoid(Deferred.succeed(exited, exit))
      }),
    received: () => read.split("\n").filter((line) => line !== "").map((line): unknown => JSON.parse(line))
  }
}
