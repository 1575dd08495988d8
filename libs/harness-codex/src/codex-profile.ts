/** What Codex can do behind the Seam, and how that is known. */
import { type Capability, type CapabilityName, type HarnessProfile, makeHarnessProfile } from "@steno/harness-seam"

const evidence = ["recording", "schema"] as const

const claims: ReadonlyArray<Capability> = [
  { name: "recovery", state: "supported", evidence },
  { name: "interruption", state: "supported", mode: "active-turn", evidence },
  { name: "approvals", state: "supported", limits: ["Codex asks by its own settings, which are inherited"], evidence },
  { name: "clarifications", state: "limited", limits: ["Codex asks questions in its Plan mode only"], evidence },
  { name: "steer", state: "supported", limits: ["A Steer goes into the next request to the model"], evidence },
  { name: "model-selection", state: "limited", limits: ["A change holds from the next Turn on"], evidence },
  {
    name: "live-output",
    state: "limited",
    limits: ["What a command says before it is reported comes with its end", "Of one command at most 10,000 pieces come before its end"],
    evidence
  },
  { name: "thought-summaries", state: "limited", limits: ["Only where the model writes summaries"], evidence },
  { name: "turn-diff", state: "supported", evidence },
  { name: "coordinate-timing", state: "supported", mode: "before-admit", evidence }
]

export const codexProfile: HarnessProfile = makeHarnessProfile(claims)

/** That of a version whose schema lacks what some capabilities need. */
export const codexProfileWithout = (off: ReadonlyArray<CapabilityName>): HarnessProfile =>
  makeHarnessProfile(claims.map((claim) =>
    off.includes(claim.name)
      ? { ...claim, state: "unsupported", limits: ["The schema of this version does not have it"] }
      : claim
  ))
