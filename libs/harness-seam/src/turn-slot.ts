/**
 * Lets a prepared harness have one live Turn at a time, and none once it is closed.
 *
 * Owns: when starting a Turn is misuse.
 */
import { SeamMisuse } from "./seam-misuse.ts"

export class TurnSlot {
  readonly #mostTurns: number
  #taken = 0
  #state: "free" | "live" | "closed" = "free"

  /** @param mostTurns how many Turns the harness can serve before it has to be prepared anew */
  constructor(mostTurns: number = Number.POSITIVE_INFINITY) {
    this.#mostTurns = mostTurns
  }

  /** Throws `SeamMisuse` where no Turn may start; the slot is as it was then. */
  take(): void {
    if (this.#state === "closed") throw new SeamMisuse("A Turn was started after close")
    if (this.#state === "live") throw new SeamMisuse("A second Turn was started while one is live")
    if (this.#taken >= this.#mostTurns) throw new SeamMisuse(`More than ${this.#mostTurns} Turns were started`)
    this.#state = "live"
    this.#taken++
  }

  /** The Turn's result is settled. */
  free(): void {
    if (this.#state === "live") this.#state = "free"
  }

  /** Idempotent. */
  close(): void {
    this.#state = "closed"
  }
}
