/**
 * What an adapter reports to the producer, one native fact at a time.
 *
 * Owns: the forms a report may have: pieces, whole values so far, final values.
 * Never owns: merging them (turn-core); an adapter reports what it reads, as often and as late as it reads it.
 */
import type { SteerDelivery, TurnDiffValue, TurnEventOf } from "./turn-event.ts"
import type { ItemId } from "./item-id.ts"
import type { CallEnding, ReportedCall } from "./tool-call-value.ts"

/** Parts of an event that pass as they are, once they are well-formed. */
export type PlainReport = TurnEventOf<
  "session" | "model" | "elicitation-declined" | "provider-retry" | "context" | "usage" | "activity"
>

interface Text {
  readonly messageId: ItemId
  readonly parentItemId?: ItemId
}

/** Output of a call: `output` is all of it so far, `outputDelta` what was added. Neither: nothing was supplied. */
interface SuppliedOutput {
  readonly call: ReportedCall
  readonly output?: string
}

export type TurnReport =
  | PlainReport
  | ({ readonly type: "message-delta"; readonly delta: string } & Text)
  | ({ readonly type: "message-preview"; readonly content: string } & Text)
  /** The whole message; its first one stands. */
  | ({ readonly type: "message"; readonly content: string } & Text)
  | { readonly type: "thought-delta"; readonly summaryId: ItemId; readonly delta: string }
  | { readonly type: "thought-preview"; readonly summaryId: ItemId; readonly content: string }
  | { readonly type: "thought"; readonly summaryId: ItemId; readonly content: string; readonly durationMs?: number }
  | {
    readonly type: "argument-delta"
    readonly messageId: ItemId
    readonly contentIndex: number
    readonly tool: string
    readonly delta: string
  }
  | ({ readonly type: "call-started" } & SuppliedOutput)
  | ({ readonly type: "call-updated"; readonly outputDelta?: string } & SuppliedOutput)
  | ({ readonly type: "call-ended"; readonly ending: CallEnding } & SuppliedOutput)
  | ({ readonly type: "diff-preview" } & TurnDiffValue)
  | ({ readonly type: "diff" } & TurnDiffValue)
  | { readonly type: "steer-delivered"; readonly steerId: string; readonly delivery: SteerDelivery }
