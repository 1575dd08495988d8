/**
 * Takes a range of lines out of a file that passes by in blocks, and counts the rest.
 *
 * Limits: holds at most `mostBytes` of the range, whole lines; where already its first line is longer, the beginning of that line.
 * Lines end at LF; bytes of a line are kept as they are.
 */

export interface TakenLines {
  readonly bytes: Uint8Array
  /** How many whole lines `bytes` holds. */
  readonly lines: number
  /** Instead: the beginning of one line, and where in the file it stands. `to` is exclusive. */
  readonly piece?: { readonly from: number; readonly to: number }
  readonly totalLines: number
  readonly totalBytes: number
}

const lineFeed = 0x0a

/** Without the bytes of a character that goes on behind the cut (RFC 3629: at most four). */
const atCharacter = (bytes: Uint8Array): Uint8Array => {
  let lead = bytes.length - 1
  while (lead > bytes.length - 4 && lead > 0 && ((bytes[lead] ?? 0) & 0xc0) === 0x80) lead -= 1
  const byte = bytes[lead] ?? 0
  const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1
  return lead + length > bytes.length ? bytes.subarray(0, lead) : bytes
}

export class LineWindow {
  readonly #first: number
  readonly #end: number
  readonly #mostBytes: number
  readonly #taken: Array<Uint8Array> = []
  #takenBytes = 0
  #takenLines = 0
  #current: Array<Uint8Array> = []
  #currentBytes = 0
  #state: "open" | "full" | "piece" = "open"
  #line = 1
  #lineFrom = 0
  #bytes = 0
  #endsInLine = false

  /** Lines `first` (from 1) up to `first + count - 1`. */
  constructor(first: number, count: number, mostBytes: number) {
    this.#first = first
    this.#end = first + count
    this.#mostBytes = mostBytes
  }

  push(block: Uint8Array): void {
    let at = 0
    while (at < block.length) {
      const feed = block.indexOf(lineFeed, at)
      const end = feed < 0 ? block.length : feed + 1
      if (this.#state === "open" && this.#line >= this.#first && this.#line < this.#end) this.#take(block.subarray(at, end), feed >= 0)
      at = end
      if (feed < 0) break
      this.#line += 1
      if (this.#line <= this.#first) this.#lineFrom = this.#bytes + end
    }
    this.#bytes += block.length
    if (block.length > 0) this.#endsInLine = block[block.length - 1] !== lineFeed
  }

  #take(part: Uint8Array, isEnd: boolean): void {
    const room = this.#mostBytes - this.#takenBytes - this.#currentBytes
    if (part.length > room) {
      if (this.#takenLines > 0) {
        this.#state = "full"
        this.#current = []
        return
      }
      this.#state = "piece"
      part = part.subarray(0, room)
    }
    this.#current.push(part.slice())
    this.#currentBytes += part.length
    if (isEnd && this.#state === "open") this.#close()
  }

  #close(): void {
    this.#taken.push(...this.#current)
    this.#takenBytes += this.#currentBytes
    this.#takenLines += 1
    this.#current = []
    this.#currentBytes = 0
  }

  finish(): TakenLines {
    const totals = { totalLines: this.#line - (this.#endsInLine ? 0 : 1), totalBytes: this.#bytes }
    if (this.#state === "piece") {
      const bytes = atCharacter(Buffer.concat(this.#current))
      return { bytes, lines: 0, piece: { from: this.#lineFrom, to: this.#lineFrom + bytes.length }, ...totals }
    }
    if (this.#current.length > 0) this.#close()
    return { bytes: Buffer.concat(this.#taken), lines: this.#takenLines, ...totals }
  }
}
