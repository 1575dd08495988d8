/**
 * Lines of a text that something was done with: a command, a reason.
 *
 * Limits: nothing is removed or overwritten, so that what is read is what was meant; control characters except tab read `\xNN`; well-formed.
 */
import { visibleControls } from "./text-hygiene.ts"

/** One newline at the end adds no line. */
export const visibleLines = (text: string): ReadonlyArray<string> => {
  const lines = text.toWellFormed().replaceAll("\r\n", "\n").split("\n")
  return (lines.at(-1) === "" ? lines.slice(0, -1) : lines).map(visibleControls)
}
