/**
 * What a command line does, unit by unit: each simple command, what it runs in turn, each redirection into a file.
 *
 * Owns: walking from a line through wrappers and code to units; which units are neutral.
 * Never owns: the decision (decide-call).
 * Limits: code inside code is followed eight levels deep, and at most 500 units are judged; more is a doubt.
 */
import { accessOf, operandsOf, reachesHosts, recursiveRemoval } from "./program-effects.ts"
import { hostsOf } from "./command-hosts.ts"
import type { JudgedUnit, Target } from "./judged-unit.ts"
import { type Doubt, type FileRedirection, readShell, type SimpleCommand } from "./shell-reading.ts"
import { variableWord } from "./quoted-word.ts"
import { lookupDoubt } from "./shell-doubts.ts"
import { escapeGlob, type ShellWord, type WordPath } from "./shell-word.ts"
import { absoluteTexts, type Directories, directoriesOf } from "./working-directories.ts"
import { innerCommands, programName } from "./wrapper-commands.ts"

export interface CommandPlace {
  /** Absolute directory the command starts in. */
  readonly directory: string
  /** The person's home directory. */
  readonly userHome: string
  /** Set for the whole line, by name and value: judged as if they stood in front of each command. */
  readonly variables?: ReadonlyArray<readonly [name: string, value: string]>
}

export interface CommandUnits {
  readonly units: ReadonlyArray<JudgedUnit>
  readonly doubts: ReadonlyArray<Doubt>
}

const maximumDepth = 8
const maximumUnits = 500
const longestPath = 4_096

const splitGlob = (glob: string): { readonly fixed: string; readonly rest: string } => {
  const segments = glob.split("/")
  const first = segments.findIndex((segment) => /[*?[]/.test(segment.replace(/\\./gs, "")))
  if (first < 0) return { fixed: glob, rest: "" }
  return { fixed: `${segments.slice(0, first).join("/")}/`, rest: segments.slice(first).join("/") }
}

const unescapeGlob = (glob: string): string => glob.replace(/\\(.)/gs, "$1")

const targetsOfPath = (path: WordPath | undefined, access: Target["access"], directories: Directories, userHome: string): ReadonlyArray<Target> => {
  const unknown: Target = { access, path: undefined, glob: "" }
  if (path === undefined) return [unknown]
  const { fixed, rest } = path.text === undefined ? splitGlob(path.glob) : { fixed: escapeGlob(path.text), rest: "" }
  const begins = fixed === "/" && !path.glob.startsWith("/") ? "" : unescapeGlob(fixed)
  const texts = absoluteTexts(path, begins, directories, userHome)
  return texts === undefined ? [unknown] : texts.map((text) => ({ access, path: text, glob: rest }))
}

/** The value behind `--option=` or `name=`, which may be a path as well. */
const valueOf = (word: ShellWord): WordPath | undefined => {
  const value = /^(?:--?)?[A-Za-z][\w-]*=([^]+)$/.exec(word.literal ?? "")?.[1]
  return value === undefined ? undefined : { base: "cwd", glob: escapeGlob(value), text: value }
}

const neutralNames = /^(?:[a-z_][a-z0-9_]*|CI|NODE_ENV|NO_COLOR|FORCE_COLOR|LANG|LC_[A-Z]+|TZ|DEBUG|RUST_LOG|RUST_BACKTRACE|PYTHONUNBUFFERED)$/
const meaningfulNames = /proxy$|^npm_|^pnpm_|^yarn_/
/** Whether a variable of this name changes nothing about what a program does that a rule would have to know. */
export const isNeutralName = (name: string): boolean => neutralNames.test(name) && !meaningfulNames.test(name)

const steering = new Set([":", "true", "false", "exit", "return", "break", "continue", "shift", "wait", "[", "test"])
const harmlessSet = /^(?:[-+][euxfvEC]+|[-+][euxfvEC]*o|pipefail|errexit|nounset|xtrace|noclobber|noglob)$/

const neutralityOf = (program: string, words: ReadonlyArray<ShellWord>, transparent: boolean): JudgedUnit["neutral"] => {
  if (transparent || (words[0]?.literal === program && steering.has(program))) return "yes"
  if (program === "cd" && words[0]?.literal === "cd") return "inside-workspace"
  if (program === "set") return words.slice(1).every(({ literal }) => harmlessSet.test(literal ?? "")) && words.length > 1 ? "yes" : "no"
  return "no"
}

const ignoredFiles = /^\/dev\/(?:null|zero|full|random|urandom|tty|std(?:in|out|err)|fd\/\d+)$/

class Units {
  readonly units: Array<JudgedUnit> = []
  readonly doubts: Array<Doubt> = []
  private readonly tool: string
  private readonly userHome: string
  private readonly variables: ReadonlyArray<ShellWord>

  constructor(tool: string, { userHome, variables = [] }: CommandPlace) {
    this.tool = tool
    this.userHome = userHome
    this.variables = variables.filter(([name]) => !isNeutralName(name)).map(([name, value]) => variableWord(name, value))
    for (const [name, value] of variables) {
      const reason = lookupDoubt(name)
      if (reason !== undefined) this.doubt(variableWord(name, value).text, reason)
    }
  }

  line(source: string, directories: Directories, depth: number): void {
    if (depth > maximumDepth) return this.doubt(source, "commands are nested too deeply")
    const { commands, doubts } = readShell(source)
    this.doubts.push(...doubts)
    const places = directories === undefined ? commands.map(() => undefined) : undefined
    const each = places ?? this.mergedDirectories(commands, directories ?? [])
    commands.forEach((command, index) => {
      if (this.units.length < maximumUnits) this.command(command, each[index], depth)
    })
    if (this.units.length >= maximumUnits && depth === 0) this.doubt(source.slice(0, 200), `it does more than ${maximumUnits} things`)
  }

  /** Each start leads to its own directories; a command may run in any of them. */
  private mergedDirectories(commands: ReadonlyArray<SimpleCommand>, starts: ReadonlyArray<string>): ReadonlyArray<Directories> {
    const lists = starts.map((start) => directoriesOf(commands, start, this.userHome))
    return commands.map((_, index) => {
      const all = lists.map((list) => list[index])
      return all.some((one) => one === undefined) ? undefined : [...new Set(all.flatMap((one) => one ?? []))]
    })
  }

  private doubt(text: string, reason: string): void {
    this.doubts.push({ text, reason })
  }

  private command(command: SimpleCommand, directories: Directories, depth: number): void {
    if (command.words.length > 0) this.program(command, directories, depth)
    else if (command.assignments.length > 0) this.assignments(command)
    for (const redirection of command.redirections) this.redirection(redirection, directories)
  }

  private program(command: SimpleCommand, directories: Directories, depth: number): void {
    const { text, words } = command
    const inner = innerCommands(command)
    if (inner.doubt !== undefined) this.doubt(text, inner.doubt)
    this.units.push(this.programUnit(command, directories, inner.transparent))
    if (depth >= maximumDepth && inner.commands.length + inner.code.length > 0) return this.doubt(text, "commands are nested too deeply")
    const within = inner.moves ? undefined : directories
    for (const innerWords of inner.commands) {
      const innerText = innerWords.map((word) => word.text).join(" ")
      this.program({ ...command, text: innerText, assignments: [], words: innerWords, redirections: [] }, within, depth + 1)
    }
    for (const code of inner.code) {
      if (code !== words[0]?.literal) this.line(code, within, depth + 1)
    }
  }

  private programUnit(command: SimpleCommand, directories: Directories, transparent: boolean): JudgedUnit {
    const { assignments, text, words } = command
    const [first] = words
    const program = first === undefined ? "" : programName(first) ?? ""
    const meaningful = [...this.variables, ...assignments.filter(({ name }) => !isNeutralName(name)).map(({ word }) => word)]
    const operands = new Set(operandsOf(words))
    const targets = words.slice(1).flatMap((word) => {
      const access = accessOf(program, words, word)
      if ((word.literal?.length ?? 0) > longestPath) return []
      const value = valueOf(word)
      const ofValue = value === undefined ? [] : targetsOfPath(value, program === "dd" ? (word.literal?.startsWith("of=") === true ? "write" : "read") : access, directories, this.userHome)
      return operands.has(word) ? [...targetsOfPath(word.path, access, directories, this.userHome), ...ofValue] : ofValue
    })
    const hosts = hostsOf(program, words)
    return {
      text: [...this.variables.map((variable) => variable.text), text].join(" "),
      tools: [this.tool],
      risk: "execute",
      words,
      assignments: meaningful,
      namesPaths: false,
      targets,
      hosts,
      hidesHosts: reachesHosts(program) && words.some(({ literal }) => literal === undefined),
      removal: this.removalOf(program, words, directories),
      neutral: meaningful.length > 0 ? "no" : neutralityOf(program, words, transparent)
    }
  }

  private removalOf(program: string, words: ReadonlyArray<ShellWord>, directories: Directories): JudgedUnit["removal"] {
    const removal = recursiveRemoval(program, words)
    if (removal === undefined) return undefined
    const here: WordPath = { base: "cwd", glob: ".", text: "." }
    const paths = program === "find" && removal.operands.length === 0 ? [here] : removal.operands.map(({ path }) => path)
    return { recursive: removal.recursive, targets: paths.flatMap((path) => targetsOfPath(path, "write", directories, this.userHome)) }
  }

  private assignments({ assignments, text }: SimpleCommand): void {
    const meaningful = assignments.filter(({ name }) => !isNeutralName(name)).map(({ word }) => word)
    this.units.push(this.plainUnit(text, {
      words: assignments.map(({ word }) => word),
      neutral: meaningful.length === 0 ? "yes" : "no"
    }))
  }

  private redirection({ access, target, text }: FileRedirection, directories: Directories): void {
    if (target.literal !== undefined && ignoredFiles.test(target.literal)) return
    const targets = targetsOfPath(target.path, access, directories, this.userHome)
    this.units.push(this.plainUnit(text, {
      tools: [this.tool, access],
      risk: access,
      namesPaths: true,
      targets: target.count === "many" ? targets.map((one) => ({ ...one, path: undefined, glob: "" })) : targets
    }))
  }

  private plainUnit(text: string, parts: Partial<JudgedUnit>): JudgedUnit {
    return {
      text,
      tools: [this.tool],
      risk: "execute",
      words: undefined,
      assignments: [],
      namesPaths: false,
      targets: [],
      hosts: [],
      hidesHosts: false,
      removal: undefined,
      neutral: "no",
      ...parts
    }
  }
}

/** @param tool the call's tool, `bash` for instance */
export const commandUnits = (tool: string, command: string, place: CommandPlace): CommandUnits => {
  const found = new Units(tool, place)
  found.line(command, [place.directory], 0)
  return { units: found.units, doubts: found.doubts }
}
