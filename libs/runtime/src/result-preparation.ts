/**
 * Prepares a call's result: its projections and the asset facts of its files.
 *
 * Owns: the results that are output; those that are values come from value-results.
 * Limits: the end of an output that no file could take is shown from memory, with what is lost between.
 */
import { HomeFolder, projectCall } from "@steno/application"
import { callFolder } from "@steno/contracts"
import { CaptureFiles, type ProcessCaptureError } from "@steno/process-capture"
import { isOutputTool, OutputReadings, type OutputToRead } from "@steno/result-projection"
import { type EndedCall, type EndedResult, outputAssets, ResultNotPrepared, ResultPreparation, type ToolFiles } from "@steno/tool-call-service"
import { Effect, Layer, Stream } from "effect"
import { join } from "node:path"
import { makeValueResults } from "./value-results.ts"

export const resultPreparationLayer = Layer.effect(
  ResultPreparation,
  Effect.gen(function*() {
    const home = yield* HomeFolder
    const files = yield* CaptureFiles
    const readings = yield* OutputReadings
    const values = yield* makeValueResults

    const outputOf = (directory: string, captured: ToolFiles | undefined): OutputToRead<ProcessCaptureError, never> => {
      const file = captured?.files.find(({ name }) => name === captured.outputFile)
      return {
        ...(file === undefined
          ? { bytes: Stream.empty }
          : { digest: file.digest, bytes: files.bytes({ directory, stream: file.stream, closed: true }) }),
        ...(captured?.unstored === undefined ? {} : { unfiled: captured.unstored })
      }
    }

    const prepareOutput = Effect.fnUntraced(function*(call: EndedCall, result: EndedResult) {
        const folder = callFolder(call.conversationId, call.callId)
        const command = call.arguments?.["command"]
        const { captured, durationMs, end, interactions, supervision, survivors, warnings } = result
        const assets = yield* outputAssets(call, captured)
        const reading = yield* readings.read({
          ...outputOf(join(home.path, folder), captured),
          ...(end.exitCode === undefined ? {} : { exitCode: end.exitCode })
        })
        const projection = projectCall(
          reading,
          {
            tool: call.tool,
            origin: call.origin,
            ...end,
            ...(durationMs === undefined ? {} : { durationMs }),
            ...(supervision === undefined ? {} : { supervision }),
            ...(interactions === undefined ? {} : { interactions }),
            survivors,
            warnings
          },
          { command: typeof command === "string" ? command : undefined, capture: captured?.facts, assets, home: home.path }
        )
        return { agentProjection: projection.agent, cardProjection: projection.card, assets }
    })

    return ResultPreparation.of({
      prepare: Effect.fn("ResultPreparation.prepare")(function*(call, result) {
        return yield* isOutputTool(call.tool) ? prepareOutput(call, result) : values.prepare(call, result)
      }, Effect.mapError((error) => new ResultNotPrepared({ explanation: error.message })))
    })
  })
)
