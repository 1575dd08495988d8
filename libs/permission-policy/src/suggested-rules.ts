/**
 * Rules that a person may choose by "always allow".
 *
 * Owns: what is offered for a unit that asks: exactly it, then its program with its subcommand.
 * Limits: never a bare `*`; nothing for shells, wrappers and interpreters with code; nothing for words only the shell will know.
 */
import type { PolicyRule } from "@steno/contracts"
import { quotedWord } from "./quoted-word.ts"
import type { ResolvedUnit } from "./resolved-unit.ts"
import type { ShellWord } from "./shell-word.ts"
import { isShell, programName } from "./wrapper-commands.ts"
import { wrapperForms } from "./wrapper-options.ts"

const words = (text: string): ReadonlySet<string> => new Set(text.split(" "))

const interpreters = words("python python2 python3 node deno bun perl ruby php lua Rscript osascript awk gawk mawk sed tclsh")
const codeOption = /^(?:-[a-zA-Z]*[ceEpPr]|--eval|--print|--exec)/
const codePrograms = words("awk gawk mawk sed")

/** Programs whose second word says what they do. */
const subcommands = words(
  "git npm pnpm yarn cargo go docker podman kubectl helm terraform gh glab pip pip3 poetry uv dotnet nx brew apt apt-get dnf systemctl " +
  "rustup bundle gem composer flutter dart swift aws gcloud az make just task"
)
/** Second words that run whatever follows. */
const runners = words("exec x run dlx eval shell ssh tool daemon")
const runnersOf: Readonly<Record<string, ReadonlySet<string>>> = {
  npm: words("exec x explore"),
  pnpm: words("exec dlx"),
  yarn: words("exec dlx"),
  cargo: new Set(),
  make: new Set(),
  git: words("filter-branch bisect submodule difftool mergetool")
}
const subcommandForm = /^[a-z][a-z0-9:_-]*$/

const literalsOf = (all: ReadonlyArray<ShellWord>): ReadonlyArray<string> | undefined => {
  const texts = all.flatMap(({ literal }) => literal ?? [])
  return texts.length === all.length ? texts : undefined
}

const isOffered = (program: string, texts: ReadonlyArray<string>): boolean => {
  if (isShell(program) || wrapperForms.has(program) || program === "find" || program === "npx" || program === "bunx" || program === "ssh") return false
  if (codePrograms.has(program)) return false
  return !(interpreters.has(program) && texts.slice(1).some((text) => codeOption.test(text)))
}

const subcommandOf = (texts: ReadonlyArray<string | undefined>): string | undefined => {
  const [program, second, third] = texts
  if (program === undefined || second === undefined || !subcommands.has(program) || !subcommandForm.test(second)) return undefined
  if (second === "run" && ["npm", "pnpm", "yarn"].includes(program)) {
    return third !== undefined && subcommandForm.test(third) ? `${program} run ${third} *` : undefined
  }
  return (runnersOf[program] ?? runners).has(second) ? undefined : `${program} ${second} *`
}

const commandRules = (all: ReadonlyArray<ShellWord>, hasAssignments: boolean): ReadonlyArray<string> => {
  const [first] = all
  const program = first === undefined ? undefined : programName(first)
  const texts = literalsOf(all)
  if (program === undefined || !isOffered(program, all.flatMap(({ literal }) => literal ?? []))) return []
  const exact = texts === undefined || texts.some((text) => /[\0\n\r]/.test(text)) ? [] : [texts.map(quotedWord).join(" ")]
  const wide = hasAssignments ? undefined : subcommandOf(all.map(({ literal }) => literal))
  return wide === undefined ? exact : [...exact, wide]
}

const rulesOf = ({ hidesPaths, targets, unit }: ResolvedUnit): ReadonlyArray<PolicyRule> => {
  if (unit.words !== undefined) {
    const isAssignment = unit.assignments.length === 0 && unit.words.every(({ text }) => /^[A-Za-z_]\w*\+?=/.test(text))
    if (isAssignment) return []
    const prefix = literalsOf(unit.assignments)
    if (prefix === undefined) return []
    const inFront = prefix.map((text) => text.replace(/=([^]*)$/, (_, value: string) => `=${quotedWord(value)}`))
    return commandRules(unit.words, prefix.length > 0).map((command) => ({ effect: "allow", command: [...inFront, command].join(" ") }))
  }
  const tool = unit.tools.at(-1)
  if (tool === undefined || unit.risk === "execute") return []
  if (targets.length === 0 && unit.hosts.length === 0) return unit.hidesHosts ? [] : [{ effect: "allow", tool }]
  if (targets.length === 0) return unit.hosts.map((host) => ({ effect: "allow", tool, host }))
  const [target, ...others] = targets
  return hidesPaths || others.length > 0 || target?.exact !== true ? [] : [{ effect: "allow", tool, path: target.real }]
}

/** Without repetition, in the order of the units. */
export const suggestedRules = (asking: ReadonlyArray<ResolvedUnit>): ReadonlyArray<PolicyRule> => {
  const all = asking.flatMap(rulesOf)
  return [...new Map(all.map((rule) => [JSON.stringify(rule), rule])).values()]
}
