/**
 * Which block of its message a frame is about.
 *
 * Owns: the place of a block. Whole blocks come as frames that name the message only; their place is that of the block
 * which is open in the stream of that message, or else the next one.
 */

export class MessageBlocks {
  #streamed: { readonly messageId: string; open: number | undefined } | undefined
  readonly #next = new Map<string, number>()

  /** A message begins to stream. */
  begin(messageId: string): void {
    this.#streamed = { messageId, open: undefined }
  }

  open(index: number): void {
    if (this.#streamed !== undefined) this.#streamed.open = index
  }

  close(): void {
    if (this.#streamed !== undefined) this.#streamed.open = undefined
  }

  /** The message whose blocks stream now. */
  get streamed(): string | undefined {
    return this.#streamed?.messageId
  }

  /** Of a whole block; each one is placed once. */
  place(messageId: string): number {
    const open = this.#streamed?.messageId === messageId ? this.#streamed.open : undefined
    const index = open ?? this.#next.get(messageId) ?? 0
    this.#next.set(messageId, index + 1)
    return index
  }
}
