/**
 * A running agent program: its lines in and out, and how it is ended.
 *
 * Owns: framing on its pipes, the end of its stderr, what is known of its end.
 * Never owns: what a message means (acp-peer and above), processes (process-host).
 * Ordering: `gone` resolves after the last line that it wrote was read, or 500 ms after it ended. One that closes its output has
 * `exitSettleMs` to end.
 */
import { harnessLimits, protocolLineLimits } from "@steno/contracts"
import type { CloseReport, Diagnostics } from "@steno/harness-seam"
import { JsonLineReader, type RunningProgram, type ShellExit } from "@steno/process-host"
import { Deferred, Effect } from "effect"

export type ProgramEnd =
  | { readonly kind: "exited"; readonly exit: ShellExit }
  /** It runs on and says nothing any more. */
  | { readonly kind: "silent" }
  /** It does not keep to the protocol; the explanation holds nothing that it said. */
  | { readonly kind: "unreadable"; readonly reason: "line-too-long" | "protocol"; readonly explanation: string }

export interface AcpProgram {
  /** Loses what is written once the program is gone. */
  readonly write: (line: string) => void
  /** Resolves when nothing that it says is read any more. */
  readonly gone: Effect.Effect<ProgramEnd>
  /** It runs and was not asked to end. */
  readonly serves: () => boolean
  /** Resolves when it ended; never where it was asked to and SIGKILL had to do it. */
  readonly ended: Effect.Effect<void>
  /** Closes stdin and asks it to end; does not wait. */
  readonly stop: Effect.Effect<void>
  /** Resolves when the tree is gone, or its survivors are known. */
  readonly kill: Effect.Effect<void>
  /** Ends its tree and lets go of its pipes; `idle`: it does nothing and may end by itself first. */
  readonly close: (options: { readonly idle: boolean }) => Effect.Effect<Pick<CloseReport, "exit" | "survivors">>
  /** The end of its stderr by now; undefined: nothing. */
  readonly stderrTail: () => string | undefined
}

const drainMs = 500

const exitReport = (exit: ShellExit): NonNullable<CloseReport["exit"]> =>
  exit.kind === "exited" ? { code: exit.code } : { signal: exit.signal }

/** Begins to read at once. `take` gets each message while it is read and must not throw. */
export const connectProgram = Effect.fnUntraced(function*(
  program: RunningProgram,
  take: (message: unknown) => void,
  diagnostics: Diagnostics
): Effect.fn.Return<AcpProgram> {
  const reader = new JsonLineReader()
  const gone = Deferred.makeUnsafe<ProgramEnd>()
  const drained = Deferred.makeUnsafe<void>()
  let stderr = ""
  let asked = false
  let exited = false

  const read = (lines: ReturnType<JsonLineReader["push"]>) => {
    for (const line of lines) {
      if (Deferred.isDoneUnsafe(gone)) return
      if (line.kind === "message") {
        if (line.replaced === true) diagnostics.note("invalid-utf8", "A line holds bytes that are not UTF-8")
        take(line.value)
      } else if (line.kind === "preamble") {
        diagnostics.note("preamble", "A line of text before the first message")
      } else {
        Deferred.doneUnsafe(gone, Effect.succeed<ProgramEnd>({
          kind: "unreadable",
          reason: line.reason === "line-too-long" ? "line-too-long" : "protocol",
          explanation: line.explanation
        }))
      }
    }
  }
  program.stdout.on("data", (bytes: Uint8Array) => read(reader.push(bytes)))
  program.stdout.once("close", () => {
    read(reader.end())
    Deferred.doneUnsafe(drained, Effect.void)
  })
  program.stderr.setEncoding("utf8")
  program.stderr.on("data", (text: string) => {
    stderr = (stderr + text).slice(-protocolLineLimits.stderrTailBytes)
  })

  const atExit = program.exited.pipe(
    Effect.tap(() => {
      exited = true
      return Effect.timeoutOption(Deferred.await(drained), drainMs)
    }),
    Effect.map((exit): ProgramEnd => ({ kind: "exited", exit }))
  )
  const inSilence = Effect.andThen(
    Deferred.await(drained),
    Effect.as(Effect.sleep(harnessLimits.exitSettleMs), { kind: "silent" } satisfies ProgramEnd)
  )
  yield* Effect.raceFirst(atExit, inSilence).pipe(
    Effect.flatMap((end) => Deferred.succeed(gone, end)),
    Effect.forkDetach({ startImmediately: true })
  )
  const closeStdin = Effect.sync(() => {
    asked = true
    program.stdin.end()
  })
  return {
    write: (line: string) => {
      if (program.stdin.writable) program.stdin.write(line)
    },
    gone: Deferred.await(gone),
    serves: () => !asked && !exited && !Deferred.isDoneUnsafe(gone),
    ended: Effect.flatMap(program.exited, (exit) =>
      asked && exit.kind === "signalled" && exit.signal === "SIGKILL" ? Effect.never : Effect.void),
    stop: Effect.andThen(
      closeStdin,
      Effect.asVoid(Effect.forkDetach(program.terminate({ grace: true }), { startImmediately: true }))
    ),
    kill: Effect.asVoid(program.terminate({ grace: false })),
    close: Effect.fnUntraced(function*({ idle }: { readonly idle: boolean }) {
      yield* closeStdin
      if (idle) yield* Effect.timeoutOption(program.exited, harnessLimits.interruptStopMs)
      const ending = yield* program.terminate({ grace: true })
      const exit = yield* Effect.timeoutOption(program.exited, drainMs)
      yield* program.release
      return {
        ...(exit._tag === "Some" ? { exit: exitReport(exit.value) } : {}),
        survivors: ending.kind === "confirmed" ? [] : ending.left
      }
    }),
    stderrTail: () => (stderr === "" ? undefined : stderr.toWellFormed())
  }
})
