/**
 * What a person sends into a live Turn of the loop.
 *
 * Owns: Steers until their delivery, the interrupt, the model of the next request.
 * Ordering: what is taken before a request goes into it. Once the loop has decided to end, nothing is taken any more.
 */
import { accepted, type ModelChoice, type NativeControls, rejected, type Steer } from "@steno/harness-seam"
import { Deferred, Effect } from "effect"
import type { ModelSource, OpenedModel } from "./model-source.ts"

export class TurnControls {
  readonly #source: ModelSource
  readonly #interrupted = Deferred.makeUnsafe<void>()
  #waiting: Array<Steer> = []
  #chosen: OpenedModel | undefined
  #closed = false

  constructor(source: ModelSource) {
    this.#source = source
  }

  /** Resolves when an interrupt was asked for. */
  readonly interruption: Effect.Effect<void> = Effect.suspend(() => Deferred.await(this.#interrupted))

  readonly native: NativeControls = {
    steer: (steer) =>
      Effect.sync(() => {
        if (this.#closed) return rejected("expired")
        this.#waiting.push(steer)
        return accepted
      }),
    interrupt: Effect.suspend(() => this.#closed ? Effect.succeed(rejected("expired")) : Effect.as(this.interrupt, accepted)),
    changeModel: (choice: ModelChoice) =>
      this.#source(choice).pipe(
        Effect.map((opened) => {
          if (this.#closed) return rejected("expired")
          this.#chosen = opened
          return accepted
        }),
        Effect.catch(() => Effect.succeed(rejected("shape-mismatch")))
      )
  }

  readonly interrupt: Effect.Effect<void> = Effect.suspend(() => Effect.asVoid(Deferred.succeed(this.#interrupted, undefined)))

  /** The Steers for the next request. */
  takeSteers(): ReadonlyArray<Steer> {
    const steers = this.#waiting
    this.#waiting = []
    return steers
  }

  /** The model for the next request, where it was changed. */
  takeModel(): OpenedModel | undefined {
    const chosen = this.#chosen
    this.#chosen = undefined
    return chosen
  }

  /** Ends the taking, unless a Steer waits. */
  close(): boolean {
    if (this.#waiting.length > 0) return false
    this.#closed = true
    return true
  }
}
