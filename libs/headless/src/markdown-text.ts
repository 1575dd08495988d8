/**
 * Puts text that came from elsewhere into Markdown so that it stays what it is.
 *
 * Owns: fences longer than any inside, code spans, block quotes, links to absolute paths.
 * Limits: pure; every text is made visible first, so that no control character is left in the document.
 */
import { visibleEscapes, visibleLine } from "./visible-text.ts"

const longestBackticks = (text: string): number =>
  Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length))

/** Lines of a fenced block. `visible` is already made visible. */
export const fenced = (visible: string, language: string): ReadonlyArray<string> => {
  const fence = "`".repeat(Math.max(3, longestBackticks(visible) + 1))
  return [`${fence}${language}`, ...visible.replace(/\n$/, "").split("\n"), fence]
}

/** On one line. */
export const codeSpan = (text: string): string => {
  const line = visibleLine(text)
  if (line === "") return "(empty)"
  const ticks = "`".repeat(longestBackticks(line) + 1)
  const padding = /^[` ]|[` ]$/.test(line) ? " " : ""
  return `${ticks}${padding}${line}${padding}${ticks}`
}

/** Lines of a block quote; Markdown inside it is rendered and cannot leave it. */
export const quoted = (text: string): ReadonlyArray<string> =>
  visibleEscapes(text).replace(/\n+$/, "").split("\n").map((line) => line === "" ? ">" : `> ${line}`)

/** @param path absolute */
export const fileLink = (path: string): string => {
  const target = encodeURI(path.toWellFormed()).replaceAll("#", "%23").replaceAll("?", "%3F")
  return `[${codeSpan(path)}](<${target}>)`
}
