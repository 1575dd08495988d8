/**
 * A text that somebody is shown, and whether a line of an output can be read in it.
 *
 * Owns: what counts as a line that is shown.
 * Limits: a line may stand inside a longer one (after its number, say), but never as a part of a longer word.
 */

const systemCommand = /\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)/g
const movement = /\x1b\[[0-9;]*[ABCDEFGHJKdf]/g
const otherSequence = /\x1b[\[(][0-9;?]*[ -/]*[@-~]/g
const shortSequence = /\x1b[=>78]/g

/** Without escape sequences; one that moves the cursor or erases ends a line, as a carriage return does. */
export const visibleText = (text: string): string =>
  text.replace(systemCommand, "").replace(movement, "\r").replace(otherSequence, "").replace(shortSequence, "")

const linesOf = (text: string): ReadonlyArray<string> =>
  visibleText(text).split(/[\r\n]+/).map((line) => line.trim()).filter((line) => line !== "")

const wordCharacter = /^[\p{L}\p{N}_]$/u
const isOfWord = (character: string | undefined): boolean => character !== undefined && wordCharacter.test(character)

const characterBefore = (text: string, at: number): string | undefined => {
  const last = text[at - 1]
  return last !== undefined && /[\udc00-\udfff]/.test(last) && at > 1 ? text.slice(at - 2, at) : last
}

export class ShownText {
  readonly text: string
  readonly bytes: number
  readonly lineCount: number
  /** Those that are not blank, trimmed. */
  readonly lines: ReadonlyArray<string>
  readonly #whole: ReadonlySet<string>
  readonly #joined: string

  constructor(text: string) {
    this.text = text
    this.bytes = Buffer.byteLength(text)
    this.lineCount = text === "" ? 0 : text.split("\n").length - (text.endsWith("\n") ? 1 : 0)
    this.lines = linesOf(text)
    this.#whole = new Set(this.lines)
    this.#joined = this.lines.join("\n")
  }

  /** Whether `line` can be read; a fragment may begin and end inside of words. */
  holds(line: string, fragment = false): boolean {
    if (this.#whole.has(line)) return true
    for (let at = this.#joined.indexOf(line); at !== -1; at = this.#joined.indexOf(line, at + 1)) {
      if (fragment || this.#standsAlone(line, at)) return true
    }
    return false
  }

  #standsAlone(line: string, at: number): boolean {
    const continuesWord = isOfWord(line[0]) && isOfWord(characterBefore(this.#joined, at))
    return !continuesWord && !isOfWord(this.#joined[at + line.length])
  }
}
