/**
 * What one qualified harness can do, and how that is known.
 *
 * Owns: the closed list of capabilities and the rules of evidence.
 * Limits: immutable; controls follow the profile, never the harness's name.
 */

export const capabilityNames = [
  "recovery",
  "interruption",
  "approvals",
  "clarifications",
  "steer",
  "model-selection",
  "live-output",
  "thought-summaries",
  "turn-diff",
  "coordinate-timing"
] as const
export type CapabilityName = typeof capabilityNames[number]

export type CapabilityState = "supported" | "limited" | "unsupported"
export type CapabilityEvidence = "probe" | "schema" | "recording" | "documented"

/** How an interruption is proven, or when the coordinate of the native session is known. */
export type CapabilityMode = "active-turn" | "process-only" | "before-admit" | "during-turn"

export interface Capability {
  readonly name: CapabilityName
  readonly state: CapabilityState
  readonly mode?: CapabilityMode
  /** What a person should know of it, in words. */
  readonly limits?: ReadonlyArray<string>
  readonly evidence: ReadonlyArray<CapabilityEvidence>
}

export type HarnessProfile = Readonly<Record<CapabilityName, Capability>>

const modesOf: Partial<Record<CapabilityName, ReadonlyArray<CapabilityMode>>> = {
  "interruption": ["active-turn", "process-only"],
  "coordinate-timing": ["before-admit", "during-turn"]
}

const provenState = ({ evidence, state }: Capability): CapabilityState => {
  if (evidence.length === 0) return "unsupported"
  return state === "supported" && evidence.every((kind) => kind === "documented") ? "limited" : state
}

const proven = (capability: Capability): Capability => {
  const state = provenState(capability)
  const modes = modesOf[capability.name] ?? []
  const fits = capability.mode === undefined ? modes.length === 0 : modes.includes(capability.mode)
  if (state !== "unsupported" && !fits) throw new Error(`Capability ${capability.name} has no such mode`)
  return Object.freeze({
    ...capability,
    state,
    evidence: Object.freeze([...capability.evidence]),
    ...(capability.limits === undefined ? {} : { limits: Object.freeze([...capability.limits]) })
  })
}

/**
 * A capability that is not claimed, or claimed without evidence, is `unsupported`; documentation alone makes it at most
 * `limited`. Throws where a capability is claimed twice or with a mode it does not have: a defect of the adapter.
 */
export const makeHarnessProfile = (claims: ReadonlyArray<Capability>): HarnessProfile => {
  if (new Set(claims.map(({ name }) => name)).size < claims.length) throw new Error("A capability is claimed twice")
  const entries = capabilityNames.map((name): readonly [CapabilityName, Capability] => [
    name,
    proven(claims.find((claim) => claim.name === name) ?? { name, state: "unsupported", evidence: [] })
  ])
  return Object.freeze(Object.fromEntries(entries)) as HarnessProfile
}
