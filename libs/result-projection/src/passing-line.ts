/**
 * A line that went by, and all lines of its shape.
 *
 * Limits: a line is bytes of a block until the block goes away; what is still wanted then is made text by `settle`.
 */
import { severities } from "./line-meaning.ts"
import { LineTraits } from "./line-traits.ts"
import type { LongLine } from "./long-line.ts"

/** All lines of one shape. */
export interface ShapeCount {
  count: number
  /** Of its first line. */
  readonly severity: number
  readonly tally: boolean
  /** Names the kind of an exception. */
  readonly names: boolean
}

export interface SurveyedLine {
  /** 1-based line of the file. */
  readonly line: number
  /** The whole line, or its start when `long` is there. */
  readonly text: string
  readonly long: LongLine | undefined
  readonly shape: ShapeCount
  readonly severity: number
  readonly traits: LineTraits
  /** Columns of white space before the first character. */
  readonly indent: number
  /** The nearest line above that heads it. */
  readonly header: SurveyedLine | undefined
}

/** Where a line is, in fields that are overwritten by the next one: no object is made for a line that is not wanted. */
export class LineSlot {
  line = 0
  shape: CountedShape
  indent = 0
  long: LongLine | undefined
  bytes: Uint8Array = noBytes
  start = 0
  end = 0
  #passing: PassingLine | undefined

  constructor(shape: CountedShape) {
    this.shape = shape
  }

  set(line: number, shape: CountedShape, indent: number, long: LongLine | undefined, bytes: Uint8Array, start: number, end: number): void {
    this.line = line
    this.shape = shape
    this.indent = indent
    this.long = long
    this.bytes = bytes
    this.start = start
    this.end = end
    this.#passing = undefined
  }

  copy(other: LineSlot): void {
    this.set(other.line, other.shape, other.indent, other.long, other.bytes, other.start, other.end)
    this.#passing = other.#passing
  }

  /** The line itself, the same object each time. */
  passing(): PassingLine {
    return this.#passing ??= new PassingLine(this)
  }

  /** Takes what it needs of its block. */
  settle(): void {
    if (this.line > 0 && this.bytes !== noBytes) {
      this.passing().settle()
      this.bytes = noBytes
    }
  }
}

const decoder = new TextDecoder("utf-8", { ignoreBOM: true })
const noBytes = new Uint8Array()

export class PassingLine {
  readonly line: number
  readonly shape: CountedShape
  header: PassingLine | undefined
  /** Dealt with, as the line after it says. */
  excused = false
  /** Within what is kept around a grave line. */
  near = false
  readonly #indent: number
  readonly #long: LongLine | undefined
  readonly #units: number
  #bytes: Uint8Array | undefined
  #text = ""
  #surveyed: SurveyedLine | undefined

  constructor({ bytes, end, indent, line, long, shape, start }: LineSlot) {
    this.line = line
    this.shape = shape
    this.#indent = indent
    this.#long = long
    this.#units = end - start + (long === undefined ? 0 : 4_000)
    this.#bytes = bytes.subarray(start, end)
  }

  /** About what it takes in memory. */
  get units(): number {
    return this.#units
  }

  /** Takes what it needs of its block. */
  settle(): string {
    if (this.#bytes !== undefined) {
      this.#text = decoder.decode(this.#bytes)
      this.#bytes = undefined
    }
    return this.#text
  }

  surveyed(): SurveyedLine {
    const text = this.settle()
    return this.#surveyed ??= {
      line: this.line,
      text,
      long: this.#long,
      shape: this.shape,
      severity: this.excused ? severities.plain : this.shape.severity,
      traits: new LineTraits(text),
      indent: this.#indent,
      header: this.header?.surveyed()
    }
  }
}

export class CountedShape implements ShapeCount {
  count = 0
  readonly severity: number
  readonly tally: boolean
  readonly names: boolean
  /** Says that the line before it does not count. */
  readonly excuses: boolean
  /** Names the file that what stands further right is about. */
  readonly heads: boolean
  /** The block its last line stands in. */
  block = 0
  readonly last: LineSlot

  constructor(meaning: Pick<CountedShape, "severity" | "tally" | "names" | "excuses" | "heads">) {
    this.severity = meaning.severity
    this.tally = meaning.tally
    this.names = meaning.names
    this.excuses = meaning.excuses
    this.heads = meaning.heads
    this.last = new LineSlot(this)
  }
}
