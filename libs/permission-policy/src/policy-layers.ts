/**
 * The layers of rules, nearest first.
 *
 * Owns: their order, their digest, what an invalid file does to all of them.
 * Never owns: where the rules are kept (policy-files).
 */
import type { PolicyLayerName, PolicyRule } from "@steno/contracts"
import { Result } from "effect"
import { createHash } from "node:crypto"
import { type CompiledRule, compileRule, type RulePlace } from "./policy-rules.ts"

/** Why a policy file is invalid, and where. */
export interface PolicyFault {
  readonly path: string
  /** `line 3, column 7`, `rules[2].effect`, or `file`. */
  readonly position: string
  readonly explanation: string
}

export interface PolicyLayer {
  readonly name: Extract<PolicyLayerName, "session" | "workspace" | "user">
  readonly rules: ReadonlyArray<CompiledRule>
}

export interface PolicyLayers {
  /** Nearest first: session, workspace, user. */
  readonly layers: ReadonlyArray<PolicyLayer>
  /** Present: no rule allows, because rules that deny are not known. */
  readonly fault: PolicyFault | undefined
  /** Of every rule in force and of the fault. */
  readonly digest: string
}

export interface LayerRules {
  readonly session?: ReadonlyArray<PolicyRule>
  /** Only while its file is confirmed. */
  readonly workspace?: ReadonlyArray<PolicyRule>
  readonly user?: ReadonlyArray<PolicyRule>
  readonly fault?: PolicyFault
}

/** Digest of text: `sha256:` and 64 hexadecimal digits. */
export const digestOf = (text: string | Uint8Array): string => `sha256:${createHash("sha256").update(text).digest("hex")}`

/** Where a rule of a list cannot be read, as `rules[2].command`. */
export const compileRules = (
  rules: ReadonlyArray<PolicyRule>,
  place: RulePlace
): Result.Result<ReadonlyArray<CompiledRule>, Omit<PolicyFault, "path">> => {
  const compiled: Array<CompiledRule> = []
  for (const [index, rule] of rules.entries()) {
    const one = compileRule(rule, place)
    if (Result.isFailure(one)) return Result.fail({ position: `rules[${index}].${one.failure.key}`, explanation: one.failure.explanation })
    compiled.push(one.success)
  }
  return Result.succeed(compiled)
}

/** A rule that cannot be read makes its layer's fault; the rules of the others stay known, so that they still deny. */
export const policyLayers = (given: LayerRules, place: RulePlace): PolicyLayers => {
  let fault = given.fault
  const layers = (["session", "workspace", "user"] as const).map((name): PolicyLayer => {
    const rules = compileRules(given[name] ?? [], place)
    if (Result.isSuccess(rules)) return { name, rules: rules.success }
    fault ??= { path: name, ...rules.failure }
    return { name, rules: [] }
  })
  const digest = digestOf(JSON.stringify({ layers: layers.map(({ name, rules }) => [name, rules.map(({ rule }) => rule)]), fault }))
  return { layers, fault, digest }
}
