/**
 * Explains what a model saw of a call: its projection made again, with the reason for each line.
 *
 * Owns: whether the text made again is the stored one, and what is said where it is not.
 * Never owns: which lines are kept and why (result-projection), whether a file is the recorded one (asset-store).
 * Limits: a file whose reading is kept is not opened again.
 */
import { AssetStore } from "@steno/asset-store"
import { type Asset, type ProjectionDocument, startedInput, type ToolCallResponse } from "@steno/contracts"
import type { CallReadQuery, PortProblem } from "@steno/projection-port"
import { type OutputToRead, OutputReadings, projectionDocument } from "@steno/result-projection"
import { Context, Effect, Layer, Schema, Stream } from "effect"
import { HomeFolder } from "./home-folder.ts"
import { makeProblem, readingProblem } from "./problems.ts"
import { projectCall } from "./projected-call.ts"
import { resolveCall } from "./run-reference.ts"
import { outputAsset } from "./run-snapshot.ts"
import { Runs } from "./runs.ts"
import { explainValue, hasValue, resultAsset } from "./value-explanation.ts"

const decodeJson = Schema.decodeUnknownEffect(Schema.fromJsonString(Schema.Unknown))

const notEnded = (callId: string) =>
  makeProblem(
    "asset-not-found",
    `Call ${callId} is not settled, so nothing was made of its output yet.`,
    "Repeat this once it is; without --explain the command shows what was printed so far.",
    { details: { call: callId } }
  )

/** An output that no file could take, where memory had all of it and the record keeps that. */
const wholeInMemory = ({ retainedOutput }: ToolCallResponse): Pick<OutputToRead<never, never>, "unfiled"> =>
  retainedOutput === undefined || retainedOutput.text === "" || retainedOutput.dropped === true || retainedOutput.incomplete === true
    ? {}
    : { unfiled: { lostBytes: 0, bytes: new TextEncoder().encode(retainedOutput.text) } }

/** What is said beside a text that is not the stored one. */
const beside = (document: ProjectionDocument, stored: string | undefined): Pick<ProjectionDocument, "storedText" | "warnings"> => {
  if (document.text === stored) return {}
  const [code, text] = stored === undefined
    ? ["projection-not-stored", "No text for a model is stored with this call; this is what would be shown of it."]
    : ["projection-differs", "The text that was made when the call ended is another one; this one was made now, from the stored output."]
  return {
    ...(stored === undefined ? {} : { storedText: stored }),
    warnings: [...(document.warnings ?? []), { code, text }]
  }
}

export class CallExplanation extends Context.Service<CallExplanation, {
  /** Fails with `asset-not-found` for a call that is not settled, and as reading its file does. */
  readonly explain: (query: Pick<CallReadQuery, "run" | "call">) => Effect.Effect<ProjectionDocument, PortProblem>
}>()("@steno/application/CallExplanation") {
  static readonly layerNoDeps = Layer.effect(
    CallExplanation,
    Effect.gen(function*() {
      const home = yield* HomeFolder
      const runs = yield* Runs
      const store = yield* AssetStore
      const readings = yield* OutputReadings

      const outputOf = (
        response: ToolCallResponse,
        assets: ReadonlyArray<Asset>,
        owner: Parameters<typeof store.open>[1]
      ): OutputToRead<PortProblem, never> => {
        const asset = outputAsset(assets, response.callId, response.capture)
        if (asset === undefined) return { bytes: Stream.empty, ...wholeInMemory(response) }
        return {
          digest: asset.digest,
          bytes: Stream.unwrap(Effect.map(store.open(asset, owner), (reader) => reader.range())).pipe(
            Stream.mapError((error) => readingProblem(asset, error))
          )
        }
      }

      /** The file is one of ours and verified: what it holds is JSON. */
      const storedResult = Effect.fnUntraced(function*(asset: Asset, owner: Parameters<typeof store.open>[1]) {
        const bytes = yield* Stream.unwrap(Effect.map(store.open(asset, owner), (reader) => reader.range())).pipe(
          Stream.mkUint8Array,
          Effect.mapError((error) => readingProblem(asset, error)),
          Effect.scoped
        )
        return { asset, value: yield* Effect.orDie(decodeJson(new TextDecoder().decode(bytes))) }
      })

      const explain = Effect.fn("CallExplanation.explain")(function*(query: Pick<CallReadQuery, "run" | "call">) {
        const { record } = yield* runs.read(query.run)
        const { asked, callId, conversationId, response, started } = yield* resolveCall(record, query.call)
        if (response === undefined) return yield* notEnded(callId)
        const assets = record.assets.filter((asset) => asset.callId === callId)
        if (hasValue(response)) {
          const file = resultAsset(assets)
          const stored = file === undefined ? undefined : yield* storedResult(file, { kind: "call", conversationId, callId })
          const args = asked !== undefined && "arguments" in asked ? asked.arguments : undefined
          const document = explainValue(response, args, home.path, stored)
          return { ...document, ...beside(document, response.agentProjection) }
        }
        const { agentProjection, capture, exitCode } = response
        const reading = yield* readings.read({
          ...outputOf(response, assets, { kind: "call", conversationId, callId }),
          ...(exitCode === undefined ? {} : { exitCode })
        })
        const document = projectionDocument(projectCall(reading, response, { command: started === undefined ? undefined : startedInput(started).input, capture, assets, home: home.path }))
        return { ...document, ...beside(document, agentProjection) }
      })

      return CallExplanation.of({ explain })
    })
  )
}
