/**
 * Decides whether a call may begin. Pure, on facts that were resolved before.
 *
 * Owns: guardrails first, then a deny of any layer, then the nearest layer that says something; doubts never allow.
 * Never owns: resolving paths (path-facts), reading policy files (policy-files), carrying the decision out (tool-call-service).
 * Ordering: every unit of a call is judged; the strictest decision is that of the call, and the record names its unit.
 */
import type { PolicyLayerName, PolicyRule } from "@steno/contracts"
import { type CallToJudge, callUnits } from "./call-units.ts"
import type { CommandUnits } from "./command-units.ts"
import { guardOf, type PolicyPlace } from "./guardrails.ts"
import { relationTo } from "./path-glob.ts"
import type { PathFacts } from "./path-facts.ts"
import type { PolicyFault, PolicyLayer, PolicyLayers } from "./policy-layers.ts"
import { type CompiledRule, type Match, matchRule } from "./policy-rules.ts"
import { pathsOf, type ResolvedUnit, resolveUnit } from "./resolved-unit.ts"
import { suggestedRules } from "./suggested-rules.ts"

export type Decision = "allow" | "approval" | "deny"

export interface SegmentDecision {
  /** As written: a simple command, a redirection, a tool with its path. */
  readonly text: string
  readonly decision: Decision
  readonly layer: PolicyLayerName
  readonly rule?: PolicyRule
  readonly reason: string
}

export interface PolicyDecision {
  readonly decision: Decision
  readonly reason: string
  readonly layer: PolicyLayerName
  /** The rule that decided. */
  readonly rule?: PolicyRule
  /** The part of the call that decided; absent when all of it was allowed. */
  readonly segment?: string
  readonly segments: ReadonlyArray<SegmentDecision>
  /** Rules that would allow what asks now; empty unless the decision is `approval` and rules could help. */
  readonly suggestedRules: ReadonlyArray<PolicyRule>
  readonly policyDigest: string
  /** A policy file is invalid: `policy-invalid`. */
  readonly fault?: PolicyFault
}

/** A call taken apart; `paths` are to be resolved before it is decided. */
export interface PreparedCall {
  readonly call: CallToJudge
  readonly place: PolicyPlace
  readonly found: CommandUnits
  readonly paths: ReadonlyArray<string>
}

/** `place` holds real paths. */
export const prepareCall = (call: CallToJudge, place: PolicyPlace): PreparedCall => {
  const found = callUnits(call, place)
  return { call, place, found, paths: pathsOf(found.units) }
}

/** One unit's decision and whether a rule may change it. */
interface Verdict extends SegmentDecision {
  readonly resolved: ResolvedUnit
  /** Asks only because no rule says otherwise. */
  readonly open: boolean
}

interface Found {
  readonly layer: PolicyLayer
  readonly rule: PolicyRule
  readonly match: Match
}

const matching = (layers: ReadonlyArray<PolicyLayer>, resolved: ResolvedUnit, effect: PolicyRule["effect"]): ReadonlyArray<Found> =>
  layers.flatMap((layer) =>
    layer.rules
      .filter(({ rule }: CompiledRule) => rule.effect === effect)
      .map((compiled): Found => ({ layer, rule: compiled.rule, match: matchRule(compiled, resolved) }))
      .filter(({ match }) => match === "yes" || (match === "maybe" && effect !== "allow"))
  )

const by = (found: Found, decision: Decision, reason: string) =>
  ({ decision, layer: found.layer.name, rule: found.rule, reason: found.rule.reason ?? reason })

const isInside = (resolved: ResolvedUnit, folders: ReadonlyArray<string>): boolean =>
  !resolved.hidesPaths && resolved.targets.length > 0 &&
  resolved.targets.every(({ exact, real }) => exact && folders.some((folder) => ["same", "inside"].includes(relationTo(real, folder))))

const holdsSecrets = ({ targets }: ResolvedUnit, { stenoHome }: PolicyPlace): boolean =>
  targets.some(({ real }) => relationTo(real, `${stenoHome}/secrets`) === "above")

const isNeutral = (resolved: ResolvedUnit, { workspace }: PolicyPlace): boolean =>
  resolved.unit.neutral === "yes" || (resolved.unit.neutral === "inside-workspace" && isInside(resolved, [workspace]))

type Outcome = Omit<SegmentDecision, "text"> & { readonly open?: true }

const byDefault = (resolved: ResolvedUnit, place: PolicyPlace, fault: PolicyFault | undefined): Outcome => {
  const { unit } = resolved
  if (unit.risk === "none") return { decision: "allow", layer: "default", reason: "it has no effect" }
  if (fault !== undefined) return { decision: "approval", layer: "default", reason: `a policy file is invalid (${fault.position}): no rule allows` }
  if (unit.risk === "read" && isInside(resolved, [place.workspace, ...place.ownFiles]) && !holdsSecrets(resolved, place)) {
    return { decision: "allow", layer: "default", reason: "it reads in the Workspace" }
  }
  if (isNeutral(resolved, place)) return { decision: "allow", layer: "default", reason: "it only steers the shell" }
  return { decision: "approval", layer: "default", reason: `no rule allows it (risk: ${unit.risk})`, open: true }
}

const judgeUnit = (resolved: ResolvedUnit, { fault, layers }: PolicyLayers, place: PolicyPlace): Outcome => {
  const guard = guardOf(resolved, place)
  if (guard?.kind === "deny") return { decision: "deny", layer: "guardrails", reason: guard.reason }
  const denying = matching(layers, resolved, "deny")
  const denied = denying.find(({ match }) => match === "yes")
  if (denied !== undefined) return by(denied, "deny", "a rule denies it")
  if (guard !== undefined) return { decision: "approval", layer: "guardrails", reason: guard.reason }
  const [perhaps] = denying
  if (perhaps !== undefined) return by(perhaps, "approval", "a rule may deny it: its words are not all known")
  for (const layer of layers) {
    const [asking] = matching([layer], resolved, "ask")
    if (asking !== undefined) return by(asking, "approval", "a rule asks")
    const [allowing] = fault === undefined ? matching([layer], resolved, "allow") : []
    if (allowing !== undefined) return by(allowing, "allow", "a rule allows it")
  }
  return byDefault(resolved, place, fault)
}

/** A person typed it: nothing asks, and only what is surely refused is refused. */
const judgeDirect = (resolved: ResolvedUnit, { layers }: PolicyLayers, place: PolicyPlace): Outcome => {
  const guard = guardOf(resolved, place)
  if (guard?.kind === "deny") return { decision: "deny", layer: "guardrails", reason: guard.reason }
  const denied = matching(layers, resolved, "deny").find(({ match }) => match === "yes")
  return denied === undefined
    ? { decision: "allow", layer: "default", reason: "a person typed it" }
    : by(denied, "deny", "a rule denies it")
}

const segmentOf = ({ decision, layer, reason, rule, text }: Verdict): SegmentDecision =>
  ({ text, decision, layer, reason, ...(rule === undefined ? {} : { rule }) })

const strictest = (verdicts: ReadonlyArray<Verdict>): Verdict | undefined =>
  verdicts.find(({ decision }) => decision === "deny") ?? verdicts.find(({ decision }) => decision === "approval")

/** Steering alone is no reason to begin a call: then its first unit asks. */
const withoutSteeringAlone = (verdicts: ReadonlyArray<Verdict>, { place }: PreparedCall): ReadonlyArray<Verdict> => {
  const steers = (verdict: Verdict) => verdict.layer === "default" && verdict.resolved.unit.risk === "execute" && isNeutral(verdict.resolved, place)
  if (!verdicts.every(steers)) return verdicts
  return verdicts.map((verdict): Verdict => ({ ...verdict, decision: "approval", reason: "no rule allows it (risk: execute)", open: true }))
}

const allowed = (prepared: PreparedCall, verdicts: ReadonlyArray<Verdict>) => {
  const last = verdicts.at(-1)
  if (prepared.call.origin === "user") return { reason: "a person typed it", layer: "default" as const }
  return { reason: last?.reason ?? "it has no effect", layer: last?.layer ?? "default" as const, ...(last?.rule === undefined ? {} : { rule: last.rule }) }
}

const decideJudged = (prepared: PreparedCall, policy: PolicyLayers, verdicts: ReadonlyArray<Verdict>): PolicyDecision => {
  const segments = verdicts.map(segmentOf)
  const common = { segments, policyDigest: policy.digest, ...(policy.fault === undefined ? {} : { fault: policy.fault }) }
  const deciding = strictest(verdicts)
  const doubt = prepared.call.origin === "user" ? undefined : prepared.found.doubts[0]
  if (deciding?.decision !== "deny" && doubt !== undefined) {
    return { decision: "approval", reason: doubt.reason, layer: "default", segment: doubt.text, suggestedRules: [], ...common }
  }
  if (deciding === undefined) {
    return verdicts.length === 0 && prepared.call.origin !== "user"
      ? { decision: "approval", reason: "it holds no command", layer: "default", suggestedRules: [], ...common }
      : { decision: "allow", ...allowed(prepared, verdicts), suggestedRules: [], ...common }
  }
  const asking = deciding.decision === "approval" ? verdicts.filter(({ decision }) => decision === "approval") : []
  const canHelp = asking.every(({ open }) => open)
  const { text: segment, ...decided } = segmentOf(deciding)
  return {
    ...decided,
    segment,
    suggestedRules: canHelp ? suggestedRules(asking.map(({ resolved }) => resolved)) : [],
    ...common
  }
}

/** `facts` hold every path of the prepared call. */
export const decideCall = (prepared: PreparedCall, facts: PathFacts, policy: PolicyLayers): PolicyDecision => {
  const { call, found, place } = prepared
  if (call.origin === "user" && policy.fault !== undefined) {
    const { explanation, path, position } = policy.fault
    return {
      decision: "deny",
      reason: `the policy file ${path} is invalid (${position}: ${explanation}), so what it denies is not known`,
      layer: "default",
      segments: [],
      suggestedRules: [],
      policyDigest: policy.digest,
      fault: policy.fault
    }
  }
  const judge = call.origin === "user" ? judgeDirect : judgeUnit
  const verdicts = found.units.map((unit): Verdict => {
    const resolved = resolveUnit(unit, facts)
    return { text: unit.text, open: false, ...judge(resolved, policy, place), resolved }
  })
  return decideJudged(prepared, policy, call.origin === "user" ? verdicts : withoutSteeringAlone(verdicts, prepared))
}
