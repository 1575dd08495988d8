/**
 * Rules that anybody would try first; what a selection has to be better than.
 *
 * Owns: windows of bytes, lines with a word, lines of a rare shape.
 */
import { endOf, startOf } from "./byte-cuts.ts"
import type { LabelledCase } from "./labelled-case.ts"

/** The text that a rule shows of a case's output. */
export type Rule = (labelled: LabelledCase) => string

const errorWord = /error|warn|fatal|fail|exception|traceback|timeout/i
/** Without it one endless line would count as a line like another. */
const wordLineBytes = 2_000

const linesOf = ({ visible }: LabelledCase): ReadonlyArray<string> => visible.split(/\r?\n|\r/)

const start = (bytes: number): Rule => ({ output }) => startOf(output, bytes)
const end = (bytes: number): Rule => ({ output }) => endOf(output, bytes)

const startAndEnd = (bytes: number): Rule => ({ output, text }) =>
  output.length <= 2 * bytes ? text : `${startOf(output, bytes)}\n…\n${endOf(output, bytes)}`

const linesWithErrorWord = (from: number, to?: number): Rule => (labelled) =>
  linesOf(labelled)
    .filter((line) => errorWord.test(line))
    .slice(from, to)
    .map((line) => startOf(Buffer.from(line), wordLineBytes))
    .join("\n")

const shapeOf = (line: string): string =>
  line.replace(/\d+/g, "0").replace(/[A-Za-z_]{3,}/g, "a").replace(/(a[\W]?){2,}/g, "A").slice(0, 60)

const rareShapes = { startBytes: 800, endBytes: 1_600, lineBytes: 1_600, lineCharacters: 300, leastRoom: 20 }

/** Some of both ends, and between them the lines whose shape is rarest, in the order they came. */
const linesOfRareShape: Rule = (labelled) => {
  const lines = linesOf(labelled)
    .filter((line) => line.trim() !== "")
    .map((line, index) => ({ index, shape: shapeOf(line), text: line.slice(0, rareShapes.lineCharacters) }))
  const alike = new Map<string, number>()
  for (const { shape } of lines) alike.set(shape, (alike.get(shape) ?? 0) + 1)
  const rarest = lines.toSorted((left, right) =>
    (alike.get(left.shape) ?? 0) - (alike.get(right.shape) ?? 0) || left.index - right.index
  )
  const chosen: Array<{ readonly index: number; readonly text: string }> = []
  let room = rareShapes.lineBytes
  for (const line of rarest) {
    const cost = Buffer.byteLength(line.text) + 1
    if (cost > room) continue
    chosen.push(line)
    room -= cost
    if (room < rareShapes.leastRoom) break
  }
  return [
    startOf(labelled.output, rareShapes.startBytes),
    ...chosen.sort((left, right) => left.index - right.index).map(({ text }) => text),
    endOf(labelled.output, rareShapes.endBytes)
  ].join("\n")
}

export const simpleRules: Readonly<Record<string, Rule>> = {
  "the complete output": ({ text }) => text,
  "first 4,000 bytes": start(4_000),
  "last 4,000 bytes": end(4_000),
  "first and last 2,000 bytes": startAndEnd(2_000),
  "first and last 6,000 bytes": startAndEnd(6_000),
  "first 8 lines with an error word": linesWithErrorWord(0, 8),
  "last 8 lines with an error word": linesWithErrorWord(-8),
  "lines of rarest shape, 4,000 bytes": linesOfRareShape
}
