export { commandDigest } from "./command-digest.ts"
export type { CallToJudge, JudgedOrigin } from "./call-units.ts"
export { decideCall, prepareCall } from "./decide-call.ts"
export type { Decision, PolicyDecision, PreparedCall, SegmentDecision } from "./decide-call.ts"
export { defaultTexts, guardrailTexts } from "./guardrails.ts"
export type { PolicyPlace } from "./guardrails.ts"
export { PathResolver } from "./path-facts.ts"
export type { PathFact, PathFacts } from "./path-facts.ts"
export { PermissionPolicy } from "./permission-policy.ts"
export type { DirectCommand, JudgedCall } from "./permission-policy.ts"
export {
  PolicyChanged,
  PolicyError,
  PolicyInvalid,
  PolicyIsLink,
  PolicyNotFound,
  PolicyReason,
  PolicyStorageFailed,
  PolicyUnconfirmed
} from "./policy-errors.ts"
export { PolicyFiles } from "./policy-files.ts"
export type { LoadedPolicy, PolicyFileState, PolicyHome, WrittenPolicy } from "./policy-files.ts"
export { policyLayers } from "./policy-layers.ts"
export type { LayerRules, PolicyFault, PolicyLayer, PolicyLayers } from "./policy-layers.ts"
export type { CompiledRule, RulePlace } from "./policy-rules.ts"
