/**
 * Commands that run other commands, and those that evaluate text.
 *
 * Owns: finding the inner command or code of a wrapper; why a command can never be surely read.
 * Never owns: the shell's grammar (shell-reading), the judgement of what was found.
 */
import { lookupDoubt } from "./shell-doubts.ts"
import type { SimpleCommand } from "./shell-reading.ts"
import { type ShellWord, unknownWord } from "./shell-word.ts"
import { innerStart, type InnerStart, wrapperForms } from "./wrapper-options.ts"

export interface InnerCommands {
  /** Words of commands that it runs. */
  readonly commands: ReadonlyArray<ReadonlyArray<ShellWord>>
  /** Shell code that it runs. */
  readonly code: ReadonlyArray<string>
  /** Why it is never surely read. */
  readonly doubt: string | undefined
  /** It has no effect but that of what it runs. */
  readonly transparent: boolean
  /** What it runs may be in another directory. */
  readonly moves: boolean
}

const plain: InnerCommands = { commands: [], code: [], doubt: undefined, transparent: false, moves: false }
const doubtful = (doubt: string, more: Partial<InnerCommands> = {}): InnerCommands => ({ ...plain, doubt, ...more })

export const programName = (word: ShellWord): string | undefined => word.literal?.slice(word.literal.lastIndexOf("/") + 1)

/** Shells whose grammar is read here. */
const readShells = new Set(["bash", "sh", "dash", "ash"])
const otherShells = new Set(["zsh", "ksh", "mksh", "fish", "csh", "tcsh", "pwsh", "nu", "rbash"])
export const isShell = (name: string): boolean => readShells.has(name) || otherShells.has(name)

const evaluators = new Set([
  "eval", "source", ".", "trap", "alias", "unalias", "let", "enable", "hash", "bind", "complete", "compgen", "fc",
  "mapfile", "readarray", "shopt", "parallel", "su", "script", "watch", "runuser"
])
const remotes = new Set(["ssh", "mosh", "rsh"])
const namingBuiltins = new Set(["read", "unset", "export", "declare", "typeset", "local", "readonly", "getopts"])

const literals = (words: ReadonlyArray<ShellWord>): ReadonlyArray<string> | undefined => {
  const texts = words.flatMap(({ literal }) => literal ?? [])
  return texts.length === words.length ? texts : undefined
}

/** Literal text that an evaluator may run; judged as well, though the line is not allowed for it. */
const evaluatedCode = (name: string, words: ReadonlyArray<ShellWord>): ReadonlyArray<string> => {
  const texts = literals(words.slice(1))
  if (texts === undefined) return words.slice(1).flatMap(({ literal }) => literal ?? [])
  if (name === "eval" || name === "watch" || name === "parallel") return [texts.join(" "), ...texts]
  return texts
}

/** `bash -c CODE`, `bash < text`, `bash FILE`. */
const shellCode = (words: ReadonlyArray<ShellWord>, { input }: SimpleCommand): InnerCommands => {
  let index = 1
  for (; index < words.length; index++) {
    const option = words[index]?.literal
    if (option === undefined) return doubtful("the shell's options are not known")
    if (/^-[abefhilmnprtuvx]*c[abefhilmnprtuvx]*$/.test(option)) {
      const code = words[index + 1]
      if (code === undefined) return plain
      return code.literal === undefined || code.literal.startsWith("-")
        ? doubtful("the code it is given is not literal")
        : { ...plain, code: [code.literal], transparent: true }
    }
    if (/^[+-]o$/.test(option)) index++
    else if (!/^(?:[+-][abefhlmnpsuvx]+|--(?:login|norc|noprofile|posix))$/.test(option)) break
  }
  const operand = words[index]
  const readsInput = operand === undefined || words.slice(1, index).some(({ literal }) => /^-\w*s/.test(literal ?? ""))
  if (operand?.literal?.startsWith("-") === true) return doubtful("the shell's options are not known")
  if (!readsInput) return operand.literal === undefined ? doubtful("the script it runs is not known") : plain
  if (input.kind === "text") return { ...plain, code: [input.text], transparent: true }
  return doubtful("the shell runs what it reads from its input")
}

const nameOf = (word: ShellWord): string | undefined =>
  /^([A-Za-z_][A-Za-z0-9_]*)\+?=/.exec(word.text)?.[1] ?? /^([A-Za-z_][A-Za-z0-9_]*)(?:\+?=[^]*)?$/.exec(word.literal ?? "")?.[1]

/** Builtins that take the names of variables: a name may hide a lookup, or text that is evaluated. */
const namingDoubt = (name: string, words: ReadonlyArray<ShellWord>): string | undefined => {
  for (const word of words.slice(1)) {
    if (word.literal?.startsWith("-") === true) {
      if (name !== "read" && /^-\w*[in]/.test(word.literal) && name !== "export") return "the shell would evaluate text that is not known"
      continue
    }
    const variable = nameOf(word)
    const doubt = variable === undefined ? undefined : lookupDoubt(variable)
    if (doubt !== undefined) return doubt
    if (variable === undefined && (word.literal === undefined || word.literal.includes("["))) return "it names a variable that is not known"
  }
  return undefined
}

const hidesCode = (word: ShellWord): boolean => word.literal !== undefined && /\$\(|`|\$\{/.test(word.literal)

const builtinDoubt = (name: string, words: ReadonlyArray<ShellWord>): string | undefined => {
  if (namingBuiltins.has(name)) return namingDoubt(name, words)
  if (name === "printf") {
    const first = words[1]
    return first?.literal === undefined || first.literal.startsWith("-v") ? first && "it may set a variable that is not known" : undefined
  }
  if (name === "test" || name === "[") {
    return words.some(({ literal }) => literal === "-v" || literal === "-R") || words.some(hidesCode)
      ? "the shell would evaluate text that is not known"
      : undefined
  }
  return undefined
}

const execOptions = new Set(["-exec", "-execdir", "-ok", "-okdir"])
const findValues = new Set([
  "-name", "-iname", "-path", "-ipath", "-wholename", "-regex", "-iregex", "-newer", "-type", "-user", "-group", "-size", "-mtime",
  "-mmin", "-perm", "-maxdepth", "-mindepth", "-printf", "-lname", "-samefile"
])

const findCommands = (words: ReadonlyArray<ShellWord>): InnerCommands => {
  const commands: Array<ReadonlyArray<ShellWord>> = []
  for (let index = 1; index < words.length; index++) {
    const word = words[index]
    if (word?.path === undefined && !findValues.has(words[index - 1]?.literal ?? "")) return doubtful("what find does is not known", { commands })
    if (!execOptions.has(word?.literal ?? "")) continue
    const end = words.findIndex(({ literal }, at) => at > index && (literal === ";" || (literal === "+" && words[at - 1]?.literal === "{}")))
    if (end < 0) return doubtful("its inner command has no end", { commands })
    const many = words[end]?.literal === "+"
    commands.push(words.slice(index + 1, end).map((inner) =>
      inner.text.includes("{}") ? unknownWord(inner.text, many ? "many" : "one") : inner
    ))
    index = end
  }
  return { ...plain, commands }
}

/** xargs appends what it reads, or puts it where the replaced text stands. */
const xargsWords = (inner: ReadonlyArray<ShellWord>, { options }: InnerStart): ReadonlyArray<ShellWord> => {
  const replaced = options.find(({ name }) => name === "-I" || name === "--replace")?.value
  return replaced === undefined || replaced === ""
    ? [...inner, unknownWord("…", "many")]
    : inner.map((word) => (word.text.includes(replaced) || word.literal?.includes(replaced) === true ? unknownWord(word.text, "one") : word))
}

const wrapped = (name: string, words: ReadonlyArray<ShellWord>): InnerCommands => {
  const wrapper = wrapperForms.get(name)
  if (wrapper === undefined) return plain
  if (name === "command" && /^-\w*[vV]/.test(words[1]?.literal ?? "")) return { ...plain, transparent: true }
  const start = innerStart(words, wrapper)
  if (start === undefined) return doubtful(`what ${name} runs is not known`, { code: words.slice(1).flatMap(({ literal }) => literal ?? []) })
  const names = start.assignments.flatMap((word) => nameOf(word) ?? [])
  const doubt = names.map(lookupDoubt).find((reason) => reason !== undefined)
  const inner = words.slice(start.index)
  const moves = wrapper.moves?.some((option) => start.options.some((given) => given.name === option)) === true
  if (inner.length === 0) return { ...plain, doubt, transparent: name === "exec" && doubt === undefined }
  const run = name === "xargs" ? xargsWords(inner, start) : inner
  return { ...plain, commands: [run], doubt, moves, transparent: wrapper.transparent && start.assignments.length === 0 }
}

/** What a simple command runs besides itself. `command.words` is not empty. */
export const innerCommands = (command: SimpleCommand): InnerCommands => {
  const { words } = command
  const [word] = words
  const name = word === undefined ? undefined : programName(word)
  if (name === undefined) return doubtful("the command word is not known")
  if (evaluators.has(name)) return doubtful(`${name} runs text as a command`, { code: evaluatedCode(name, words) })
  if (remotes.has(name)) return doubtful("it runs on another machine", { code: words.slice(1).flatMap(({ literal }) => literal ?? []) })
  if (readShells.has(name)) return shellCode(words, command)
  if (otherShells.has(name)) {
    const runsCode = words.slice(1).some(({ literal }) => literal === undefined || literal.startsWith("-")) || words.length === 1
    return runsCode ? doubtful(`${name} is read by other rules than these`) : plain
  }
  if (name === "find") return findCommands(words)
  const doubt = builtinDoubt(name, words)
  return doubt === undefined ? wrapped(name, words) : doubtful(doubt)
}
