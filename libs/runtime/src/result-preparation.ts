/**
 * Prepares a call's result: its projections and the asset facts of its files.
 *
 * Limits: the end of an output that no file could take is shown from memory, with what is lost between; the event loop turns
 * between two blocks of the output.
 */
import { HomeFolder } from "@steno/application"
import { type Asset, callFolder, IdMinter } from "@steno/contracts"
import { CaptureFiles } from "@steno/process-capture"
import { processDiagnostics } from "@steno/result-projection"
import { ResultNotPrepared, ResultPreparation, type ToolFiles } from "@steno/tool-call-service"
import { Effect, Layer, Stream } from "effect"
import { join } from "node:path"

const outputStream = ({ files, outputFile }: ToolFiles) => files.find((file) => file.name === outputFile)?.stream

export const resultPreparationLayer = Layer.effect(
  ResultPreparation,
  Effect.gen(function*() {
    const home = yield* HomeFolder
    const files = yield* CaptureFiles
    const ids = yield* IdMinter

    return ResultPreparation.of({
      prepare: Effect.fn("ResultPreparation.prepare")(function*(call, result) {
        const folder = callFolder(call.conversationId, call.callId)
        const directory = join(home.path, folder)
        const projector = processDiagnostics.begin()
        const stream = outputStream(result.captured)
        if (stream !== undefined) {
          yield* files.bytes({ directory, stream, closed: true }).pipe(
            Stream.runForEach((block) => Effect.andThen(Effect.sync(() => projector.push(block)), Effect.yieldNow))
          )
        }
        const { unstored } = result.captured
        if (unstored !== undefined) {
          projector.leaveFile(unstored.lostBytes)
          projector.push(unstored.bytes)
        }
        const pathOf = (stream: "output" | "stdout" | "stderr") => {
          const file = result.captured.files.find((candidate) => candidate.stream === stream)
          return file === undefined ? {} : { [stream]: join(directory, file.name) }
        }
        const projection = projector.finish({
          tool: call.tool,
          command: call.arguments.command,
          origin: call.origin === "observed" ? "client" : call.origin,
          ...result.end,
          ...(result.durationMs === undefined ? {} : { durationMs: result.durationMs }),
          capture: result.captured.facts,
          survivors: result.survivors,
          warnings: result.warnings,
          files: { ...pathOf("output"), ...pathOf("stdout"), ...pathOf("stderr") }
        })
        const assets = yield* Effect.forEach(result.captured.files, (file) =>
          Effect.map(ids.mint("asset"), (assetId): Asset => ({
            assetId,
            callId: call.callId,
            category: "output",
            path: `${folder}/${file.name}`,
            digest: file.digest,
            sizeBytes: file.sizeBytes,
            stream: file.stream,
            capture: file.facts
          })))
        return { agentProjection: projection.agent, cardProjection: projection.card, assets }
      }, Effect.mapError((error) => new ResultNotPrepared({ explanation: error.message })))
    })
  })
)
