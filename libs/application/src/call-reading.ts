/**
 * Reads what a call printed.
 *
 * Owns: which file and status a page or a byte stream of a call has.
 * Never owns: whether a stored file is the recorded one (asset-store), where its lines are (process-capture).
 * Limits: what a running call prints is served as it is by now, unverified.
 */
import { AssetStore } from "@steno/asset-store"
import type { Asset, CallOutput, CaptureStream, StoredEvent } from "@steno/contracts"
import { CaptureFiles } from "@steno/process-capture"
import type { CallReadQuery, PortProblem } from "@steno/projection-port"
import { decideAbandoned } from "@steno/tool-call-service"
import { Context, Effect, Layer, Stream } from "effect"
import { HomeFolder } from "./home-folder.ts"
import { readingProblem, toPortProblem } from "./problems.ts"
import { resolveCall } from "./run-reference.ts"
import { callFolderPath, outputAsset } from "./run-snapshot.ts"
import { type OwnedRecord, Runs } from "./runs.ts"

type PageRange = Partial<Pick<CallReadQuery, "offset" | "limit">>
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

type CallQuery = Pick<CallReadQuery, "run" | "call" | "stream">

export class CallReading extends Context.Service<CallReading, {
  /** Fails with `digest-mismatch` or `asset-not-found` where the file is not the recorded one: nothing of it is served. */
  readonly page: (query: CallReadQuery) => Effect.Effect<CallOutput, PortProblem>
  readonly bytes: (query: CallQuery) => Stream.Stream<Uint8Array, PortProblem>
}>()("@steno/application/CallReading") {
  static readonly layerNoDeps = Layer.effect(
    CallReading,
    Effect.gen(function*() {
      const home = yield* HomeFolder
      const runs = yield* Runs
      const files = yield* CaptureFiles
      const assets = yield* AssetStore

      const locate = Effect.fnUntraced(function*(query: CallQuery) {
        const found = yield* runs.read(query.run)
        const start = yield* resolveCall(found.record, query.call)
        const { callId } = start.payload
        return {
          callId,
          conversationId: start.conversationId,
          asset: assetOf(found.record.assets, start, query.stream),
          status: statusOf(found, start),
          /** Of what has no row: a call that still runs, or that left no file. */
          unverified: {
            directory: callFolderPath(home.path, start.conversationId, callId),
            stream: query.stream,
            closed: !found.record.unfinished.some((row) => row.callId === callId)
          }
        }
      })
      type Located = Effect.Success<ReturnType<typeof locate>>

      const openAsset = ({ callId, conversationId }: Located, asset: Asset) =>
        assets.open(asset, { kind: "call", conversationId, callId })

      const pageOfAsset = (located: Located, asset: Asset, range: PageRange) =>
        openAsset(located, asset).pipe(
          Effect.flatMap((reader) =>
            files.pageOf({ ...reader, path: `${home.path}/${asset.path}` }, { ...range, droppedBytes: asset.capture?.droppedBytes ?? 0 })),
          Effect.scoped,
          Effect.mapError((error) => readingProblem(asset, error))
        )

      const page = Effect.fn("CallReading.page")(function*(query: CallReadQuery) {
        const located = yield* locate(query)
        const range: PageRange = {
          ...(query.offset === undefined ? {} : { offset: query.offset }),
          ...(query.limit === undefined ? {} : { limit: query.limit })
        }
        const read = yield* located.asset === undefined
          ? files.page({ ...located.unverified, ...range }).pipe(Effect.mapError((error) => toPortProblem(error)))
          : pageOfAsset(located, located.asset, range)
        const whole = read.offset === 0 && read.endOffset === read.totalLines && read.truncatedLines.length === 0
        return {
          found: true as const,
          type: "call-output" as const,
          callId: located.callId,
          stream: query.stream,
          totalLines: read.totalLines,
          totalBytes: read.totalBytes,
          offset: read.offset,
          endOffset: read.endOffset,
          ...(read.nextOffset === undefined ? {} : { nextOffset: read.nextOffset }),
          complete: read.complete,
          status: located.status,
          ...(read.droppedBytes > 0 ? { captureTruncated: { droppedBytes: read.droppedBytes } } : {}),
          truncatedLines: read.truncatedLines,
          lines: read.lines,
          ...(whole || read.path === undefined ? {} : { path: read.path })
        }
      })

      const bytesOf = (located: Located): Stream.Stream<Uint8Array, PortProblem> => {
        const { asset, unverified } = located
        return asset === undefined
          ? files.bytes(unverified).pipe(Stream.mapError((error) => toPortProblem(error)))
          : Stream.unwrap(Effect.map(openAsset(located, asset), (reader) => reader.range())).pipe(
            Stream.mapError((error) => readingProblem(asset, error))
          )
      }

      const bytes = (query: CallQuery) => Stream.unwrap(Effect.map(locate(query), bytesOf))

      return CallReading.of({ page, bytes })
    })
  )
}
