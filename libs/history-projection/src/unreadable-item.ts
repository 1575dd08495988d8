/**
 * The row of a place in the log where no event can be read.
 *
 * Owns: where it stands in its Turn, which item it belongs to.
 * Never owns: what it may have said: nothing is concluded from it but that an open item may have ended there.
 */
import { couldHaveBeen, unreadableFacts, type UnreadableEvent } from "@steno/contracts"
import { closingPlace, inputPlace } from "./row-order.ts"
import type { UnreadableValue } from "./row-value.ts"

export interface UnreadableItem {
  readonly event: UnreadableEvent
  readonly value: UnreadableValue
}

export const unreadableItem = (event: UnreadableEvent): UnreadableItem => ({
  event,
  value: { kind: "unreadable", ...unreadableFacts(event) }
})

/** Its place in the Turn whose first event has the sequence `first`. */
export const unreadablePlace = ({ event: { firstSeen, sequence, storedType } }: UnreadableItem, first: number): number => {
  if (firstSeen !== undefined) return firstSeen
  if (sequence === first || storedType === "turn-admitted") return inputPlace
  return storedType === "turn-settled" ? closingPlace : sequence
}

/** Whether the item of this id may have ended there. */
export const mayHaveEnded = ({ event }: UnreadableItem, itemId: string): boolean =>
  event.itemId === itemId && couldHaveBeen(event, "tool-call-response")
