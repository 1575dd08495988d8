/** Words as a person would write them in a shell, so that it reads them back. Pure. */
import type { ShellWord } from "./shell-word.ts"

const plainWord = /^[A-Za-z0-9_@%+=:,./-]+$/
const reserved = new Set("if then else elif fi do done case esac while until for in function select coproc time".split(" "))

export const quotedWord = (text: string): string => (plainWord.test(text) && !reserved.has(text) ? text : `'${text.replaceAll("'", `'"'"'`)}'`)

/** An assignment of a literal value in front of a command. */
export const variableWord = (name: string, value: string): ShellWord =>
  ({ text: `${name}=${quotedWord(value)}`, literal: `${name}=${value}`, count: "one", path: undefined })
