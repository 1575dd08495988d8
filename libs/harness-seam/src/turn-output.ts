/**
 * What a report leads to: events for subscribers, output for files, words for the diagnostics.
 *
 * Owns: the order of these inside one report.
 */
import type { TurnEvent } from "./turn-event.ts"
import type { ItemId } from "./item-id.ts"

export type TurnOutput =
  | { readonly kind: "event"; readonly event: TurnEvent }
  /** A preview is over without an event: its item went into history by another way. */
  | { readonly kind: "forget"; readonly slot: string }
  | { readonly kind: "sink"; readonly itemId: ItemId; readonly action: SinkAction }
  | { readonly kind: "ignored"; readonly code: IgnoredReport }

export type SinkAction =
  | { readonly kind: "append"; readonly text: string }
  | { readonly kind: "replace"; readonly text: string }
  | { readonly kind: "close" }

/** `late`: the Turn was ending. `repeated`: the item is settled. `malformed`: not what the Seam knows. `foreign`: not of this Turn. */
export type IgnoredReport = "late-report" | "repeated-report" | "malformed-report" | "foreign-report"

export const emit = (event: TurnEvent): TurnOutput => ({ kind: "event", event })
export const ignored = (code: IgnoredReport): ReadonlyArray<TurnOutput> => [{ kind: "ignored", code }]
export const sink = (itemId: ItemId, action: SinkAction): TurnOutput => ({ kind: "sink", itemId, action })

/** Where the preview of an item stands among the retained events; one per item. */
export const slots = {
  message: (id: ItemId) => `message ${id}`,
  thought: (id: ItemId) => `thought ${id}`,
  draft: (id: ItemId, contentIndex: number) => `draft ${id} ${contentIndex}`,
  call: (id: ItemId) => `call ${id}`,
  activity: (id: ItemId) => `activity ${id}`
} as const
