/**
 * The environment a command gets: the person's, as if typed into their own terminal.
 *
 * Owns: which variables are removed and set, and which PATH entries were put in front by npm, npx or Nx.
 * Never owns: where the person's environment comes from; whether a command may set its own variables (whoever starts it).
 *
 * Removed: `npm_*`, `NX_*` and what else those tools set for scripts, every `STENO_*` (keys, tokens, markers of an outer
 * call), `NODE_OPTIONS`, `FORCE_COLOR`, Node's own channel variables, `BASH_ENV` (a start file of the shell), `GPG_TTY`
 * (it names the terminal the command no longer has).
 * Set: pager, prompt and terminal variables, so that nothing waits for a key. A `GIT_SSH_COMMAND` or `GIT_SSH` of the
 * person stays theirs; ssh then still never asks, because it has no terminal and `SSH_ASKPASS_REQUIRE` is `never`.
 * `CI` is never invented.
 */
import type { CommandSpec, ProgramSpec } from "./process-host.ts"

export type Environment = Readonly<Record<string, string | undefined>>

const removedPrefixes = ["npm_", "NX_", "STENO_"]
const removedNames = new Set([
  "INIT_CWD",
  "FORCE_COLOR",
  "NODE_OPTIONS",
  "NODE_CHANNEL_FD",
  "NODE_CHANNEL_SERIALIZATION_MODE",
  "NODE_UNIQUE_ID",
  "BASH_ENV",
  "GPG_TTY"
])

const isRemoved = (name: string): boolean =>
  removedNames.has(name) || removedPrefixes.some((prefix) => name.startsWith(prefix))

const packageFolder = /(^|\/)node_modules\/\.bin\/?$/
const nodeGypFolder = /(^|\/)node-gyp-bin\/?$/
const packagedNodeFolder = /(^|\/)node_modules\/(node|node-bin-[^/]+|node-[a-z0-9]+-[a-z0-9]+)\/bin\/?$/

const folderOf = (path: string | undefined): string | undefined =>
  path === undefined || !path.includes("/") ? undefined : path.slice(0, path.lastIndexOf("/"))

/** `node` that npm or Nx ran on; Nx puts its folder between the package folders. */
const toolNodeFolder = (environment: Environment): string | undefined =>
  folderOf(environment["npm_node_execpath"] ?? environment["NODE"])

const startedByTool = (environment: Environment): boolean =>
  Object.keys(environment).some((name) => name.startsWith("npm_") || name.startsWith("NX_"))

/**
 * npm ends what it puts in front with its `node-gyp-bin`: tool folders up to the last of these go, whatever lies between
 * and looks like nobody's tool stays. Without one, the leading run of tool folders goes. Outside such a tool nothing goes.
 */
export const personsPath = (environment: Environment): string | undefined => {
  const path = environment["PATH"]
  if (path === undefined || !startedByTool(environment)) return path
  const entries = path.split(":")
  const nodeFolder = toolNodeFolder(environment)
  const isTool = (entry: string, index: number): boolean =>
    packageFolder.test(entry) || nodeGypFolder.test(entry) || packagedNodeFolder.test(entry) ||
    (entry === nodeFolder && index > 0 && packageFolder.test(entries[index - 1] ?? ""))
  const lastNpm = entries.findLastIndex((entry) => nodeGypFolder.test(entry))
  if (lastNpm >= 0) {
    return entries.filter((entry, index) => index > lastNpm || !isTool(entry, index)).join(":")
  }
  const first = entries.findIndex((entry, index) => !isTool(entry, index))
  return (first < 0 ? [] : entries.slice(first)).join(":")
}

/** Variables npm and Nx set beside their prefixed ones; equal values of the person cannot be told apart and mean the same. */
const setByTool = (environment: Environment, name: string): boolean =>
  (name === "NODE" && environment["NODE"] === environment["npm_node_execpath"]) ||
  (name === "COLOR" && environment["npm_execpath"] !== undefined) ||
  (name === "EDITOR" && environment["EDITOR"] === "vi" && environment["npm_execpath"] !== undefined) ||
  (name === "LERNA_PACKAGE_NAME" && environment["NX_TASK_TARGET_PROJECT"] !== undefined)

const personsEnvironment = (person: Environment): Record<string, string> => {
  const environment: Record<string, string> = {}
  for (const [name, value] of Object.entries(person)) {
    if (value !== undefined && !isRemoved(name) && !setByTool(person, name)) environment[name] = value
  }
  const path = personsPath(person)
  if (path !== undefined) environment["PATH"] = path
  return environment
}

/** For a program that is spoken to: it sets for its own commands what they need. */
export const programEnvironment = (
  person: Environment,
  program: Pick<ProgramSpec, "marker" | "cwd" | "variables">
): Record<string, string> => ({
  ...personsEnvironment(person),
  PWD: program.cwd,
  ...program.variables,
  [program.marker.name]: program.marker.value
})

export const commandEnvironment = (
  person: Environment,
  command: Pick<CommandSpec, "marker" | "cwd" | "variables">
): Record<string, string> => {
  const environment = personsEnvironment(person)
  environment["PWD"] = command.cwd
  environment["TERM"] = "dumb"
  environment["PAGER"] = "cat"
  environment["GIT_PAGER"] = "cat"
  environment["GIT_TERMINAL_PROMPT"] = "0"
  environment["SSH_ASKPASS_REQUIRE"] = "never"
  if (person["GIT_SSH_COMMAND"] === undefined && person["GIT_SSH"] === undefined) {
    environment["GIT_SSH_COMMAND"] = "ssh -oBatchMode=yes"
  }
  return { ...environment, ...command.variables, [command.marker.name]: command.marker.value }
}
