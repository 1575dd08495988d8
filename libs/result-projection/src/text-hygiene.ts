/**
 * Turns what a process printed into lines that are safe to read and to print.
 *
 * Owns: escape sequences (removed), overwritten frames of a line (the last one with text stays, the others are counted),
 * CRLF, other control characters (`\xNN`), the count of NUL and replacement characters.
 * Never owns: which lines are shown.
 * Limits: streaming; the same text gives the same lines however it is cut; memory does not grow with a line's length.
 * Source: ECMA-48 for control functions; string controls end with BEL or ST.
 */
import { BoundedLine, type KeptLine } from "./bounded-line.ts"

const special = /[\u0000-\u0008\u000a-\u001f\u007f-\u009f\ufffd]/g
const escape = 0x1b
const lineFeed = 0x0a
const carriageReturn = 0x0d
const replacement = 0xfffd
/** Longest escape sequence that is still taken for one, and what is kept of a string control. */
const sequenceUnits = 1_024

type State = "text" | "escape" | "control" | "string" | "string-escape"

export interface HygieneCounts {
  readonly nulCharacters: number
  readonly replacementCharacters: number
}

export interface LineCleaner {
  readonly push: (text: string) => void
  /** Emits an unfinished last line. Call once. */
  readonly end: () => HygieneCounts
}

const visibleControl = (code: number): string => `\\x${code.toString(16).padStart(2, "0")}`

/** Control characters except tab as `\xNN`. */
export const visibleControls = (text: string): string =>
  text.replace(/[\u0000-\u0008\u000a-\u001f\u007f-\u009f]/g, (character) => visibleControl(character.charCodeAt(0)))

const isStringIntroducer = (code: number) =>
  code === 0x90 || code === 0x98 || code === 0x9d || code === 0x9e || code === 0x9f

/** Column 1, erased line, erased screen, cursor home: what follows replaces what stood there. */
const startsLineAnew = (sequence: string): boolean => /^(?:\u001b\[|\u009b)(?:[01]?G|2K|[23]J|(?:1;1)?[Hf])$/.test(sequence)

const framesNote = (frames: number): string => ` [${frames} overwritten ${frames === 1 ? "frame" : "frames"} not shown]`

export const makeLineCleaner = (onLine: (line: KeptLine) => void): LineCleaner => {
  let state: State = "text"
  let sequence = ""
  let swallowed = 0
  let line = new BoundedLine()
  let earlierFrame: BoundedLine | undefined
  let overwritten = 0
  let returned = false
  let begun = false
  let nulCharacters = 0
  let replacementCharacters = 0

  const startFrame = () => {
    returned = false
    if (line.hasInk) {
      earlierFrame = line
      overwritten++
    }
    line = new BoundedLine()
  }

  const append = (piece: string) => {
    if (returned) startFrame()
    line.append(piece)
  }

  const endLine = () => {
    const shown = line.hasInk || earlierFrame === undefined ? line : earlierFrame
    const frames = shown === line ? overwritten : overwritten - 1
    if (frames > 0) shown.append(framesNote(frames))
    onLine(shown.kept())
    line = new BoundedLine()
    earlierFrame = undefined
    overwritten = 0
    returned = false
    begun = false
  }

  const leaveSequence = () => {
    state = "text"
    sequence = ""
    swallowed = 0
  }

  const showSequence = () => {
    const shown = visibleControls(sequence) + (swallowed > 0 ? ` [${swallowed} characters not shown]` : "")
    leaveSequence()
    append(shown)
  }

  const endControl = () => {
    if (startsLineAnew(sequence)) startFrame()
    leaveSequence()
  }

  const enter = (next: State, character: string) => {
    state = next
    sequence += character
  }

  const control = (code: number) => {
    if (code === lineFeed) endLine()
    else if (code === carriageReturn) returned = true
    else if (code === replacement) {
      replacementCharacters++
      append("\ufffd")
    } else if (code === escape) enter("escape", "\u001b")
    else if (code === 0x9b) enter("control", "\u009b")
    else if (isStringIntroducer(code)) enter("string", String.fromCharCode(code))
    else {
      if (code === 0) nulCharacters++
      append(visibleControl(code))
    }
  }

  const afterEscape = (code: number, character: string): boolean => {
    if (code === 0x5b) enter("control", character)
    else if (code === 0x5d || code === 0x50 || code === 0x58 || code === 0x5e || code === 0x5f) enter("string", character)
    else if (code >= 0x20 && code <= 0x2f && sequence.length < sequenceUnits) sequence += character
    else if (code >= 0x30 && code <= 0x7e) leaveSequence()
    else return false
    return true
  }

  const inControl = (code: number, character: string): boolean => {
    if (code < 0x20 || code > 0x7e || sequence.length >= sequenceUnits) return false
    sequence += character
    if (code >= 0x40) endControl()
    return true
  }

  const inString = (code: number, character: string): boolean => {
    if (code === 0x07 || code === 0x9c) leaveSequence()
    else if (code === escape) state = "string-escape"
    else if (code === lineFeed || code === 0x18 || code === 0x1a) return false
    else if (sequence.length < sequenceUnits) sequence += character
    else swallowed++
    return true
  }

  /** False: the sequence is none, and the character is still to be read as text. */
  const continueSequence = (code: number, character: string): boolean => {
    switch (state) {
      case "escape":
        return afterEscape(code, character)
      case "control":
        return inControl(code, character)
      case "string":
        return inString(code, character)
      case "string-escape":
        if (code !== 0x5c) return false
        leaveSequence()
        return true
      case "text":
        return false
    }
  }

  const abandonSequence = () => {
    const beginsAnother = state === "string-escape"
    showSequence()
    if (beginsAnother) enter("escape", "\u001b")
  }

  const push = (text: string) => {
    let at = 0
    while (at < text.length) {
      if (state !== "text") {
        begun = true
        if (continueSequence(text.charCodeAt(at), text.charAt(at))) at++
        else abandonSequence()
        continue
      }
      special.lastIndex = at
      const stop = special.test(text) ? special.lastIndex - 1 : text.length
      if (stop > at) {
        append(text.slice(at, stop))
        begun = true
      }
      if (stop < text.length) {
        begun = true
        control(text.charCodeAt(stop))
      }
      at = stop + 1
    }
  }

  return {
    push,
    end: () => {
      while (state !== "text") abandonSequence()
      if (begun) endLine()
      return { nulCharacters, replacementCharacters }
    }
  }
}
