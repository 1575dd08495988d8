/**
 * Folds a line to its shape, so that lines that say the same of different things are alike.
 *
 * Owns: what is folded: numbers, names, paths and quoted text; known words, names of exceptions, codes and punctuation stay.
 * Limits: works on bytes without making a string, as it reads every line of an output; the first 1,000 bytes count.
 */
import { emptyHash, isKnownWord, isLevelWord, mix } from "./severity-words.ts"

export interface LineShape {
  /** 32-bit hash. */
  hash: number
  /** Columns of white space before the first character; a tab counts as 8. */
  indent: number
  /** Something other than white space stands on it. */
  inked: boolean
  /** A word stands on it. */
  worded: boolean
}

const scannedBytes = 1_000
const quotedBytes = 160

const space = 1
const digit = 2
const lower = 3
const upper = 4
const joint = 5
const connector = 6
const mark = 7
const high = 8
const control = 9
const silent = 10
const quote = 11

const kindOf = new Uint8Array(256)
for (let byte = 0; byte < 256; byte++) {
  const character = String.fromCharCode(byte)
  kindOf[byte] = byte === 0x20 || byte === 0x09
    ? space
    : byte < 0x20 || byte === 0x7f
    ? control
    : byte === 0xe2
    ? mark
    : byte >= 0x80
    ? high
    : /\d/.test(character)
    ? digit
    : /[a-z]/.test(character)
    ? lower
    : /[A-Z]/.test(character)
    ? upper
    : /[_$]/.test(character)
    ? joint
    : /[-./\\@~]/.test(character)
    ? connector
    : character === ","
    ? silent
    : /['"`]/.test(character)
    ? quote
    : 0
}
const isWord = new Uint8Array(256)
for (let byte = 0; byte < 256; byte++) {
  const kind = kindOf[byte]
  isWord[byte] = kind === digit || kind === lower || kind === upper || kind === joint || kind === high ? 1 : 0
}

const symbols = { name: 257, number: 258, zero: 259, quoted: 260, path: 261, known: 262, exception: 263, code: 264, gap: 265 } as const

const endsWith = (bytes: Uint8Array, start: number, end: number, tail: string): boolean => {
  if (end - start <= tail.length) return false
  for (let at = 0; at < tail.length; at++) if (bytes[end - tail.length + at] !== tail.charCodeAt(at)) return false
  return true
}

const namesException = (bytes: Uint8Array, start: number, end: number): boolean =>
  endsWith(bytes, start, end, "Error") || endsWith(bytes, start, end, "Exception") || endsWith(bytes, start, end, "Fault") ||
  endsWith(bytes, start, end, "Failure") || endsWith(bytes, start, end, "Panic") || endsWith(bytes, start, end, "Warning")

/** What reading bytes as text takes: nothing for ASCII, decoding for what is wide and UTF-8, cleaning for the rest. */
export type Purity = "ascii" | "wide" | "unclean"

/** Control characters other than tab and replacement characters are unclean. */
export const purityOf = (bytes: Uint8Array, from: number, to: number): Purity => {
  let wide = false
  for (let at = from; at < to; at++) {
    const byte = bytes[at] ?? 0
    if (byte < 0x7f) {
      if (byte < 0x20 && byte !== 0x09) return "unclean"
    } else if (byte === 0x7f || (byte === 0xc2 && (bytes[at + 1] ?? 0) < 0xa0)) return "unclean"
    else if (byte === 0xef && bytes[at + 1] === 0xbf && bytes[at + 2] === 0xbd) return "unclean"
    else wide = true
  }
  return wide ? "wide" : "ascii"
}

/** An object or a list in JSON, or a field of one on a line of its own. */
const beginsRecord = (bytes: Uint8Array, at: number, to: number): boolean => {
  if (at + 1 >= to) return false
  if (bytes[at] === 0x7b || bytes[at] === 0x5b) return bytes[at + 1] === 0x22 || bytes[at + 1] === 0x7b
  if (bytes[at] !== 0x22) return false
  const close = bytes.indexOf(0x22, at + 1)
  return close !== -1 && close + 1 < to && bytes[close + 1] === 0x3a
}

/** Reads the line between `from` and `to` into `shape`. */
export const readShape = (bytes: Uint8Array, from: number, to: number, shape: LineShape): void => {
  let at = from
  let indent = 0
  for (; at < to; at++) {
    const byte = bytes[at]
    if (byte === 0x20) indent++
    else if (byte === 0x09) indent += 8
    else break
  }
  shape.indent = indent
  shape.inked = at < to
  shape.worded = false
  const limit = Math.min(to, from + scannedBytes)
  const record = beginsRecord(bytes, at, to)
  let hash = mix(emptyHash, indent === 0 ? 1 : indent < 4 ? 2 : 3)
  let last = 0
  let afterLevel = false
  /** The name of a command that a shell echoes stays. */
  let naming = bytes[at] === 0x2b && (bytes[at + 1] === 0x20 || bytes[at + 1] === 0x2b)

  while (at < limit) {
    const byte = bytes[at] ?? 0
    const kind = kindOf[byte]
    if (kind === space) {
      at++
      continue
    }
    if (kind === digit) {
      const start = at
      let number = emptyHash
      let simple = true
      for (; at < limit; at++) {
        const next = bytes[at] ?? 0
        if (kindOf[next] === digit) number = mix(number, next)
        else if (isWord[next] === 1) simple = false
        else if ((next === 0x2e || next === 0x3a || next === 0x2d || next === 0x2c) && at + 1 < limit && kindOf[bytes[at + 1] ?? 0] === digit) simple = false
        else break
      }
      const symbol = simple && at - start === 1 && byte === 0x30 ? symbols.zero : symbols.number
      if (afterLevel) hash = mix(hash, number)
      if (symbol !== last || afterLevel) hash = mix(hash, symbol)
      last = symbol
      afterLevel = false
      continue
    }
    if (isWord[byte] === 1) {
      shape.worded = true
      const start = at
      let word = emptyHash
      let uppers = 0
      let digits = 0
      let names = 0
      for (; at < limit; at++) {
        const next = bytes[at] ?? 0
        const nextKind = kindOf[next]
        if (nextKind === lower) word = mix(word, next)
        else if (nextKind === upper) {
          word = mix(word, next | 0x20)
          uppers++
        } else if (nextKind === digit) {
          word = mix(word, next)
          digits++
        } else if (nextKind === joint || nextKind === high) names++
        else if (nextKind === connector && at + 1 < limit && isWord[bytes[at + 1] ?? 0] === 1) names += next === 0x2f || next === 0x5c ? 1_000 : 1
        else if (next === 0x27 && bytes[at + 1] === 0x74 && (at + 2 >= limit || isWord[bytes[at + 2] ?? 0] !== 1)) word = mix(word, next)
        else break
      }
      const before = start > from ? bytes[start - 1] : 0
      const size = at - start
      if (before === 0x2f || before === 0x2d || before === 0x25 || before === 0x2e) {
        const symbol = before === 0x2f ? symbols.path : symbols.name
        if (symbol !== last) hash = mix(hash, symbol)
        last = symbol
      } else if (names === 0 && digits === 0 && size >= 2 && isKnownWord(word)) {
        hash = mix(mix(hash, word), uppers === size ? 1 : uppers === 1 ? 2 : 3)
        if (at + 1 < limit && bytes[at] === 0x20 && bytes[at + 1] === 0x20) hash = mix(hash, symbols.gap)
        last = symbols.known
        const next = bytes[at]
        afterLevel = (next === 0x22 || next === 0x3a || next === 0x3d) && isLevelWord(word)
        continue
      } else if (uppers > 0 && digits === 0 && names < 1_000 && size > 5 && namesException(bytes, start, at)) {
        hash = mix(mix(hash, word), symbols.exception)
        last = symbols.exception
      } else if (digits > 0 && names === 0 && uppers > 0 && uppers <= 5 && uppers + digits === size && size <= 8) {
        hash = mix(mix(hash, word), symbols.code)
        last = symbols.code
      } else {
        const symbol = names >= 1_000 ? symbols.path : symbols.name
        if (naming) hash = mix(hash, word)
        if (symbol !== last) hash = mix(hash, symbol)
        last = symbol
      }
      naming = false
      afterLevel = false
      continue
    }
    if (kind === quote) {
      if (record) {
        at++
        continue
      }
      let close = at + 1
      const end = Math.min(limit, at + quotedBytes)
      while (close < end && bytes[close] !== byte) close++
      if (close < end && (byte !== 0x27 || at === from || isWord[bytes[at - 1] ?? 0] !== 1)) {
        if (last !== symbols.quoted) hash = mix(hash, symbols.quoted)
        last = symbols.quoted
        at = close + 1
        continue
      }
      at++
      continue
    }
    if (kind === mark) {
      const second = bytes[at + 1] ?? 0
      const third = bytes[at + 2] ?? 0
      if (second === 0x80 && third === 0x98) {
        let close = at + 3
        const end = Math.min(limit, at + quotedBytes) - 2
        while (close < end && !(bytes[close] === 0xe2 && bytes[close + 1] === 0x80 && bytes[close + 2] === 0x99)) close++
        if (close < end) {
          if (last !== symbols.quoted) hash = mix(hash, symbols.quoted)
          last = symbols.quoted
          at = close + 3
          continue
        }
      }
      const symbol = 1_000 + second * 256 + third
      if (symbol !== last) hash = mix(hash, symbol)
      last = symbol
      at += 3
      continue
    }
    if (kind !== silent && byte !== 0x2e && byte !== 0x2d && byte !== last) {
      hash = mix(hash, byte)
      last = byte
      if (byte !== 0x3a && byte !== 0x3d && byte !== 0x22) afterLevel = false
    }
    at++
  }
  shape.hash = hash
}
