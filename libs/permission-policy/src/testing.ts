/** The decision on facts that a test states: paths are what they seem, files are not read. */
import type { PolicyRule } from "@steno/contracts"
import type { CallToJudge } from "./call-units.ts"
import { decideCall, type PolicyDecision, prepareCall } from "./decide-call.ts"
import type { PolicyPlace } from "./guardrails.ts"
import type { PathFact } from "./path-facts.ts"
import { type LayerRules, policyLayers } from "./policy-layers.ts"
import { posix } from "node:path"

export const testPlace: PolicyPlace = {
  workspace: "/home/me/ws",
  stenoHome: "/home/me/.local/share/steno",
  userHome: "/home/me",
  ownFiles: ["/home/me/.local/share/steno/data/conversations/conv_1"]
}

export interface TestFacts {
  /** Path to where it leads, for links. */
  readonly links?: Readonly<Record<string, string>>
  readonly devices?: ReadonlyArray<string>
}

const factOf = (path: string, { devices = [], links = {} }: TestFacts): PathFact => {
  const plain = posix.normalize(path).replace(/(?<=.)\/$/, "")
  const link = Object.entries(links).find(([from]) => plain === from || plain.startsWith(`${from}/`))
  const real = link === undefined ? plain : link[1] + plain.slice(link[0].length)
  return { real, blockDevice: devices.includes(real) }
}

export const decideOn = (call: CallToJudge, layers: LayerRules = {}, facts: TestFacts = {}): PolicyDecision => {
  const prepared = prepareCall(call, testPlace)
  const resolved = new Map(prepared.paths.map((path) => [path, factOf(path, facts)]))
  return decideCall(prepared, resolved, policyLayers(layers, { workspace: testPlace.workspace, userHome: testPlace.userHome }))
}

/** A command that a model asks for. */
export const decideCommand = (command: string, rules: ReadonlyArray<PolicyRule> = [], facts: TestFacts = {}): PolicyDecision =>
  decideOn({ tool: "bash", risk: "execute", arguments: { command }, origin: "model" }, { user: rules }, facts)

/** A command that a person typed. */
export const decideTyped = (command: string, rules: ReadonlyArray<PolicyRule> = [], facts: TestFacts = {}): PolicyDecision =>
  decideOn({ tool: "bash", risk: "execute", arguments: { command }, origin: "user" }, { user: rules }, facts)

export const allow = (command: string): PolicyRule => ({ effect: "allow", command })
export const ask = (command: string): PolicyRule => ({ effect: "ask", command })
export const deny = (command: string): PolicyRule => ({ effect: "deny", command })
