/**
 * One line of any length in bounded memory.
 *
 * Limits: what is kept depends on the text alone, never on the pieces it arrived in.
 */
import { type LongLine, LongLineReader } from "./long-line.ts"

/** A line up to this many UTF-16 units is kept whole; a longer one never fits a budget. */
const wholeUnits = 12_000
/** A line of more units than this is read in parts as well. */
export const longLineUnits = 1_000

export interface KeptLine {
  /** Absent when it is too long for any budget. */
  readonly whole: string | undefined
  /** Absent when it is short enough to be shown. */
  readonly long: LongLine | undefined
}

export class BoundedLine {
  #whole = ""
  #reader: LongLineReader | undefined
  #hasInk = false

  /** Something other than white space was appended. */
  get hasInk(): boolean {
    return this.#hasInk
  }

  append(piece: string): void {
    if (!this.#hasInk) this.#hasInk = /\S/.test(piece)
    if (this.#reader !== undefined) return this.#reader.append(piece)
    this.#whole += piece
    if (this.#whole.length <= wholeUnits) return
    this.#reader = new LongLineReader()
    this.#reader.append(this.#whole)
    this.#whole = ""
  }

  kept(): KeptLine {
    if (this.#reader !== undefined) return { whole: undefined, long: this.#reader.finish() }
    const whole = this.#whole
    if (whole.length <= longLineUnits) return { whole, long: undefined }
    const reader = new LongLineReader()
    reader.append(whole)
    return { whole, long: reader.finish() }
  }
}
