/**
 * Messages and Thoughts of one Turn, made of chunks.
 *
 * Owns: where a text begins and ends.
 * Never owns: previews and retention (the producer).
 * Ordering: a text with an id ends when another text or a call begins, one without also when a call is updated; what
 * comes of its id afterwards is another block of the same message.
 */
import type { ItemId, ItemIds, TurnReport } from "@steno/harness-seam"

type TextKind = "message" | "thought"

interface OpenText {
  readonly kind: TextKind
  readonly nativeId: string | undefined
  readonly itemId: ItemId
  readonly pieces: Array<string>
}

export class SessionTexts {
  readonly #ids: ItemIds
  readonly #blocks = new Map<string, number>()
  #open: OpenText | undefined

  constructor(ids: ItemIds) {
    this.#ids = ids
  }

  chunk(kind: TextKind, nativeId: string | undefined, delta: string): ReadonlyArray<TurnReport> {
    if (delta === "") return []
    const goesOn = this.#open !== undefined && this.#open.kind === kind && this.#open.nativeId === nativeId
    const ended = goesOn ? [] : this.end()
    const open = this.#open ?? this.#begin(kind, nativeId)
    open.pieces.push(delta)
    return [
      ...ended,
      kind === "message"
        ? { type: "message-delta", messageId: open.itemId, delta }
        : { type: "thought-delta", summaryId: open.itemId, delta }
    ]
  }

  /** A call that was known is updated. */
  interrupted(): ReadonlyArray<TurnReport> {
    return this.#open?.nativeId === undefined ? this.end() : []
  }

  end(): ReadonlyArray<TurnReport> {
    const open = this.#open
    if (open === undefined) return []
    this.#open = undefined
    const content = open.pieces.join("")
    return [
      open.kind === "message"
        ? { type: "message", messageId: open.itemId, content }
        : { type: "thought", summaryId: open.itemId, content }
    ]
  }

  #begin(kind: TextKind, nativeId: string | undefined): OpenText {
    const key = JSON.stringify([kind, nativeId ?? null])
    const index = this.#blocks.get(key) ?? 0
    this.#blocks.set(key, index + 1)
    const itemId = nativeId === undefined ? this.#ids.fresh() : this.#ids.block(key, index)
    this.#open = { kind, nativeId, itemId, pieces: [] }
    return this.#open
  }
}
