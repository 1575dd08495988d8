/**
 * Replaces texts that stand in a file exactly once. Pure.
 *
 * Owns: what counts as a match, which line breaks a replacement gets.
 * Limits: works on the bytes of the file, one character each (latin1), so that bytes outside of a match stay as they are, also
 * those that are no UTF-8. Where an edit has no CR of its own, its line breaks fit LF and CRLF alike.
 */
import { Result } from "effect"

export interface TextEdit {
  readonly oldText: string
  readonly newText: string
}

export interface EditFault {
  /** Which edit, from 0. */
  readonly edit: number
  readonly matches: number
  /** 1-based lines in the text as the earlier edits left it; at most the first five. */
  readonly lines: ReadonlyArray<number>
}

const listedLines = 5

const bytesOf = (text: string): string => Buffer.from(text, "utf8").toString("latin1")

/** The text with LF alone, and how to find a place of it in the text as it is. */
interface Unified {
  readonly text: string
  readonly origin: (at: number) => number
}

const asItIs = (text: string): Unified => ({ text, origin: (at) => at })

const withLineFeeds = (text: string): Unified => {
  if (!text.includes("\r\n")) return asItIs(text)
  const breaks: Array<number> = []
  const lines = text.split("\r\n")
  let at = 0
  for (const line of lines.slice(0, -1)) {
    breaks.push(at + line.length)
    at += line.length + 1
  }
  return {
    text: lines.join("\n"),
    origin: (place) => {
      let [low, high] = [0, breaks.length]
      while (low < high) {
        const middle = (low + high) >> 1
        if ((breaks[middle] ?? 0) < place) low = middle + 1
        else high = middle
      }
      return place + low
    }
  }
}

const placesOf = (text: string, wanted: string): ReadonlyArray<number> => {
  const places: Array<number> = []
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + 1)) places.push(at)
  return places
}

const countOf = (text: string, wanted: string): number => text.split(wanted).length - 1

const lineBreakOf = (matched: string, text: string): string => {
  const from = matched.includes("\n") ? matched : text
  const withReturn = countOf(from, "\r\n")
  return withReturn * 2 > countOf(from, "\n") ? "\r\n" : "\n"
}

const lineOf = (text: string, place: number): number => countOf(text.slice(0, place), "\n") + 1

const applyOne = (text: string, { newText, oldText }: TextEdit, edit: number): Result.Result<string, EditFault> => {
  const isVerbatim = oldText.includes("\r")
  const wanted = bytesOf(oldText)
  const unified = isVerbatim ? asItIs(text) : withLineFeeds(text)
  const places = placesOf(unified.text, wanted)
  const [place] = places
  const fault = (): EditFault => ({
    edit,
    matches: places.length,
    lines: places.slice(0, listedLines).map((one) => lineOf(unified.text, one))
  })
  if (place === undefined || places.length > 1) return Result.fail(fault())
  const [from, to] = [unified.origin(place), unified.origin(place + wanted.length)]
  const matched = text.slice(from, to)
  const added = isVerbatim || newText.includes("\r")
    ? bytesOf(newText)
    : bytesOf(newText).replaceAll("\n", lineBreakOf(matched, text))
  return added === matched ? Result.fail(fault()) : Result.succeed(text.slice(0, from) + added + text.slice(to))
}

/** In order, each on what the earlier ones left; all or none. `text` and the answer are bytes, one character each. */
export const applyEdits = (text: string, edits: ReadonlyArray<TextEdit>): Result.Result<string, EditFault> => {
  let edited = text
  for (const [at, edit] of edits.entries()) {
    const next = applyOne(edited, edit, at)
    if (Result.isFailure(next)) return next
    edited = next.success
  }
  return Result.succeed(edited)
}

/** 1-based line at which two texts begin to differ; undefined: nowhere. */
export const firstChangedLine = (before: string, after: string): number | undefined => {
  if (before === after) return undefined
  let at = 0
  let line = 1
  while (at < before.length && before.charCodeAt(at) === after.charCodeAt(at)) {
    if (before.charCodeAt(at) === 0x0a) line += 1
    at += 1
  }
  return line
}
