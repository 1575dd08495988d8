/**
 * A line with its number, clipped to a number of bytes.
 *
 * Limits: a clipped line keeps its start, its end and what stands out in it, and says how much is missing.
 */
import { clipLine, utf8Bytes } from "./clipped-text.ts"
import { clipLongLine } from "./long-line.ts"
import type { SurveyedLine } from "./passing-line.ts"

/** A line up to this many bytes is shown whole or not at all, unless it is certain. */
export const wholeLineBytes = 1_000
/** With fewer bytes than this a clipped line says nothing any more. */
const leastBytes = 300

export class NumberedText {
  readonly text: string
  readonly bytes: number
  /** Whole, or so long that a part of it stands for it. */
  readonly isFit: boolean

  constructor({ line, long, text }: SurveyedLine, bytes: number) {
    const prefix = `${line}: `
    const room = bytes - prefix.length
    const shown = long === undefined ? clipLine(text, room) : clipLongLine(long, room)
    this.text = prefix + shown
    this.bytes = utf8Bytes(this.text)
    this.isFit = (long === undefined && shown === text) || (room >= leastBytes && utf8Bytes(text) > wholeLineBytes)
  }
}
