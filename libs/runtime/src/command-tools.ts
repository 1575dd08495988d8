/**
 * Runs shell commands through process-capture.
 *
 * Owns: which of them may still have processes; these are ended with the layer, so that nothing outlives its owner.
 */
import { HomeFolder } from "@steno/application"
import { AssetStore } from "@steno/asset-store"
import { type CallId, callFolder, type ProcessIdentity } from "@steno/contracts"
import { type CapturedCommand, CapturedCommands, CaptureFiles, type CommandEnd } from "@steno/process-capture"
import { ProcessHost, type ProcessMarker } from "@steno/process-host"
import { type HostCall, ResultNotPrepared, type RunningTool, ToolDidNotStart, type ToolEnd } from "@steno/tool-call-service"
import { Effect } from "effect"
import { existsSync } from "node:fs"
import { join } from "node:path"
import type { Variables } from "./person-environment.ts"

export interface CommandToStart {
  readonly command: string
  /** Absolute. */
  readonly cwd: string
  readonly timeoutMs?: number
  readonly environment: Variables
  /** Set for this command, over its environment. */
  readonly variables?: Readonly<Record<string, string>>
}

type CallName = Pick<HostCall, "callId" | "conversationId">
type StartedCall = Pick<HostCall, "callId" | "conversationId" | "origin">

const markerOf = (callId: CallId): ProcessMarker => ({ name: "STENO_CALL_ID", value: callId })

const toolEnd = (end: CommandEnd): ToolEnd => ({
  kind: "process",
  exit: end.exit,
  timedOut: end.timedOut,
  stopped: end.stopped?.kind,
  survivors: end.survivors,
  durationMs: Math.round(end.durationMs),
  captured: end.captured
})

export const makeCommandTools = Effect.gen(function*() {
  const home = yield* HomeFolder
  const assets = yield* AssetStore
  const host = yield* ProcessHost
  const commands = yield* CapturedCommands
  const files = yield* CaptureFiles
  const unended = new Set<CapturedCommand>()

  yield* Effect.addFinalizer(() =>
    Effect.forEach([...unended], (command) => command.endSurvivors, { concurrency: "unbounded", discard: true })
  )

  const start = Effect.fnUntraced(function*({ callId, conversationId, origin }: StartedCall, command: CommandToStart): Effect.fn.Return<RunningTool, ToolDidNotStart> {
    const directory = yield* assets.makeFolder({ kind: "call", conversationId, callId }).pipe(
      Effect.mapError(({ message }) =>
        new ToolDidNotStart({
          code: "capture-not-opened",
          explanation: `The folder for the captured output could not be created: ${message}`
        }))
    )
    const started = yield* commands.start({ ...command, directory, marker: markerOf(callId), ...(origin === "client" ? { isWatched: true } : {}) }).pipe(
      Effect.tap((running) => Effect.sync(() => unended.add(running))),
      Effect.uninterruptible,
      Effect.mapError((error) =>
        new ToolDidNotStart({
          code: error._tag === "ProcessHostError" ? "could-not-start" : "capture-not-opened",
          explanation: error.message
        })
      )
    )
    return {
      process: started.identity,
      quiet: started.quiet,
      ended: Effect.map(started.ended, (end) => {
        if (end.survivors.length === 0) unended.delete(started)
        return toolEnd(end)
      }),
      stop: (options) => Effect.asVoid(started.stop(options)),
      endedByItself: started.endedByItself,
      storedBytes: started.storedBytes,
      output: started.output
    }
  })

  /** Ends what is left of a call, whatever tool it was. */
  const sweep = Effect.fnUntraced(function*({ callId, process }: Pick<HostCall, "callId"> & { readonly process: ProcessIdentity | undefined }) {
    const { ended, ending } = yield* host.sweep({ marker: markerOf(callId), root: process })
    return { ended, left: ending.kind === "confirmed" ? [] : ending.left }
  })

  /** Closes the files of a command whose owner is gone. */
  const closeFiles = ({ callId, conversationId }: CallName) =>
    files.recover(join(home.path, callFolder(conversationId, callId))).pipe(
      Effect.mapError((error) => new ResultNotPrepared({ explanation: error.message }))
    )

  /** Of a call that an outside agent ran; it has no folder where no output of it was supplied. */
  const suppliedFiles = (call: CallName) =>
    existsSync(join(home.path, callFolder(call.conversationId, call.callId)))
      ? Effect.map(closeFiles(call), (captured) => ({ captured }))
      : Effect.succeed({})

  return { closeFiles, start, suppliedFiles, sweep }
})
