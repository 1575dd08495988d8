/** The line that names a command: its first line that says something, at most 200 characters. */
import { clipCharacters } from "./clipped-text.ts"
import { visibleLines } from "./visible-lines.ts"

const commandCharacters = 200

export const originLine = (command: string): string => {
  const first = visibleLines(command).find((line) => line.trim() !== "") ?? ""
  return `Command: ${clipCharacters(first.trim(), commandCharacters)}`
}
