/** Reads captures back: pages, bytes, recovery, inspection. */
import { Effect, Option, Result, Stream } from "effect"
import type { CaptureCaps } from "./capture-caps.ts"
import { closeCapture } from "./capture-close.ts"
import type { LinePage, PageRequest, VerifiedFile, VerifiedPageRequest } from "./capture-files.ts"
import { inspectCapture } from "./capture-inspection.ts"
import { isJoined } from "./capture-plan.ts"
import { findLeft } from "./capture-recovery.ts"
import { type CaptureView, isUnchanged, openView, readView, rotatedOut, viewOf } from "./capture-view.ts"
import { listFolder } from "./file-io.ts"
import { LineIndexes } from "./line-index.ts"
import { emptyPage, pageRange, readPage } from "./line-page.ts"
import { readPlans } from "./plan-record.ts"
import { CaptureFailed, type PageOutOfRange, ProcessCaptureError } from "./process-capture-errors.ts"
import type { StorageFault } from "./storage-fault.ts"

/** A growing file may be rotated while it is read. */
const attempts = 5
const streamedBytes = 64 * 1024

const asError = (reason: StorageFault | PageOutOfRange): ProcessCaptureError =>
  new ProcessCaptureError({ reason: "_tag" in reason ? reason : new CaptureFailed(reason) })

export const makeCaptureFiles = (caps: CaptureCaps) =>
  Effect.sync(() => {
    const indexes = new LineIndexes()

    const droppedIn = Effect.fnUntraced(function*(view: CaptureView, directory: string) {
      const plan = (yield* readPlans(directory, yield* listFolder(directory))).get(view.stream)
      return plan !== undefined && isJoined(plan, view.totalBytes) ? plan.droppedBytes : rotatedOut(view, caps)
    })

    const page = Effect.fn("CaptureFiles.page")(function*(request: PageRequest): Effect.fn.Return<
      LinePage,
      StorageFault | PageOutOfRange
    > {
      const range = yield* Effect.fromResult(pageRange(request))
      const read = Effect.scoped(Effect.gen(function*() {
        const view = yield* openView(request.directory, request.stream, request.closed, caps)
        if (view === undefined) return { view: undefined, page: emptyPage(range, request.closed), isSound: true }
        const droppedBytes = yield* droppedIn(view, request.directory)
        const page = yield* readPage(view, yield* indexes.ofAll(view.parts), droppedBytes, range, request.closed)
        return { view, page, isSound: yield* isUnchanged(view, caps) }
      }))
      for (let attempt = 1;; attempt++) {
        const { view, page, isSound } = yield* read
        if (isSound || attempt === attempts) return page
        if (view !== undefined) indexes.forget(view.parts)
      }
    }, Effect.mapError(asError))

    const pageOf = Effect.fn("CaptureFiles.pageOf")(function*<E>(file: VerifiedFile<E>, request: VerifiedPageRequest) {
      const range = yield* Effect.fromResult(Result.mapError(pageRange(request), asError))
      const view = viewOf(file)
      return yield* readPage(view, yield* indexes.ofAll(view.parts), request.droppedBytes, range, true)
    })

    const blocks = (view: CaptureView) =>
      Stream.paginate<number, Uint8Array, StorageFault>(0, (at) => {
        const block = new Uint8Array(Math.max(1, Math.min(streamedBytes, view.totalBytes - at)))
        return Effect.map(readView(view, block, at), (count) => [
          count === 0 ? [] : [block.subarray(0, count)],
          count === 0 || at + count >= view.totalBytes ? Option.none() : Option.some(at + count)
        ])
      })

    return {
      page,
      pageOf,
      recover: Effect.fn("CaptureFiles.recover")(function*(directory: string) {
        return yield* closeCapture(directory, yield* findLeft(directory, caps), caps, true)
      }, Effect.mapError(asError)),
      inspect: Effect.fn("CaptureFiles.inspect")(
        (directory: string) => inspectCapture(directory, caps),
        Effect.mapError(asError)
      ),
      bytes: (request: Pick<PageRequest, "directory" | "stream" | "closed">) =>
        Stream.unwrap(Effect.map(openView(request.directory, request.stream, request.closed, caps), (view) =>
          view === undefined ? Stream.empty : blocks(view))).pipe(Stream.mapError(asError))
    }
  })
