/**
 * A line that is too long to be shown: its ends, its length, and the parts of it that stand out.
 *
 * Owns: cutting a line into parts where its own structure does, and choosing among them.
 * Limits: streaming, memory does not grow with the line; the pieces it arrives in change nothing.
 */
import { endOfText, leftOut, startOfText, utf8Bytes } from "./clipped-text.ts"
import { readLevel, readMeaning, severities } from "./line-meaning.ts"
import { type LineShape, readShape } from "./line-shape.ts"
import { mix } from "./severity-words.ts"

export interface LinePart {
  /** UTF-8 bytes of the line before it. */
  readonly offset: number
  readonly bytes: number
  readonly text: string
}

export interface LongLine {
  readonly start: string
  readonly end: string
  /** UTF-8 bytes of the whole line. */
  readonly bytes: number
  /** The most telling first. */
  readonly parts: ReadonlyArray<LinePart>
  /** The gravest of its parts. */
  readonly severity: number
}

interface PartShape {
  count: number
  /** What stands after its first part. */
  next: LinePart | undefined
  readonly severity: number
  readonly first: LinePart
  readonly heading: LinePart | undefined
}

const endUnits = 2_000
const shapeLimit = 1_024
const partLimit = 8
/** A part is cut from this many units, so that the cut does not depend on what has arrived. */
const lookahead = 480
const longestPart = 400
const shortestPart = 48
const encoder = new TextEncoder()
/** UTF-8 takes at most three bytes per unit. */
const partBytes = new Uint8Array(3 * longestPart)
const structure = /\},?\s*(?=[{\]])|\\n|;\s/g
const space = /[,;\s]/
const heading = /"(?:file|filePath|filename|path|name|uri|url|suite|package)":\s*"[^"]+"/i

const message = /"(?:message|msg|text|error|reason|detail|description)":/i

/** A copy of its own: a part of a string keeps the whole of it in memory. Well-formed. */
const owned = (text: string): string => Buffer.from(text).toString()

const cutAt = (text: string): number => {
  const part = text.slice(0, longestPart)
  structure.lastIndex = 0
  while (structure.test(part)) if (structure.lastIndex >= shortestPart) return structure.lastIndex
  for (let end = part.length; end >= shortestPart; end--) if (space.test(part.charAt(end - 1))) return end
  const code = text.charCodeAt(longestPart - 1)
  return code >= 0xd800 && code < 0xdc00 ? longestPart - 1 : longestPart
}

export class LongLineReader {
  readonly #shapes = new Map<number, PartShape>()
  readonly #shape: LineShape = { hash: 0, indent: 0, inked: false, worded: false }
  #start = ""
  #end = ""
  #pending = ""
  #bytes = 0
  #offset = 0
  #heading: LinePart | undefined
  /** The shape whose first part was read last. */
  #latest: PartShape | undefined
  /** Of the record the parts belong to. */
  #level: number = severities.plain

  append(piece: string): void {
    this.#bytes += utf8Bytes(piece)
    if (this.#start.length < endUnits) this.#start += piece.slice(0, endUnits - this.#start.length)
    this.#end += piece.length > endUnits ? piece.slice(-endUnits) : piece
    if (this.#end.length > 8 * endUnits) this.#end = this.#end.slice(-endUnits)
    this.#pending += piece
    let at = 0
    while (this.#pending.length - at >= lookahead) at += this.#take(this.#pending.slice(at, at + lookahead))
    this.#pending = this.#pending.slice(at)
  }

  finish(): LongLine {
    while (this.#pending !== "") this.#pending = this.#pending.slice(this.#take(this.#pending))
    return {
      start: owned(this.#start),
      end: owned(this.#end.slice(-endUnits)),
      bytes: this.#bytes,
      parts: this.#standingOut(),
      severity: Math.max(severities.plain, ...[...this.#shapes.values()].map(({ severity }) => severity))
    }
  }

  #take(text: string): number {
    const units = text.length < lookahead && text.length <= longestPart ? text.length : cutAt(text)
    const cut = text.slice(0, units)
    const { written } = encoder.encodeInto(cut, partBytes)
    readShape(partBytes, 0, written, this.#shape)
    const partOf = (): LinePart => ({ offset, bytes: written, text: owned(cut) })
    const offset = this.#offset
    this.#offset += written
    if (heading.test(cut)) this.#heading = partOf()
    this.#level = readLevel(cut) ?? this.#level
    if (this.#latest !== undefined) this.#latest.next = partOf()
    this.#latest = undefined
    const shape = mix(this.#shape.hash, this.#level)
    const known = this.#shapes.get(shape)
    if (known !== undefined) known.count++
    else if (this.#shapes.size < shapeLimit) {
      const severity = Math.max(readMeaning(cut).severity, this.#level >= severities.error ? severities.error : severities.plain)
      this.#latest = { count: 1, next: undefined, severity, first: partOf(), heading: this.#heading }
      this.#shapes.set(shape, this.#latest)
    }
    return units
  }

  /** The first parts of the gravest and rarest shapes, each with the heading above it. */
  #standingOut(): ReadonlyArray<LinePart> {
    const common = Math.max(1, ...[...this.#shapes.values()].map((shape) => shape.count))
    const worth = (shape: PartShape) =>
      shape.severity * 2 + 1 - Math.log(shape.count) / Math.log(common + 1) + (message.test(shape.first.text) ? 0.5 : 0)
    const parts = new Map<number, LinePart>()
    const isEnd = ({ bytes, offset }: LinePart) => offset === 0 || offset + bytes === this.#bytes
    const shapes = [...this.#shapes.values()].filter((shape) => !isEnd(shape.first)).filter((shape) => shape.severity >= severities.trouble || shape.count <= common / 8)
      .sort((left, right) => worth(right) - worth(left) || left.first.offset - right.first.offset)
    for (const shape of shapes) {
      if (parts.size >= partLimit) break
      if (shape.heading !== undefined) parts.set(shape.heading.offset, shape.heading)
      parts.set(shape.first.offset, shape.first)
      if (shape.next !== undefined && shape.severity >= severities.error) parts.set(shape.next.offset, shape.next)
    }
    return [...parts.values()]
  }
}

/** The line in about `bytes` bytes, never more: its start, the parts that stand out, its end. */
export const clipLongLine = (line: LongLine, bytes: number): string => {
  const share = line.parts.length === 0 ? { start: 0.7, end: 0.25 } : { start: 0.15, end: 0.1 }
  const room = bytes - leftOut(line.bytes).length * 2
  let text = startOfText(line.start, Math.max(0, room * share.start))
  let reached = utf8Bytes(text)
  const end = endOfText(line.end, Math.max(0, room * share.end))
  const endOffset = line.bytes - utf8Bytes(end)
  let left = room - reached - utf8Bytes(end)
  const fitting: Array<LinePart> = []
  for (const part of line.parts) {
    const cost = part.bytes + utf8Bytes(leftOut(line.bytes))
    if (part.offset < reached || part.offset + part.bytes > endOffset || cost > left) continue
    left -= cost
    fitting.push(part)
  }
  for (const part of fitting.sort((one, other) => one.offset - other.offset)) {
    text += `${part.offset > reached ? leftOut(part.offset - reached) : ""}${part.text}`
    reached = part.offset + part.bytes
  }
  return endOffset > reached ? `${text}${leftOut(endOffset - reached)}${end}` : `${text}${endOfText(end, line.bytes - reached)}`
}
