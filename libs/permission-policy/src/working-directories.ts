/**
 * Where a command of a line may run.
 *
 * Owns: the set of directories that `cd` and its like may lead to.
 * Limits: a superset: a directory once reached stays possible; more than 16, or one that is not literal, and nothing is known.
 */
import { normalize } from "node:path"
import type { SimpleCommand } from "./shell-reading.ts"
import type { ShellWord, WordPath } from "./shell-word.ts"
import { programName } from "./wrapper-commands.ts"

/** Absolute directories; undefined when a command may run anywhere. */
export type Directories = ReadonlyArray<string> | undefined

const maximumDirectories = 16

/** Absolute texts of a path, one per directory; undefined when one is not known. */
export const absoluteTexts = (path: WordPath, text: string, directories: Directories, userHome: string): ReadonlyArray<string> | undefined => {
  if (path.base === "home") return [`${userHome}/${text}`]
  if (text.startsWith("/")) return [text]
  return directories?.map((directory) => `${directory}/${text}`)
}

const changers = new Set(["cd", "pushd", "chdir"])

const targetOf = (words: ReadonlyArray<ShellWord>): ShellWord | undefined =>
  words.slice(1).find(({ literal }) => literal === undefined || literal === "-" || !/^(?:--|-[LPe@n]+)$/.test(literal))

/** Directories after a command that may change them. */
const changed = (command: SimpleCommand, before: Directories, userHome: string): Directories => {
  const [word] = command.words
  if (before === undefined || word === undefined || !changers.has(programName(word) ?? "")) return before
  const target = targetOf(command.words)
  if (target === undefined) return command.words[0]?.literal === "pushd" ? undefined : union(before, [userHome])
  const { path } = target
  if (path?.text === undefined || /^[-+]/.test(target.literal ?? "")) return undefined
  if (command.repeated && path.base === "cwd" && !path.text.startsWith("/")) return undefined
  const reached = absoluteTexts(path, path.text, before, userHome)
  return reached === undefined ? undefined : union(before, reached.flatMap((one) => [one, normalize(one)]))
}

const union = (one: ReadonlyArray<string>, other: ReadonlyArray<string>): Directories => {
  const all = [...new Set([...one, ...other])]
  return all.length > maximumDirectories ? undefined : all
}

/** For each command of a line the directories it may run in. */
export const directoriesOf = (commands: ReadonlyArray<SimpleCommand>, start: string, userHome: string): ReadonlyArray<Directories> => {
  const initial: Directories = [start]
  let directories = commands.filter(({ repeated }) => repeated).reduce<Directories>((before, command) => changed(command, before, userHome), initial)
  return commands.map((command) => {
    const here = directories
    directories = changed(command, directories, userHome)
    return here
  })
}
