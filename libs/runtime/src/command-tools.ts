/**
 * Runs the shell commands of tool-call-service through process-capture.
 *
 * Owns: which of them may still have processes; these are ended with the layer, so that nothing outlives its owner.
 */
import { HomeFolder } from "@steno/application"
import { AssetStore } from "@steno/asset-store"
import { type CallId, callFolder, CommandArguments, type ConversationId } from "@steno/contracts"
import { type CapturedCommand, CapturedCommands, CaptureFiles, type CommandEnd } from "@steno/process-capture"
import { ProcessHost, type ProcessMarker } from "@steno/process-host"
import { type HostCall, HostTools, ResultNotPrepared, type RunningTool, ToolDidNotStart, type ToolEnd } from "@steno/tool-call-service"
import { Effect, Layer, Schema } from "effect"
import { join } from "node:path"
import { PersonEnvironment } from "./person-environment.ts"

const markerOf = (callId: CallId): ProcessMarker => ({ name: "STENO_CALL_ID", value: callId })

const decodeCommand = Schema.decodeUnknownEffect(CommandArguments)

const toolEnd = (end: CommandEnd): ToolEnd => ({
  kind: "process",
  exit: end.exit,
  timedOut: end.timedOut,
  stopped: end.stopped?.kind,
  survivors: end.survivors,
  durationMs: Math.round(end.durationMs),
  captured: end.captured
})

export const commandToolsLayer = Layer.effect(
  HostTools,
  Effect.gen(function*() {
    const home = yield* HomeFolder
    const assets = yield* AssetStore
    const host = yield* ProcessHost
    const commands = yield* CapturedCommands
    const files = yield* CaptureFiles
    const environment = yield* PersonEnvironment
    const unended = new Set<CapturedCommand>()

    yield* Effect.addFinalizer(() =>
      Effect.forEach([...unended], (command) => command.endSurvivors, { concurrency: "unbounded", discard: true })
    )

    const folderOf = (conversationId: ConversationId, callId: CallId) => join(home.path, callFolder(conversationId, callId))

    const makeFolder = (call: Pick<HostCall, "conversationId" | "callId">) =>
      assets.makeFolder({ kind: "call", conversationId: call.conversationId, callId: call.callId }).pipe(
        Effect.mapError(({ message }) =>
          new ToolDidNotStart({
            code: "capture-not-opened",
            explanation: `The folder for the captured output could not be created: ${message}`
          }))
      )

    const start = Effect.fn("HostTools.start")(function*(call: HostCall): Effect.fn.Return<RunningTool, ToolDidNotStart> {
      const directory = yield* makeFolder(call)
      const args = yield* decodeCommand(call.arguments).pipe(Effect.mapError((error) =>
        new ToolDidNotStart({ code: "invalid-arguments", explanation: error.message })))
      const command = yield* commands.start({
        ...args,
        directory,
        marker: markerOf(call.callId),
        environment
      }).pipe(
        Effect.tap((started) => Effect.sync(() => unended.add(started))),
        Effect.uninterruptible,
        Effect.mapError((error) =>
          new ToolDidNotStart({
            code: error._tag === "ProcessHostError" ? "could-not-start" : "capture-not-opened",
            explanation: error.message
          })
        )
      )
      return {
        process: command.identity,
        quiet: command.quiet,
        ended: Effect.map(command.ended, (end) => {
          if (end.survivors.length === 0) unended.delete(command)
          return toolEnd(end)
        }),
        stop: (options) => Effect.asVoid(command.stop(options)),
        endedByItself: command.endedByItself,
        storedBytes: command.storedBytes
      }
    })

    return HostTools.of({
      enter: (call) => Effect.succeed({ start: () => start(call) }),
      recover: Effect.fn("HostTools.recover")(function*(call) {
        const { ended, ending } = yield* host.sweep({ marker: markerOf(call.callId), root: call.process })
        const captured = yield* files.recover(folderOf(call.conversationId, call.callId)).pipe(
          Effect.mapError((error) => new ResultNotPrepared({ explanation: error.message }))
        )
        return { captured, ended, left: ending.kind === "confirmed" ? [] : ending.left }
      })
    })
  })
)
