/**
 * Hygiene of text that is in memory: the same rules as for the output of a process, line by line.
 *
 * Limits: a line keeps its length, unless it holds control sequences and has more than 12,000 UTF-16 units: then its start
 * and end stay and the bytes between them are counted.
 */
import { type Candidate, type Block, makeCandidate } from "./candidate.ts"
import { leftOut, utf8Bytes } from "./clipped-text.ts"
import { makeLineCleaner } from "./text-hygiene.ts"

const special = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/

const cleanLine = (line: string): string => {
  if (!special.test(line)) return line
  let clean = ""
  const cleaner = makeLineCleaner(({ long, whole }) => {
    clean = whole ?? (long === undefined ? "" : `${long.start}${leftOut(long.bytes - utf8Bytes(long.start) - utf8Bytes(long.end))}${long.end}`)
  })
  cleaner.push(line)
  cleaner.end()
  return clean
}

/** Well-formed, LF only. */
export const cleanText = (text: string): string => {
  const wellFormed = text.toWellFormed()
  return special.test(wellFormed) ? wellFormed.split("\n").map(cleanLine).join("\n") : wellFormed
}

const cleanBlocks = (blocks: ReadonlyArray<Block>): ReadonlyArray<Block> =>
  blocks.map((block) => block.kind === "text" ? { kind: "text", text: cleanText(block.text) } : block)

/** Every text a candidate would show. */
export const cleanCandidate = (candidate: Candidate): Candidate =>
  makeCandidate({
    ...candidate,
    status: candidate.status.map(cleanText),
    blocks: cleanBlocks(candidate.blocks),
    items: candidate.items.map((item) => ({ ...item, blocks: cleanBlocks(item.blocks) })),
    reports: candidate.reports.map(cleanCandidate)
  })
