/**
 * Messages, Thoughts and argument drafts of one Turn.
 *
 * Owns: accumulating pieces, the first settlement of each, what is pending at the end.
 * Ordering: pending items settle in order of first appearance, which is the first report that shows something.
 * Limits: deterministic, without clock or I/O; the state is its own.
 */
import type { ItemId } from "./item-id.ts"
import { SafeText, type Secrets, safeText } from "./safe-text.ts"
import type { ProposedMessage } from "./turn-host.ts"
import { emit, ignored, slots, type TurnOutput } from "./turn-output.ts"
import type { TurnReport } from "./turn-report.ts"

type TextReport = Extract<TurnReport, {
  readonly type: "message-delta" | "message-preview" | "message" | "thought-delta" | "thought-preview" | "thought"
}>
type DraftReport = Extract<TurnReport, { readonly type: "argument-delta" }>

interface TextItem {
  readonly kind: "message" | "thought"
  readonly id: ItemId
  parentItemId: ItemId | undefined
  safe: SafeText
  content: string
  shown: boolean
  settled: boolean
}

interface Draft {
  readonly messageId: ItemId
  readonly contentIndex: number
  readonly safe: SafeText
  text: string
}

const isBlank = (text: string): boolean => text.trim() === ""

export class TextItems {
  readonly #secrets: Secrets
  readonly #items = new Map<string, TextItem>()
  /** In order of first appearance. */
  readonly #pending = new Set<TextItem>()
  readonly #drafts = new Map<string, Draft>()

  constructor(secrets: Secrets) {
    this.#secrets = secrets
  }

  apply(report: TextReport): ReadonlyArray<TurnOutput> {
    const item = "messageId" in report
      ? this.#item("message", report.messageId, report.parentItemId)
      : this.#item("thought", report.summaryId, undefined)
    if (item.settled) return ignored("repeated-report")
    if (report.type === "message") return this.#settle(item, safeText(this.#secrets, report.content), undefined)
    if (report.type === "thought") return this.#settle(item, safeText(this.#secrets, report.content), report.durationMs)
    const before = item.content
    if ("delta" in report) item.content += item.safe.push(report.delta)
    else {
      item.safe = new SafeText(this.#secrets)
      item.content = item.safe.push(report.content)
    }
    const supplied = "delta" in report ? report.delta : report.content
    const nothing = item.kind === "message" ? supplied === "" && !item.shown : isBlank(item.content)
    if (nothing || (item.shown && item.content === before)) return []
    item.shown = true
    this.#pending.add(item)
    return [emit(preview(item))]
  }

  draft({ contentIndex, delta, messageId, tool }: DraftReport): ReadonlyArray<TurnOutput> {
    if (this.#items.get(slots.message(messageId))?.settled === true) return ignored("repeated-report")
    const slot = slots.draft(messageId, contentIndex)
    const draft = this.#drafts.get(slot) ?? { messageId, contentIndex, safe: new SafeText(this.#secrets), text: "" }
    this.#drafts.set(slot, draft)
    draft.text += draft.safe.push(delta)
    return [emit({ type: "argument-draft", messageId, contentIndex, tool, text: draft.text })]
  }

  /** The message and all its blocks go into history as a whole. */
  propose(message: ProposedMessage): ReadonlyArray<TurnOutput> {
    const outputs: Array<TurnOutput> = []
    const over = (item: TextItem) => {
      if (item.settled) return
      item.settled = true
      this.#pending.delete(item)
      if (item.shown) outputs.push({ kind: "forget", slot: slots[item.kind](item.id) })
    }
    over(this.#item("message", message.messageId, undefined))
    for (const block of message.blocks) {
      if (block.type === "text") over(this.#item("message", block.messageId, undefined))
      if (block.type === "reasoning-summary") over(this.#item("thought", block.summaryId, undefined))
    }
    return [...outputs, ...this.#forgetDrafts((draft) => draft.messageId === message.messageId)]
  }

  end(): ReadonlyArray<TurnOutput> {
    const outputs = [...this.#pending].map((item) => {
      const content = item.content + item.safe.close()
      return emit(
        item.kind === "message"
          ? { type: "assistant-content", messageId: item.id, content, incomplete: true, ...parentOf(item) }
          : { type: "thought", summaryId: item.id, content, incomplete: true }
      )
    })
    this.#pending.clear()
    return [...outputs, ...this.#forgetDrafts(() => true)]
  }

  #forgetDrafts(which: (draft: Draft) => boolean): ReadonlyArray<TurnOutput> {
    const gone = [...this.#drafts.values()].filter(which)
    return gone.map((draft): TurnOutput => {
      const slot = slots.draft(draft.messageId, draft.contentIndex)
      this.#drafts.delete(slot)
      return { kind: "forget", slot }
    })
  }

  #settle(item: TextItem, content: string, durationMs: number | undefined): ReadonlyArray<TurnOutput> {
    item.settled = true
    this.#pending.delete(item)
    if (item.kind === "message") {
      return [emit({ type: "assistant-content", messageId: item.id, content, ...parentOf(item) })]
    }
    if (isBlank(content) && !item.shown) return []
    const measured = durationMs !== undefined && Number.isFinite(durationMs) && durationMs >= 0
    return [emit({ type: "thought", summaryId: item.id, content, ...(measured ? { durationMs } : {}) })]
  }

  #item(kind: TextItem["kind"], id: ItemId, parentItemId: ItemId | undefined): TextItem {
    const known = this.#items.get(slots[kind](id))
    if (known !== undefined) {
      known.parentItemId ??= parentItemId
      return known
    }
    const item: TextItem = {
      kind,
      id,
      parentItemId,
      safe: new SafeText(this.#secrets),
      content: "",
      shown: false,
      settled: false
    }
    this.#items.set(slots[kind](id), item)
    return item
  }
}

const parentOf = ({ parentItemId }: TextItem) => (parentItemId === undefined ? {} : { parentItemId })

const preview = (item: TextItem) =>
  item.kind === "message"
    ? { type: "message-preview" as const, messageId: item.id, content: item.content, ...parentOf(item) }
    : { type: "thought-preview" as const, summaryId: item.id, content: item.content }
