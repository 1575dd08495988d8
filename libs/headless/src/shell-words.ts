/**
 * A command line that a person can copy into a shell.
 *
 * Owns: quoting for bash and zsh; what a terminal would act on or hide stands there as an escape that the shell reads back.
 */

const plain = /^[\w@%+=:,./-]+$/
const unseen = /[\0-\u001f\u007f-\u009f]|(?! )[\p{Cf}\p{Zs}\p{Zl}\p{Zp}\p{Cs}\u115f\u1160\u3164\uffa0]/u

const bytesOf = (character: string): string =>
  Array.from(new TextEncoder().encode(character), (byte) => `\\x${byte.toString(16).padStart(2, "0")}`).join("")

const escaped = (text: string): string =>
  Array.from(text, (character) => unseen.test(character) ? bytesOf(character) : character.replace(/['\\]/, "\\$&")).join("")

const shellWord = (text: string): string =>
  plain.test(text) ? text : unseen.test(text) ? `$'${escaped(text)}'` : `'${text.replaceAll("'", `'\\''`)}'`

/** One line. */
export const shellLine = (words: ReadonlyArray<string>): string => words.map(shellWord).join(" ")
