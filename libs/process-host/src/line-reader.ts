/**
 * Cuts a stream of bytes into lines at 0x0A and nothing else: U+2028 and a lone carriage return are content.
 *
 * Owns: framing, the decoding of whole lines, the skipping of lines above the limit.
 * Never owns: what a line means (json-line-reader), the pipe it came from.
 * Ordering: lines come out in the order their newlines came in, however the bytes were split.
 * Limits: `protocolLineLimits.lineBytes` per line; of a longer one no byte is kept, only its length.
 */
import { protocolLineLimits } from "@steno/contracts"
import { Buffer, isUtf8 } from "node:buffer"

export type ReadLine =
  /** Without its newline. `replaced`: bytes that are not UTF-8 became U+FFFD. */
  | { readonly kind: "line"; readonly text: string; readonly sizeBytes: number; readonly replaced?: true }
  | { readonly kind: "skipped"; readonly sizeBytes: number }

const newline = 0x0a

export class LineReader {
  #parts: Array<Uint8Array> = []
  #sizeBytes = 0
  readonly #limitBytes: number

  /** @param limitBytes the longest line that is kept, without its newline */
  constructor(limitBytes: number = protocolLineLimits.lineBytes) {
    this.#limitBytes = limitBytes
  }

  /** The lines that `bytes` ends. `bytes` is not changed and, where a line goes on, is kept until its end. */
  push(bytes: Uint8Array): ReadonlyArray<ReadLine> {
    const lines: Array<ReadLine> = []
    let from = 0
    for (let at = bytes.indexOf(newline); at >= 0; at = bytes.indexOf(newline, from)) {
      this.#take(bytes.subarray(from, at))
      lines.push(this.#line())
      from = at + 1
    }
    if (from < bytes.length) this.#take(bytes.subarray(from))
    return lines
  }

  /** The line the stream ended in, where it did not end in a newline. */
  end(): ReadLine | undefined {
    return this.#sizeBytes === 0 ? undefined : this.#line()
  }

  #take(part: Uint8Array): void {
    this.#sizeBytes += part.length
    if (this.#sizeBytes > this.#limitBytes) this.#parts = []
    else if (part.length > 0) this.#parts.push(part)
  }

  #line(): ReadLine {
    const parts = this.#parts
    const sizeBytes = this.#sizeBytes
    this.#parts = []
    this.#sizeBytes = 0
    if (sizeBytes > this.#limitBytes) return { kind: "skipped", sizeBytes }
    const [first] = parts
    const whole = parts.length === 1 && first !== undefined ? first : Buffer.concat(parts)
    const text = Buffer.from(whole.buffer, whole.byteOffset, whole.byteLength).toString("utf8")
    return isUtf8(whole) ? { kind: "line", text, sizeBytes } : { kind: "line", text, sizeBytes, replaced: true }
  }
}
