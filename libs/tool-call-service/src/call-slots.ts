/**
 * How many calls of a Run run at once.
 *
 * Owns: the places of each Run, in the order in which they were asked for.
 * Ordering: a place is asked for without waiting; it goes with its scope, whether its turn had come or not.
 */
import type { RunId } from "@steno/contracts"
import { Deferred, Effect, type Scope } from "effect"

export interface CallSlot {
  /** Whether the call may run at once. */
  readonly isFree: boolean
  /** Resolves when it may. */
  readonly turn: Effect.Effect<void>
}

export class CallSlots {
  readonly #atOnce: number
  /** The first `atOnce` of each have their turn. */
  readonly #queues = new Map<RunId, ReadonlyArray<Deferred.Deferred<void>>>()

  constructor(atOnce: number) {
    this.#atOnce = atOnce
  }

  enter(runId: RunId): Effect.Effect<CallSlot, never, Scope.Scope> {
    return Effect.acquireRelease(
      Effect.sync(() => {
        const place = Deferred.makeUnsafe<void>()
        this.#set(runId, [...(this.#queues.get(runId) ?? []), place])
        return place
      }),
      (place) => Effect.sync(() => this.#set(runId, (this.#queues.get(runId) ?? []).filter((other) => other !== place)))
    ).pipe(Effect.map((place) => ({ isFree: Deferred.isDoneUnsafe(place), turn: Deferred.await(place) })))
  }

  #set(runId: RunId, queue: ReadonlyArray<Deferred.Deferred<void>>): void {
    if (queue.length === 0) this.#queues.delete(runId)
    else this.#queues.set(runId, queue)
    for (const place of queue.slice(0, this.#atOnce)) Deferred.doneUnsafe(place, Effect.void)
  }
}
