/**
 * What is remembered of an output of any length, so that the lines that matter can be chosen when it has ended.
 *
 * Owns: how often each shape occurs, the first and the last lines of each shape, what stands around the grave ones.
 * Never owns: which lines are shown.
 * Limits: one pass; shapes, kept lines and their text are bounded; nothing depends on how the bytes were cut into blocks.
 */
import { readMeaning, severities } from "./line-meaning.ts"
import { type LineShape, readShape } from "./line-shape.ts"
import { hasTrait } from "./line-traits.ts"
import type { LongLine } from "./long-line.ts"
import { CountedShape, LineSlot, type PassingLine, type ShapeCount, type SurveyedLine } from "./passing-line.ts"

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

const limits = { shapes: 4_096, lines: 2_400, units: 600_000, longLasts: 64 } as const
const perShape = { grave: 10, plain: 4 } as const
const around = { grave: { before: 7, after: 14 }, fatal: { before: 7, after: 90 }, plain: { before: 2, after: 2 } } as const
/** Lines of each end that are kept in any case; a power of two. */
const ends = 16

const decoder = new TextDecoder("utf-8", { ignoreBOM: true })
const noBytes = new Uint8Array()
const blankShape = new CountedShape({ severity: severities.plain, tally: false, names: false, excuses: false, heads: false })
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
  /** The last lines, by their number. */
  readonly #recent = Array.from({ length: ends }, () => new LineSlot(blankShape))
  readonly #header = new LineSlot(blankShape)
  #kept = new Map<number, PassingLine>()
  #touched: Array<CountedShape> = []
  #units = 0
  #keepUntil = 0
  #nearUntil = 0
  #total = 0
  #lastInked = 0
  #block = 1
  #forgottenLines = 0
  #errorLines = 0
  #firstOfGravest: PassingLine | undefined
  readonly #lastOfGravest = new LineSlot(blankShape)
  /** Shapes whose last line is a long one. */
  #longLasts = 0

  get totalLines(): number {
    return this.#total
  }

  /** 1-based; 0 while every line is blank. */
  get lastInkedLine(): number {
    return this.#lastInked
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
    const slot = this.#slotOf(this.#total)
    if (shape.excuses && this.#lastInked > 0) this.#slotOf(this.#lastInked).passing().excused = true
    this.#rememberBlank()
    slot.set(this.#total, shape, read.indent, long, bytes, start, end)
    if (shape.block !== this.#block) {
      shape.block = this.#block
      this.#touched.push(shape)
    }
    this.#noteLast(slot)
    this.#noteGravest(slot)
    this.#keep(slot)
    if (shape.heads || (read.indent === 0 && read.worded)) this.#header.copy(slot)
    this.#lastInked = this.#total
  }

  /** Makes text of what is still wanted of a block whose bytes go away. */
  endBlock(): void {
    for (const slot of this.#recent) slot.settle()
    for (const { last } of this.#touched) last.settle()
    this.#header.settle()
    this.#lastOfGravest.settle()
    this.#touched = []
    this.#block++
  }

  /** The last `count` lines up to the last one that is not blank; at most 16. */
  lastLines(count: number): ReadonlyArray<string> {
    return this.#lastSlots(count).map((slot) => slot.shape === blankShape ? "" : slot.passing().settle())
  }

  finish(): Survey {
    const lines = new Map(this.#kept)
    const add = (passing: PassingLine | undefined) => {
      if (passing !== undefined && passing.shape !== blankShape && !lines.has(passing.line)) lines.set(passing.line, passing)
    }
    for (const slot of this.#lastSlots(ends)) if (slot.shape !== blankShape) add(slot.passing())
    for (const { count, last, severity } of this.#shapes.values()) {
      if (last.line > 0 && count > (isGrave(severity) ? perShape.grave : perShape.plain)) add(last.passing())
    }
    const last = this.#lastInked === 0 ? undefined : this.#slotOf(this.#lastInked).passing()
    const lastOfGravest = this.#lastOfGravest.line === 0 ? undefined : this.#lastOfGravest.passing()
    const certain = [this.#firstOfGravest, lastOfGravest, last].flatMap((passing) => passing === undefined ? [] : [lines.get(passing.line) ?? passing])
    certain.forEach(add)
    return {
      lines: [...lines.values()].sort((left, right) => left.line - right.line).map((passing) => passing.surveyed())
        .filter((line) => !line.traits.has("empty")),
      totalLines: this.#total,
      shapes: [...this.#shapes.values()],
      errorLines: this.#errorLines,
      forgottenLines: this.#forgottenLines,
      certain: [...new Set(certain)].map((passing) => passing.surveyed())
    }
  }

  #slotOf(line: number): LineSlot {
    return this.#recent[line & (ends - 1)] ?? this.#header
  }

  #lastSlots(count: number): ReadonlyArray<LineSlot> {
    const first = Math.max(1, this.#lastInked - count + 1)
    return Array.from({ length: this.#lastInked === 0 ? 0 : this.#lastInked - first + 1 }, (_, index) => this.#slotOf(first + index))
  }

  #rememberBlank(): void {
    for (let line = Math.max(this.#lastInked + 1, this.#total - ends + 1); line < this.#total; line++) {
      this.#slotOf(line).set(line, blankShape, 0, undefined, noBytes, 0, 0)
    }
  }

  #shapeOf(bytes: Uint8Array, start: number, end: number, long: LongLine | undefined): CountedShape {
    const known = this.#shapes.get(this.#read.hash)
    if (known !== undefined) return known
    if (this.#shapes.size >= limits.shapes) this.#forget()
    const text = decoder.decode(bytes.subarray(start, end))
    const meaning = readMeaning(text)
    const shape = new CountedShape({
      ...meaning,
      severity: Math.max(meaning.severity, long?.severity ?? meaning.severity),
      excuses: hasTrait(text, "excuse"),
      heads: hasTrait(text, "fileField")
    })
    this.#shapes.set(this.#read.hash, shape)
    return shape
  }

  /** Shapes that occurred once and say nothing go first, the oldest first. */
  #forget(): void {
    const forget = (candidates: ReadonlyArray<readonly [number, CountedShape]>) => {
      for (const [hash, { count }] of candidates) {
        this.#shapes.delete(hash)
        this.#forgottenLines += count
      }
    }
    const mute = [...this.#shapes].filter(([, shape]) => shape.count === 1 && !isGrave(shape.severity))
    forget(mute.slice(0, Math.ceil(mute.length / 2)))
    if (this.#shapes.size >= limits.shapes * 0.75) forget([...this.#shapes].slice(0, limits.shapes / 4))
  }

  /** Only so many long lines are kept as the last ones of their shapes. */
  #noteLast(slot: LineSlot): void {
    const { last } = slot.shape
    if (slot.long !== undefined && last.long === undefined && ++this.#longLasts > limits.longLasts) return
    last.copy(slot)
  }

  #noteGravest(slot: LineSlot): void {
    const { severity } = slot.shape
    const gravest = this.#firstOfGravest?.shape.severity ?? -Infinity
    if (severity < gravest) return
    if (severity > gravest) {
      this.#firstOfGravest = slot.passing()
      this.#firstOfGravest.settle()
    }
    this.#lastOfGravest.copy(slot)
  }

  #keep(slot: LineSlot): void {
    const { line, shape: { count, severity } } = slot
    const grave = isGrave(severity)
    const crowded = !grave && this.#shapes.size > limits.shapes / 2
    const near = grave || line <= this.#nearUntil || line <= ends
    if (count <= (grave ? perShape.grave : perShape.plain) && !crowded) {
      const { after, before } = windowOf(severity)
      for (let above = Math.max(1, line - before); above < line; above++) {
        const recent = this.#slotOf(above)
        if (recent.line === above) this.#put(recent.passing(), grave)
      }
      this.#keepUntil = Math.max(this.#keepUntil, line + after)
      if (grave) this.#nearUntil = Math.max(this.#nearUntil, line + after)
      const passing = slot.passing()
      if (slot.indent > this.#header.indent && this.#header.line > 0) {
        passing.header = this.#header.passing()
        this.#put(passing.header, grave)
      }
      this.#put(passing, near)
    } else if (line <= this.#keepUntil || line <= ends) this.#put(slot.passing(), near)
    if (this.#kept.size > limits.lines || this.#units > limits.units) this.#prune()
  }

  #put(passing: PassingLine, near: boolean): void {
    passing.near ||= near
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
}
