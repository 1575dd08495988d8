/**
 * The order in which the items of one Turn first appeared.
 *
 * Owns: the numbers that `firstSeen` of a stored fact holds: from 0, no two alike, never changed.
 * Limits: an item of a drafted call is known by its message and content index until it is proposed.
 */
import type { ItemId, TurnEvent } from "@steno/harness-seam"

const draftKey = (messageId: ItemId, contentIndex: number): string => `draft ${contentIndex} of ${messageId}`

/** What an event shows for the first time or again; undefined where it shows no item. */
const shownBy = (event: TurnEvent): string | undefined => {
  switch (event.type) {
    case "message-preview":
    case "assistant-content":
      return event.messageId
    case "thought-preview":
    case "thought":
      return event.summaryId
    case "argument-draft":
      return draftKey(event.messageId, event.contentIndex)
    case "tool-call-started":
    case "tool-preview":
    case "tool-call-ended":
      return event.call.itemId
    case "turn-diff-preview":
    case "turn-diff":
      return turnDiffItem
    default:
      return undefined
  }
}

/** The one Turn diff of a Turn. */
export const turnDiffItem = "turn-diff"

export class TurnPlaces {
  readonly #places = new Map<string, number>()
  #next: number

  /** @param first above every number that the Turn has on record */
  constructor(first: number) {
    this.#next = first
  }

  /** Of an item that is shown now, if it is not known yet. */
  of(item: string): number {
    const known = this.#places.get(item)
    if (known !== undefined) return known
    const place = this.#next++
    this.#places.set(item, place)
    return place
  }

  /** Of a call that may have been drafted as this block of its message. */
  ofCall(itemId: ItemId, messageId: ItemId, contentIndex: number): number {
    const drafted = this.#places.get(draftKey(messageId, contentIndex))
    if (drafted === undefined) return this.of(itemId)
    this.#places.set(itemId, drafted)
    return drafted
  }

  /** Takes note of what an event shows. */
  see(event: TurnEvent): void {
    const item = shownBy(event)
    if (item !== undefined) this.of(item)
  }
}
