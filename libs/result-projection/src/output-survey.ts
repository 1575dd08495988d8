/**
 * What is remembered of an output of any length, so that the lines that matter can be chosen when it has ended.
 *
 * Owns: how often each shape occurs, the first and the last lines of each shape, what stands around the grave ones.
 * Never owns: which lines are shown.
 * Limits: one pass; shapes, kept lines and their text are bounded; nothing depends on how the bytes were cut into blocks.
 */
import type { LongLine } from "./long-line.ts"
import { readMeaning, severities } from "./line-meaning.ts"
import { type LineShape, readShape } from "./line-shape.ts"
import { LineTraits } from "./line-traits.ts"

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
  /** The nearest line above it that stands furthest left. */
  readonly header: SurveyedLine | undefined
}

export interface Survey {
  /** Lines that may be shown, in file order; none of them is blank. */
  readonly lines: ReadonlyArray<SurveyedLine>
  readonly totalLines: number
  readonly shapes: ReadonlyArray<ShapeCount>
  /** Lines that sound like errors. */
  readonly errorLines: number
  /** Lines of shapes that there was no room to count. */
  readonly forgottenLines: number
  /** The first and the last line of the gravest class, and the last line that is not blank. */
  readonly certain: ReadonlyArray<SurveyedLine>
}

const limits = { shapes: 4_096, lines: 4_000, units: 1_000_000 } as const
const perShape = { grave: 10, plain: 4 } as const
const around = { grave: { before: 7, after: 14 }, fatal: { before: 7, after: 90 }, plain: { before: 2, after: 2 } } as const
const ends = 16

interface CountedShape extends ShapeCount {
  /** Says that the line before it does not count. */
  readonly excuses: boolean
  /** Names the file that what stands further right is about. */
  readonly heads: boolean
  last: PassingLine | undefined
  /** The block its last line stands in. */
  block: number
}

/** A line that went by. Its bytes are there until its block ends; what is still wanted then is made text. */
class PassingLine {
  readonly line: number
  readonly shape: CountedShape
  readonly indent: number
  readonly header: PassingLine | undefined
  readonly long: LongLine | undefined
  excused = false
  near = false
  #bytes: Uint8Array | undefined
  readonly #start: number
  readonly #end: number
  #text: string | undefined
  #surveyed: SurveyedLine | undefined

  constructor(line: number, shape: CountedShape, indent: number, header: PassingLine | undefined, long: LongLine | undefined, bytes: Uint8Array, start: number, end: number) {
    this.line = line
    this.shape = shape
    this.indent = indent
    this.header = header
    this.long = long
    this.#bytes = bytes
    this.#start = start
    this.#end = end
  }

  get units(): number {
    return this.#end - this.#start + (this.long === undefined ? 0 : 4_000)
  }

  get text(): string {
    if (this.#bytes !== undefined) {
      this.#text = decoder.decode(this.#bytes.subarray(this.#start, this.#end))
      this.#bytes = undefined
    }
    return this.#text ?? ""
  }

  /** Takes what it needs of its block. */
  settle(): void {
    void this.text
    void this.header?.text
  }

  surveyed(): SurveyedLine {
    return this.#surveyed ??= {
      line: this.line,
      text: this.text,
      long: this.long,
      shape: this.shape,
      severity: this.excused ? severities.plain : this.shape.severity,
      traits: new LineTraits(this.text),
      indent: this.indent,
      header: this.header?.surveyed()
    }
  }
}

const decoder = new TextDecoder("utf-8", { ignoreBOM: true })
const noBytes = new Uint8Array()
const blankShape: CountedShape = { count: 0, severity: severities.plain, tally: false, names: false, excuses: false, heads: false, last: undefined, block: 0 }
const isGrave = (severity: number) => severity >= severities.trouble

const windowOf = (severity: number) =>
  severity === severities.fatal ? around.fatal : isGrave(severity) ? around.grave : around.plain

type Keeping = (passing: PassingLine, index: number, all: ReadonlyArray<PassingLine>) => boolean

const atEnds: Keeping = (_, index, all) => index < limits.lines / 6 || index >= all.length - limits.lines / 6

/** What gives way first when too many lines are kept. */
const prunings: ReadonlyArray<Keeping> = [
  ({ near, shape }) => near || shape.count <= perShape.plain,
  ({ near }) => near,
  (passing, index, all) => isGrave(passing.shape.severity) || atEnds(passing, index, all),
  atEnds
]

export class OutputSurvey {
  readonly #shapes = new Map<number, CountedShape>()
  readonly #read: LineShape = { hash: 0, indent: 0, inked: false, worded: false }
  #kept = new Map<number, PassingLine>()
  #touched: Array<CountedShape> = []
  #recent: Array<PassingLine> = []
  #units = 0
  #keepUntil = 0
  #nearUntil = 0
  #total = 0
  #block = 1
  #forgotten = 0
  #errorLines = 0
  #header: PassingLine | undefined
  #gravest: { readonly severity: number; readonly first: PassingLine; last: PassingLine } | undefined
  #last: PassingLine | undefined

  get totalLines(): number {
    return this.#total
  }

  /** 1-based; 0 while every line is blank. */
  get lastInkedLine(): number {
    return this.#last?.line ?? 0
  }

  /** A line of clean text without its newline, in UTF-8; the bytes must stay as they are until `endBlock`. */
  add(bytes: Uint8Array, start: number, end: number, long?: LongLine): void {
    const read = this.#read
    readShape(bytes, start, end, read)
    this.#total++
    if (!read.inked) return
    const shape = this.#shapeOf(bytes, start, end, long)
    shape.count++
    if (shape.severity >= severities.error) this.#errorLines++
    const passing = new PassingLine(this.#total, shape, read.indent, read.indent > (this.#header?.indent ?? 0) ? this.#header : undefined, long, bytes, start, end)
    if (shape.block !== this.#block) {
      shape.block = this.#block
      this.#touched.push(shape)
    }
    shape.last = passing
    if (shape.excuses && this.#last !== undefined) this.#last.excused = true
    if (shape.heads || (read.indent === 0 && read.worded)) this.#header = passing
    this.#noteGravest(passing)
    this.#keep(passing)
    this.#remember(passing)
    this.#last = passing
  }

  /** Makes text of what is still wanted of a block whose bytes go away. */
  endBlock(): void {
    const wanted = [this.#last, this.#header, this.#gravest?.first, this.#gravest?.last, ...this.#recent]
    for (const shape of this.#touched) wanted.push(shape.last)
    for (const passing of wanted) passing?.settle()
    this.#touched = []
    this.#block++
  }

  /** The last `count` lines up to the last one that is not blank. */
  lastLines(count: number): ReadonlyArray<string> {
    return this.#recent.slice(-count).map(({ text }) => text)
  }

  finish(): Survey {
    const lines = new Map(this.#kept)
    const add = (passing: PassingLine | undefined) => {
      if (passing !== undefined && passing.shape !== blankShape) lines.set(passing.line, passing)
    }
    for (const passing of this.#recent.slice(-ends)) add(passing)
    for (const { last } of this.#shapes.values()) add(last)
    add(this.#gravest?.first)
    add(this.#gravest?.last)
    const certain = [this.#gravest?.first, this.#gravest?.last, this.#last]
    return {
      lines: [...lines.values()].sort((left, right) => left.line - right.line).map((passing) => passing.surveyed()).filter((line) => !line.traits.has("empty")),
      totalLines: this.#total,
      shapes: [...this.#shapes.values()],
      errorLines: this.#errorLines,
      forgottenLines: this.#forgotten,
      certain: [...new Set(certain)].flatMap((passing) => passing === undefined ? [] : [passing.surveyed()])
    }
  }

  #shapeOf(bytes: Uint8Array, start: number, end: number, long: LongLine | undefined): CountedShape {
    const known = this.#shapes.get(this.#read.hash)
    if (known !== undefined) return known
    if (this.#shapes.size >= limits.shapes) this.#forget()
    const text = decoder.decode(bytes.subarray(start, end))
    const meaning = readMeaning(text)
    const traits = new LineTraits(text)
    const shape: CountedShape = {
      ...meaning,
      severity: Math.max(meaning.severity, long?.severity ?? meaning.severity),
      excuses: traits.has("excuse"),
      heads: traits.has("fileField"),
      count: 0,
      last: undefined,
      block: 0
    }
    this.#shapes.set(this.#read.hash, shape)
    return shape
  }

  /** Shapes that occurred once and say nothing go first, the oldest first. */
  #forget(): void {
    const forget = (candidates: ReadonlyArray<readonly [number, CountedShape]>) => {
      for (const [hash, { count }] of candidates) {
        this.#shapes.delete(hash)
        this.#forgotten += count
      }
    }
    const mute = [...this.#shapes].filter(([, shape]) => shape.count === 1 && !isGrave(shape.severity))
    forget(mute.slice(0, Math.ceil(mute.length / 2)))
    if (this.#shapes.size >= limits.shapes * 0.75) forget([...this.#shapes].slice(0, limits.shapes / 4))
  }

  #noteGravest(passing: PassingLine): void {
    const { severity } = passing.shape
    if (this.#gravest === undefined || severity > this.#gravest.severity) this.#gravest = { severity, first: passing, last: passing }
    else if (severity === this.#gravest.severity) this.#gravest.last = passing
  }

  #keep(passing: PassingLine): void {
    const { severity, count } = passing.shape
    const grave = isGrave(severity)
    const crowded = !grave && this.#shapes.size > limits.shapes / 2
    passing.near = grave || passing.line <= this.#nearUntil || passing.line <= ends
    if (count <= (grave ? perShape.grave : perShape.plain) && !crowded) {
      const { after, before } = windowOf(severity)
      for (const recent of this.#recent) {
        if (recent.line < passing.line - before) continue
        recent.near ||= grave
        this.#put(recent)
      }
      if (passing.header !== undefined) {
        passing.header.near ||= grave
        this.#put(passing.header)
      }
      this.#keepUntil = Math.max(this.#keepUntil, passing.line + after)
      if (grave) this.#nearUntil = Math.max(this.#nearUntil, passing.line + after)
      this.#put(passing)
    } else if (passing.line <= this.#keepUntil || passing.line <= ends) this.#put(passing)
    if (this.#kept.size > limits.lines || this.#units > limits.units) this.#prune()
  }

  #put(passing: PassingLine): void {
    if (passing.shape === blankShape || this.#kept.has(passing.line)) return
    passing.settle()
    this.#kept.set(passing.line, passing)
    this.#units += passing.units
  }

  #prune(): void {
    for (const keeping of prunings) {
      if (this.#kept.size <= limits.lines / 2 && this.#units <= limits.units / 2) return
      const all = [...this.#kept.values()].sort((left, right) => left.line - right.line)
      const rest = all.filter(keeping)
      this.#kept = new Map(rest.map((passing) => [passing.line, passing]))
      this.#units = rest.reduce((sum, { units }) => sum + units, 0)
    }
  }

  #remember(passing: PassingLine): void {
    const blank = Math.min(ends, passing.line - 1 - (this.#last?.line ?? 0))
    for (let line = passing.line - blank; line < passing.line; line++) {
      this.#recent.push(new PassingLine(line, blankShape, 0, undefined, undefined, noBytes, 0, 0))
    }
    this.#recent.push(passing)
    if (this.#recent.length > 4 * ends) this.#recent = this.#recent.slice(-ends)
  }
}
