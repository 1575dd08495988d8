/** A page of captured output for a person: its lines, and what the page leaves out. */
import type { CallOutput } from "@steno/contracts"
import { byteText, lineText } from "./quantity-text.ts"
import { visibleLine, visibleOutput } from "./visible-text.ts"

/** The lines, each with a newline; made visible for a terminal, otherwise as they were decoded. */
export const pageText = (page: CallOutput, forTerminal: boolean): string =>
  page.lines.map((line) => `${forTerminal ? visibleOutput(line) : line}\n`).join("")

const unfinished = new Set<CallOutput["status"]>(["supervising", "awaiting_approval", "ready", "running", "awaiting_input"])

const cutLines = (page: CallOutput): ReadonlyArray<string> =>
  page.truncatedLines.map(({ bytes, line }) => `line ${line} cut (${byteText(bytes)})`)

/** One line that says which part this is and how to go on; undefined when the page is everything. */
export const pageNote = (page: CallOutput): string | undefined => {
  const growing = unfinished.has(page.status)
  const droppedBytes = page.captureTruncated?.droppedBytes ?? 0
  const partial = page.offset > 0 || page.endOffset < page.totalLines
  if (!partial && !growing && droppedBytes === 0 && page.truncatedLines.length === 0) return undefined
  return `${
    [
      `Offsets ${page.offset} to ${page.endOffset} of ${lineText(page.totalLines)}, ${byteText(page.totalBytes)}`,
      ...(page.nextOffset === undefined ? [] : [`next: --offset ${page.nextOffset}`]),
      ...(growing ? [`the call is ${page.status}`] : []),
      ...(droppedBytes === 0 ? [] : [`${byteText(droppedBytes)} not captured`]),
      ...cutLines(page),
      ...(page.path === undefined ? [] : [`file: ${visibleLine(page.path)}`])
    ].join(" · ")
  }\n`
}
