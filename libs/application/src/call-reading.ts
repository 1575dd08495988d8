/**
 * Reads what a call printed.
 *
 * Owns: which file, digest and status a page or a byte stream of a call has.
 */
import type { Asset, CallOutput, CaptureStream, StoredEvent } from "@steno/contracts"
import { CaptureFiles } from "@steno/process-capture"
import type { CallReadQuery, PortProblem } from "@steno/projection-port"
import { decideAbandoned } from "@steno/tool-call-service"
import { Context, Effect, Layer, Stream } from "effect"
import { HomeFolder } from "./home-folder.ts"
import { toPortProblem } from "./problems.ts"
import { resolveCall } from "./run-reference.ts"
import { callFolderPath, outputAsset } from "./run-snapshot.ts"
import { type OwnedRecord, Runs } from "./runs.ts"

type Started = Extract<StoredEvent, { readonly type: "tool-call-started" }>

const assetOf = (assets: ReadonlyArray<Asset>, start: Started, stream: CaptureStream): Asset | undefined =>
  stream === "output"
    ? outputAsset(assets, start.payload.callId)
    : assets.find((asset) => asset.callId === start.payload.callId && asset.stream === stream)

const statusOf = ({ ownership, record }: OwnedRecord, start: Started): CallOutput["status"] => {
  const { callId } = start.payload
  const response = record.events.find((event) => event.type === "tool-call-response" && event.payload.callId === callId)
  if (response?.type === "tool-call-response") return response.payload.outcome
  const state = record.unfinished.find((row) => row.callId === callId)?.state ?? "running"
  return ownership === "abandoned" ? decideAbandoned(state).outcome : state
}

export class CallReading extends Context.Service<CallReading, {
  readonly page: (query: CallReadQuery) => Effect.Effect<CallOutput, PortProblem>
  readonly bytes: (query: Pick<CallReadQuery, "run" | "call" | "stream">) => Stream.Stream<Uint8Array, PortProblem>
}>()("@steno/application/CallReading") {
  static readonly layerNoDeps = Layer.effect(
    CallReading,
    Effect.gen(function*() {
      const home = yield* HomeFolder
      const runs = yield* Runs
      const files = yield* CaptureFiles

      const locate = Effect.fnUntraced(function*(query: Pick<CallReadQuery, "run" | "call" | "stream">) {
        const found = yield* runs.read(query.run)
        const start = yield* resolveCall(found.record, query.call)
        const asset = assetOf(found.record.assets, start, query.stream)
        const unfinished = found.record.unfinished.some((row) => row.callId === start.payload.callId)
        return {
          start,
          asset,
          status: statusOf(found, start),
          request: {
            directory: callFolderPath(home.path, start.conversationId, start.payload.callId),
            stream: query.stream,
            closed: !unfinished,
            ...(asset === undefined ? {} : { expected: { digest: asset.digest, sizeBytes: asset.sizeBytes } })
          }
        }
      })

      const page = Effect.fn("CallReading.page")(function*(query: CallReadQuery) {
        const { asset, request, start, status } = yield* locate(query)
        const read = yield* files.page({
          ...request,
          ...(query.offset === undefined ? {} : { offset: query.offset }),
          ...(query.limit === undefined ? {} : { limit: query.limit })
        }).pipe(Effect.mapError((error) => toPortProblem(error)))
        const droppedBytes = asset?.capture?.droppedBytes ?? read.droppedBytes
        const whole = read.offset === 0 && read.endOffset === read.totalLines && read.truncatedLines.length === 0
        return {
          found: true as const,
          type: "call-output" as const,
          callId: start.payload.callId,
          stream: query.stream,
          totalLines: read.totalLines,
          totalBytes: read.totalBytes,
          offset: read.offset,
          endOffset: read.endOffset,
          ...(read.nextOffset === undefined ? {} : { nextOffset: read.nextOffset }),
          complete: read.complete,
          status,
          ...(droppedBytes > 0 ? { captureTruncated: { droppedBytes } } : {}),
          truncatedLines: read.truncatedLines,
          lines: read.lines,
          ...(whole || read.path === undefined ? {} : { path: read.path })
        }
      })

      const bytes = (query: Pick<CallReadQuery, "run" | "call" | "stream">) =>
        Stream.unwrap(Effect.map(locate(query), ({ request }) =>
          files.bytes(request).pipe(Stream.mapError((error) => toPortProblem(error)))))

      return CallReading.of({ page, bytes })
    })
  )
}
