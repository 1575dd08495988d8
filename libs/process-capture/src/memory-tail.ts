/**
 * The last bytes of output that is shown while it comes, or whose file can no longer be written.
 *
 * Limits: keeps the last 64 KiB, holds at most twice that.
 */
export const memoryTailBytes = 64 * 1024

export class MemoryTail {
  #parts: Array<Uint8Array> = []
  #held = 0
  #total = 0

  /** Bytes pushed in all. */
  get total(): number {
    return this.#total
  }

  push(bytes: Uint8Array): void {
    this.#total += bytes.length
    const part = new Uint8Array(bytes.subarray(Math.max(0, bytes.length - memoryTailBytes)))
    this.#parts.push(part)
    this.#held += part.length
    if (this.#held > 2 * memoryTailBytes || this.#parts.length > 4096) {
      const kept = new Uint8Array(this.bytes())
      this.#parts = [kept]
      this.#held = kept.length
    }
  }

  bytes(): Uint8Array {
    const all = Buffer.concat(this.#parts)
    return all.subarray(Math.max(0, all.length - memoryTailBytes))
  }
}
