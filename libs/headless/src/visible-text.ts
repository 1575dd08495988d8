/**
 * Makes text that came from elsewhere safe to print on a terminal.
 *
 * Owns: removing escape sequences and showing what is left of control characters.
 * Never owns: how a result is shortened (result-projection).
 */

const escapeSequence = new RegExp(
  [
    "(?:\\u001b\\]|\\u009d)[^\\u0007\\u001b\\u009c\\n]*(?:\\u0007|\\u001b\\\\|\\u009c)",
    "(?:\\u001b[PX^_]|[\\u0090\\u0098\\u009e\\u009f])[^\\u001b\\u009c\\n]*(?:\\u001b\\\\|\\u009c)",
    "(?:\\u001b\\[|\\u009b)[0-?]*[ -/]*[@-~]",
    "\\u001b[ -/]*[0-~]"
  ].join("|"),
  "g"
)
const controlCharacter = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g

const asEscape = (character: string) => `\\x${character.charCodeAt(0).toString(16).padStart(2, "0")}`

const withoutControls = (text: string): string => text.replace(controlCharacter, asEscape).toWellFormed()

/**
 * For text that something was done with and that may have lines. Nothing is removed, so that what is read is what was meant.
 * Every control character except tab and newline reads `\xNN`; well-formed.
 */
export const visibleEscapes = (text: string): string => withoutControls(text.replaceAll("\r\n", "\n"))

/** For what stands on one line: a path, a reason, a name. As `visibleEscapes`, and a newline reads `\x0a`, so that no text makes a line of its own. */
export const visibleLine = (text: string): string => withoutControls(text).replaceAll("\n", asEscape)

/** For output: escape sequences are gone, what is left of control characters reads `\xNN`; well-formed. */
export const visibleOutput = (text: string): string => visibleEscapes(text.replace(escapeSequence, ""))

/** First line that says something, nothing of it removed, at most `characters` code points with an ellipsis when cut. */
export const firstVisibleLine = (text: string, characters: number): string => {
  const line = visibleEscapes(text.trimStart().split("\n", 1)[0] ?? "").trimEnd()
  const points = Array.from(line)
  return points.length <= characters ? line : `${points.slice(0, characters - 1).join("")}…`
}
