/** What one native frame means for the Turn it belongs to. */
import type { ItemId, TurnReport } from "@steno/harness-seam"
import type { Fields } from "./frame-fields.ts"
import type { NativeEnd } from "./native-end.ts"

export interface NativePermission {
  /** By which it is answered. */
  readonly requestId: string
  readonly itemId: ItemId
  readonly toolName: string
  readonly input: Fields
  /** Why the program asks, in its own words. */
  readonly reason?: string
  /** The question of an agent to a person. */
  readonly question: boolean
}

export type SteerState = "queued" | "started" | "cancelled"

export type TurnFact =
  | { readonly kind: "report"; readonly report: TurnReport }
  /** Of the native session that plays the Turn. */
  | { readonly kind: "coordinate"; readonly coordinate: string }
  | { readonly kind: "permission"; readonly permission: NativePermission }
  | { readonly kind: "withdrawn"; readonly requestId: string }
  /** To be answered at once, asking nobody; without a response by an error. */
  | { readonly kind: "answer"; readonly requestId: string; readonly response?: Fields }
  /** Of a user message that was sent with this id. */
  | { readonly kind: "message-state"; readonly messageId: string; readonly state: SteerState }
  | { readonly kind: "end"; readonly end: NativeEnd; readonly frame: Fields }
  /** An oddity that changes nothing. */
  | { readonly kind: "note"; readonly code: string; readonly text: string }
