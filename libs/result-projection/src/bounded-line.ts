/**
 * One line of any length in bounded memory: whole while it is short, otherwise its start, its end and its length.
 *
 * Limits: what is kept depends on the text alone, never on the pieces it arrived in.
 */
import { utf8Bytes } from "./clipped-text.ts"

/** A line up to this many UTF-16 units is kept whole; a longer one never fits a budget. */
const wholeUnits = 12_000
const startUnits = 2_000
const endUnits = 2_000

/** `end` is absent when `start` is the whole line. */
export interface KeptLine {
  readonly start: string
  readonly end?: string
  /** UTF-8 bytes of the whole line. */
  readonly bytes: number
}

const withoutTrailingHalf = (text: string) => /[\ud800-\udbff]$/.test(text) ? text.slice(0, -1) : text
const withoutLeadingHalf = (text: string) => /^[\udc00-\udfff]/.test(text) ? text.slice(1) : text

export class BoundedLine {
  #whole = ""
  #start: string | undefined
  #end = ""
  #longBytes = 0
  #hasInk = false

  /** Something other than white space was appended. */
  get hasInk(): boolean {
    return this.#hasInk
  }

  append(piece: string): void {
    if (!this.#hasInk) this.#hasInk = /\S/.test(piece)
    if (this.#start === undefined) {
      this.#whole += piece
      if (this.#whole.length <= wholeUnits) return
      this.#start = withoutTrailingHalf(this.#whole.slice(0, startUnits))
      this.#end = this.#whole.slice(-endUnits)
      this.#longBytes = utf8Bytes(this.#whole)
      this.#whole = ""
      return
    }
    this.#longBytes += utf8Bytes(piece)
    this.#end += piece
    if (this.#end.length > 8 * endUnits) this.#end = this.#end.slice(-endUnits)
  }

  kept(): KeptLine {
    return this.#start === undefined
      ? { start: this.#whole, bytes: utf8Bytes(this.#whole) }
      : { start: this.#start, end: withoutLeadingHalf(this.#end.slice(-endUnits)), bytes: this.#longBytes }
  }
}
