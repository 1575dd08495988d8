/**
 * Cuts text to a number of UTF-8 bytes without breaking a code point or a grapheme.
 *
 * Limits: a cut is always marked, and the mark counts.
 */

export const utf8Bytes = (text: string): number => Buffer.byteLength(text)

const codePointBytes = (code: number): number => code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4

/** The longest start of `text` with at most `bytes` bytes. */
export const startOfText = (text: string, bytes: number): string => {
  let end = 0
  let used = 0
  while (end < text.length) {
    const code = text.codePointAt(end) ?? 0
    used += codePointBytes(code)
    if (used > bytes) break
    end += code > 0xffff ? 2 : 1
  }
  return text.slice(0, end)
}

/** The longest end of `text` with at most `bytes` bytes. */
export const endOfText = (text: string, bytes: number): string => {
  let start = text.length
  let used = 0
  while (start > 0) {
    const low = text.charCodeAt(start - 1)
    const isPair = low >= 0xdc00 && low <= 0xdfff && start > 1
    used += isPair ? 4 : codePointBytes(low)
    if (used > bytes) break
    start -= isPair ? 2 : 1
  }
  return text.slice(start)
}

/** Stands for what a clipped line does not show. */
export const leftOut = (bytes: number): string => ` […${bytes} bytes left out…] `

/** The whole line if it has at most `bytes` bytes, otherwise three quarters from its start and a quarter from its end. */
export const clipLine = (line: string, bytes: number): string => {
  const length = utf8Bytes(line)
  if (length <= bytes) return line
  const room = Math.max(0, bytes - utf8Bytes(leftOut(length)))
  const start = startOfText(line, Math.floor(room * 0.74))
  const end = endOfText(line, room - utf8Bytes(start))
  return `${start}${leftOut(length - utf8Bytes(start) - utf8Bytes(end))}${end}`
}

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" })

/** At most `bytes` bytes, cut between graphemes; an ellipsis (3 bytes) marks the cut. */
export const clipAtGrapheme = (text: string, bytes: number): string => {
  if (text.length <= bytes && utf8Bytes(text) <= bytes) return text
  let clipped = ""
  let used = utf8Bytes("…")
  for (const { segment } of graphemes.segment(text.slice(0, bytes + 1))) {
    used += utf8Bytes(segment)
    if (used > bytes) break
    clipped += segment
  }
  return `${clipped}…`.toWellFormed()
}

/** At most `characters` code points with an ellipsis when cut. */
export const clipCharacters = (text: string, characters: number): string => {
  const points = Array.from(text.slice(0, characters * 2 + 2))
  return points.length <= characters && text.length <= characters * 2 + 2
    ? text
    : `${points.slice(0, characters - 1).join("")}…`
}
