/**
 * What the file tools know of each Session's files, for as long as the Session lasts, and of what a Turn changed, until it is settled.
 *
 * Limits: a Session that ends without a Turn at work is forgotten with the process.
 */
import { CommittedFacts } from "@steno/ledger"
import { FileChanges, FileQueues, FileStates } from "@steno/tool-catalog"
import { Effect, Layer, Stream } from "effect"

const forgetting = Layer.effectDiscard(Effect.gen(function*() {
  const committed = yield* CommittedFacts
  const states = yield* FileStates
  const changes = yield* FileChanges
  yield* committed.events.pipe(
    Stream.runForEach((event) =>
      event.type !== "turn-settled" ? Effect.void : Effect.andThen(
        changes.forget(event.turnId),
        event.payload.availability === "ended" ? states.forget(event.conversationId) : Effect.void
      )
    ),
    Effect.forkScoped({ startImmediately: true })
  )
}))

export const sessionFilesLayer = Layer.merge(
  FileQueues.layer,
  Layer.provideMerge(forgetting, Layer.merge(FileStates.layer, FileChanges.layer))
)
