/**
 * One file, one writer at a time, in the order in which places were taken.
 *
 * Owns: the queue of each file. Whoever starts the calls of a message takes their places in content order, before any of them
 * runs; a place that nobody uses goes with its scope.
 * Ordering: a place is taken at once, without waiting; its turn comes when every earlier place of that file is gone.
 */
import { Context, Deferred, Effect, Layer, type Scope } from "effect"

/** A place in the queue of one file. */
export interface FilePlace {
  /** Resolved path. */
  readonly real: string
  /** Resolves when every earlier place is gone. */
  readonly turn: Effect.Effect<void>
}

export class FileQueues extends Context.Service<FileQueues, {
  /** Ends with its scope, also before its turn. */
  readonly enter: (real: string) => Effect.Effect<FilePlace, never, Scope.Scope>
}>()("@steno/tool-catalog/FileQueues") {
  static readonly layer = Layer.sync(FileQueues, () => {
    const queues = new Map<string, ReadonlyArray<Deferred.Deferred<void>>>()

    const admitFirst = (queue: ReadonlyArray<Deferred.Deferred<void>>) => {
      const [first] = queue
      if (first !== undefined) Deferred.doneUnsafe(first, Effect.void)
    }

    const leave = (real: string, place: Deferred.Deferred<void>) => {
      const queue = (queues.get(real) ?? []).filter((other) => other !== place)
      if (queue.length === 0) queues.delete(real)
      else queues.set(real, queue)
      admitFirst(queue)
    }

    return FileQueues.of({
      enter: (real) =>
        Effect.map(
          Effect.acquireRelease(
            Effect.sync(() => {
              const place = Deferred.makeUnsafe<void>()
              const queue = [...(queues.get(real) ?? []), place]
              queues.set(real, queue)
              admitFirst(queue)
              return place
            }),
            (place) => Effect.sync(() => leave(real, place))
          ),
          (place) => ({ real, turn: Deferred.await(place) })
        )
    })
  })
}
