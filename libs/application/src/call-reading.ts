/**
 * Reads what a call printed.
 *
 * Owns: which file and status a page or a byte stream of a call has.
 * Never owns: whether a stored file is the recorded one (asset-store), where its lines are (process-capture).
 * Limits: what a running call prints is served as it is by now, unverified.
 */
import { AssetStore } from "@steno/asset-store"
import type { Asset, CallOutput, CaptureStream } from "@steno/contracts"
import { CaptureFiles } from "@steno/process-capture"
import type { CallReadQuery, PortProblem } from "@steno/projection-port"
import { Context, Effect, Layer, Stream } from "effect"
import { HomeFolder } from "./home-folder.ts"
import type { Ownership } from "./ownership.ts"
import { makeProblem, readingProblem, toPortProblem } from "./problems.ts"
import { callEnd, type RecordedCall } from "./recorded-calls.ts"
import { resolveCall } from "./run-reference.ts"
import { callFolderPath, outputAsset } from "./run-snapshot.ts"
import { Runs } from "./runs.ts"

type PageRange = Partial<Pick<CallReadQuery, "offset" | "limit">>

/** Fails with `asset-not-found` where both streams printed and no file could take them together. */
const assetOf = (
  assets: ReadonlyArray<Asset>,
  { callId, response }: RecordedCall,
  stream: CaptureStream
): Effect.Effect<Asset | undefined, PortProblem> => {
  const own = assets.filter((asset) => asset.callId === callId)
  if (stream !== "output") return Effect.succeed(own.find((asset) => asset.stream === stream))
  const output = outputAsset(own, callId, response?.capture)
  return output === undefined && own.some((asset) => asset.stream !== undefined)
    ? Effect.fail(makeProblem(
      "asset-not-found",
      `The combined output of call ${callId} could not be stored; its streams were.`,
      "Read them with --stream stdout and --stream stderr.",
      { details: { call: callId } }
    ))
    : Effect.succeed(output)
}

const statusOf = (call: RecordedCall, ownership: Ownership): CallOutput["status"] => {
  const end = callEnd(call, ownership)
  switch (end.kind) {
    case "responded":
      return end.response.outcome
    case "open":
      return end.state
    case "derived":
      return end.outcome
  }
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
        const call = yield* resolveCall(found.record, query.call)
        const { callId, conversationId } = call
        return {
          callId,
          conversationId,
          asset: call.unfinished === undefined ? yield* assetOf(found.record.assets, call, query.stream) : undefined,
          status: statusOf(call, found.ownership),
          /** Of what has no row: a call that still runs, or that left no file. */
          unverified: {
            directory: callFolderPath(home.path, conversationId, callId),
            stream: query.stream,
            closed: call.unfinished === undefined
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
          complete: read.complete && read.endOffset === read.totalLines,
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
