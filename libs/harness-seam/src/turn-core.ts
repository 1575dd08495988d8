/**
 * Decides what each report of a harness means for one Turn.
 *
 * Owns: first settlements, merging, the order at the end of a Turn, what is ignored and why.
 * Never owns: subscribers, the host's calls, time.
 * Ordering: at the end a pending diff settles, then pending Thoughts and messages in order of first appearance, then
 * Steers nobody confirmed are dropped. After that every report is late.
 * Limits: deterministic; equal reports in equal order give equal outputs.
 */
import { Schema } from "effect"
import { CallItems } from "./call-items.ts"
import type { ItemId } from "./item-id.ts"
import { type Secrets, safeValue } from "./safe-text.ts"
import { TextItems } from "./text-items.ts"
import { wellFormedFiles } from "./tool-call-value.ts"
import { type SteerDelivery, type TurnDiffValue, TurnEvent } from "./turn-event.ts"
import type { ProposedMessage } from "./turn-host.ts"
import { emit, ignored, slots, type TurnOutput } from "./turn-output.ts"
import type { TurnReport } from "./turn-report.ts"

const isTurnEvent = Schema.is(TurnEvent)

export class TurnCore {
  readonly #secrets: Secrets
  readonly #texts: TextItems
  readonly #calls: CallItems
  /** Sent and neither delivered nor refused, in the order they were sent. */
  readonly #steers = new Set<string>()
  #diff: { readonly value: TurnDiffValue; readonly settled: boolean } | undefined
  #ended = false

  constructor(secrets: Secrets) {
    this.#secrets = secrets
    this.#texts = new TextItems(secrets)
    this.#calls = new CallItems(secrets)
  }

  get ended(): boolean {
    return this.#ended
  }

  apply(report: TurnReport): ReadonlyArray<TurnOutput> {
    if (this.#ended) return ignored("late-report")
    switch (report.type) {
      case "message-delta":
      case "message-preview":
      case "message":
      case "thought-delta":
      case "thought-preview":
      case "thought":
        return this.#texts.apply(report)
      case "argument-delta":
        return this.#texts.draft(report)
      case "call-started":
      case "call-updated":
      case "call-ended":
        return this.#calls.apply(report)
      case "diff-preview":
      case "diff":
        return this.#changeDiff(report, report.type === "diff")
      case "steer-delivered":
        return this.#deliverSteer(report.steerId, report.delivery)
      default: {
        const event = safeValue(this.#secrets, report)
        return isTurnEvent(event) ? [emit(event)] : ignored("malformed-report")
      }
    }
  }

  /** The message goes into history through the host: its previews and drafts are over. */
  propose(message: ProposedMessage): ReadonlyArray<TurnOutput> {
    return this.#ended ? [] : this.#texts.propose(message)
  }

  /** What the harness reports of `itemId` from now on is a call that Steno runs itself. */
  join(itemId: ItemId): void {
    this.#calls.join(itemId)
  }

  /** The Steer goes to the harness now; its delivery may be reported before the harness says that it took it. */
  sendSteer(steerId: string): void {
    this.#steers.add(steerId)
  }

  /** The harness did not take it. */
  refuseSteer(steerId: string): void {
    this.#steers.delete(steerId)
  }

  /** Once; `interrupted` says why Steers that nobody confirmed are dropped. */
  end(interrupted: boolean): ReadonlyArray<TurnOutput> {
    if (this.#ended) return []
    this.#ended = true
    const diff = this.#diff
    const dropped = { kind: "dropped", reason: interrupted ? "interrupt" : "loss" } as const
    return [
      ...(diff === undefined || diff.settled ? [] : [emit({ type: "turn-diff", ...diff.value })]),
      ...this.#texts.end(),
      ...this.#calls.end(),
      ...[...this.#steers].map((steerId) => emit({ type: "steer", steerId, settlement: dropped }))
    ]
  }

  #deliverSteer(steerId: string, delivery: SteerDelivery): ReadonlyArray<TurnOutput> {
    if (!this.#steers.delete(steerId)) return ignored("foreign-report")
    return [emit({ type: "steer", steerId, settlement: { kind: "delivered", delivery } })]
  }

  #changeDiff(report: TurnDiffValue, settled: boolean): ReadonlyArray<TurnOutput> {
    if (this.#diff?.settled === true) return ignored("repeated-report")
    const files = wellFormedFiles(report.files)
    if (files === undefined || typeof report.content !== "string") return ignored("malformed-report")
    const value = safeValue(this.#secrets, { content: report.content, files })
    this.#diff = { value, settled }
    return [emit({ type: settled ? "turn-diff" : "turn-diff-preview", ...value })]
  }
}

/** Where a preview is replaced, and which previews an event ends; a slot holds one event at most. */
export const slotOf = (event: TurnEvent): { readonly slot?: string; readonly clears?: string } => {
  switch (event.type) {
    case "message-preview":
      return { slot: slots.message(event.messageId) }
    case "assistant-content":
      return { clears: slots.message(event.messageId) }
    case "thought-preview":
      return { slot: slots.thought(event.summaryId) }
    case "thought":
      return { clears: slots.thought(event.summaryId) }
    case "argument-draft":
      return { slot: slots.draft(event.messageId, event.contentIndex) }
    case "tool-preview":
      return { slot: slots.call(event.call.itemId) }
    case "tool-call-ended":
      return { clears: slots.call(event.call.itemId) }
    case "turn-diff-preview":
      return { slot: "diff" }
    case "turn-diff":
      return { clears: "diff" }
    case "activity":
      return { slot: slots.activity(event.activityId) }
    case "context":
    case "usage":
    case "session":
      return { slot: event.type }
    default:
      return {}
  }
}
