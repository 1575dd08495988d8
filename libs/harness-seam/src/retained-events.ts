/**
 * The events of one Turn for those who listen, and for those who come late.
 *
 * Owns: the retained events (one per slot), the observers, the seal.
 * Ordering: an observer gets every retained event, then each new one, in one order; what an observer causes while it is
 * told something waits until everyone was told. After the seal there is only history.
 * Limits: an observer that throws is let go; others do not notice.
 */
import type { TurnEvent } from "./turn-event.ts"
import { slotOf } from "./turn-core.ts"

export type TurnObserver = (event: TurnEvent) => void

type Change = { readonly event: TurnEvent } | { readonly forget: string } | { readonly sealed: () => void }

export class RetainedEvents {
  /** A slot keeps its place while its event is replaced. */
  readonly #retained = new Map<string, TurnEvent>()
  readonly #observers = new Set<TurnObserver>()
  readonly #waiting: Array<Change> = []
  readonly #observerFailed: () => void
  #numbered = 0
  #telling = false
  #sealed = false

  constructor(observerFailed: () => void) {
    this.#observerFailed = observerFailed
  }

  emit(event: TurnEvent): void {
    this.#change({ event })
  }

  /** Ends the preview in `slot` without an event. */
  forget(slot: string): void {
    this.#change({ forget: slot })
  }

  subscribe(observer: TurnObserver): () => void {
    const own: TurnObserver = (event) => observer(event)
    this.#observers.add(own)
    this.#inTurn(() => {
      for (const event of this.#retained.values()) this.#tell(own, event)
    })
    if (this.#sealed) this.#observers.delete(own)
    return () => {
      this.#observers.delete(own)
    }
  }

  /** Ends the Turn for observers once everyone was told what came before; `sealed` is called then, at once or a little later. */
  seal(sealed: () => void): void {
    this.#change({ sealed })
  }

  #change(change: Change): void {
    if (this.#sealed) return
    this.#waiting.push(change)
    this.#inTurn(() => {})
  }

  /** Runs `first` and then what waits, unless that is under way: whoever is at it then does the rest. */
  #inTurn(first: () => void): void {
    const outermost = !this.#telling
    this.#telling = true
    first()
    if (!outermost) return
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) this.#make(next)
    this.#telling = false
  }

  #make(change: Change): void {
    if ("forget" in change) {
      this.#retained.delete(change.forget)
      return
    }
    if ("sealed" in change) {
      this.#sealed = true
      this.#waiting.length = 0
      this.#observers.clear()
      change.sealed()
      return
    }
    const { clears, slot } = slotOf(change.event)
    if (clears !== undefined) this.#retained.delete(clears)
    this.#retained.set(slot ?? `#${this.#numbered++}`, change.event)
    for (const observer of [...this.#observers]) this.#tell(observer, change.event)
  }

  #tell(observer: TurnObserver, event: TurnEvent): void {
    if (!this.#observers.has(observer)) return
    try {
      observer(event)
    } catch {
      this.#observers.delete(observer)
      this.#observerFailed()
    }
  }
}
