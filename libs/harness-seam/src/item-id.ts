/**
 * Ids of items inside one Turn.
 *
 * Owns: minting them. A native id is the key that finds an item again; it never is the item's id.
 * Limits: unique in one Turn, however often it is started; another Turn may have the same ones.
 */
import { Schema } from "effect"

/** Opaque, unique in its Turn. */
export const ItemId = Schema.NonEmptyString.pipe(Schema.brand("ItemId"))
export type ItemId = typeof ItemId.Type

/** Makes the ids of one start of a Turn. Everything that has no native identity gets a new id at each asking. */
export class ItemIds {
  readonly #known = new Map<string, ItemId>()
  readonly #prefix: string
  #minted = 0

  /** @param continues which start of the Turn it is, where it is not the first: ids of two starts differ */
  constructor(continues?: number) {
    this.#prefix = continues === undefined ? "item" : `item-${continues}`
  }

  /** A text block or reasoning summary: its native message and its place in it. */
  block(nativeMessageId: string | undefined, index: number): ItemId {
    return nativeMessageId === undefined ? this.fresh() : this.#of(JSON.stringify(["block", nativeMessageId, index]))
  }

  /** Anything else that the harness names, by its native id. */
  named(kind: "call" | "request" | "activity", nativeId: string | undefined): ItemId {
    return nativeId === undefined ? this.fresh() : this.#of(JSON.stringify([kind, nativeId]))
  }

  fresh(): ItemId {
    this.#minted++
    return ItemId.make(`${this.#prefix}-${this.#minted}`)
  }

  #of(key: string): ItemId {
    const known = this.#known.get(key)
    if (known !== undefined) return known
    const id = this.fresh()
    this.#known.set(key, id)
    return id
  }
}
