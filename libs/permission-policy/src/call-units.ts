/**
 * What a call of any tool does, unit by unit.
 *
 * Owns: which arguments of a call name paths, commands and hosts.
 * Never owns: a tool's schema and risk (tool-catalog): `command` of a tool that executes is a shell command, `env` its variables,
 * `path` and `cwd` are paths, `url` names a host.
 */
import type { ToolRisk } from "@steno/contracts"
import { Predicate } from "effect"
import { hostOfUrl } from "./command-hosts.ts"
import { type CommandUnits, commandUnits } from "./command-units.ts"
import type { PolicyPlace } from "./guardrails.ts"
import type { JudgedUnit } from "./judged-unit.ts"

/** Who asked: a model, a person by a direct command, an outside agent by its client. */
export type JudgedOrigin = "model" | "user" | "client"

export interface CallToJudge {
  /** Catalog name. */
  readonly tool: string
  readonly risk: ToolRisk
  readonly arguments: Readonly<Record<string, unknown>>
  readonly origin: JudgedOrigin
}

const textOf = (call: CallToJudge, name: string): string | undefined => {
  const value = call.arguments[name]
  return Predicate.isString(value) ? value : undefined
}

const absolute = (path: string, workspace: string): string => (path.startsWith("/") ? path : `${workspace}/${path}`)

const access = (risk: ToolRisk): "read" | "write" | "any" => (risk === "read" || risk === "write" ? risk : "any")

/** What `env` sets. */
const variablesOf = (call: CallToJudge): ReadonlyArray<readonly [name: string, value: string]> => {
  const environment = call.arguments["env"]
  return Predicate.isObject(environment) ? Object.entries(environment).map(([name, value]) => [name, String(value)]) : []
}

const quiet = { words: undefined, assignments: [], namesPaths: true, hosts: [], hidesHosts: false, removal: undefined } as const

/** Like `cd` in front: it steers, as long as it stays in the Workspace. */
const directoryUnit = ({ tool }: CallToJudge, cwd: string, directory: string): JudgedUnit => ({
  ...quiet,
  text: `cwd ${cwd}`,
  tools: [tool],
  risk: "execute",
  targets: [{ access: "read", path: directory, glob: "" }],
  neutral: "inside-workspace"
})

const toolUnit = (call: CallToJudge, { workspace }: PolicyPlace): JudgedUnit => {
  const path = textOf(call, "path") ?? (call.risk === "read" ? "" : undefined)
  const url = textOf(call, "url")
  const host = url === undefined ? undefined : hostOfUrl(url)
  return {
    ...quiet,
    text: path === undefined || path === "" ? call.tool : `${call.tool} ${path}`,
    tools: [call.tool],
    risk: call.risk,
    targets: path === undefined ? [] : [{ access: access(call.risk), path: absolute(path, workspace), glob: "" }],
    hosts: host === undefined ? [] : [host],
    hidesHosts: url !== undefined && host === undefined,
    neutral: "no"
  }
}

export const callUnits = (call: CallToJudge, place: PolicyPlace): CommandUnits => {
  const command = call.risk === "execute" ? textOf(call, "command") : undefined
  if (command === undefined) return { units: [toolUnit(call, place)], doubts: [] }
  const cwd = textOf(call, "cwd")
  const directory = cwd === undefined ? place.workspace : absolute(cwd, place.workspace)
  const found = commandUnits(call.tool, command, { directory, userHome: place.userHome, variables: variablesOf(call) })
  return { ...found, units: cwd === undefined ? found.units : [directoryUnit(call, cwd, directory), ...found.units] }
}
