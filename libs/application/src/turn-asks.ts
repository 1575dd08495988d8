/**
 * What an outside agent asks of its Turn, from inside and beside its protocol.
 *
 * Owns: until when that is taken.
 * Ordering: what was taken before the end is through when the end resolves, so that nothing of it follows what is settled then.
 */
import { Deferred, Effect } from "effect"

export class TurnAsks {
  readonly #through = Deferred.makeUnsafe<void>()
  #isOver = false
  #taken = 0

  /** `over` where the Turn is over. */
  take<A, B, E>(ask: Effect.Effect<A, E>, over: B): Effect.Effect<A | B, E> {
    return Effect.suspend((): Effect.Effect<A | B, E> => {
      if (this.#isOver) return Effect.succeed(over)
      this.#taken++
      return Effect.ensuring(ask, Effect.sync(() => {
        this.#taken--
        this.#look()
      }))
    })
  }

  /** Nothing is taken any more; resolves when everything that was taken is through. */
  readonly end: Effect.Effect<void> = Effect.suspend(() => {
    this.#isOver = true
    this.#look()
    return Deferred.await(this.#through)
  })

  #look(): void {
    if (this.#isOver && this.#taken === 0) Deferred.doneUnsafe(this.#through, Effect.void)
  }
}
