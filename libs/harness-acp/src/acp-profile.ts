/**
 * What an agent can do, by what it said in its handshake and what recordings show.
 *
 * Owns: the claims and their evidence.
 */
import { type Capability, type HarnessProfile, makeHarnessProfile } from "@steno/harness-seam"
import type { AcpAgent } from "./acp-presets.ts"

/** Absent: no program was looked at yet. */
export interface Handshake {
  readonly version: string | undefined
  readonly loads: boolean
  /** Undefined: no session was opened yet. */
  readonly offersModels: boolean | undefined
}

export const acpProfile = (agent: AcpAgent, handshake: Handshake | undefined): HarnessProfile => {
  const recorded = handshake === undefined
    ? agent.recorded.length > 0
    : handshake.version !== undefined && agent.recorded.includes(handshake.version)
  const protocol = recorded ? ["schema", "recording"] as const : ["schema"] as const
  const probed = handshake === undefined ? protocol : [...protocol, "probe"] as const
  const unrecorded = recorded ? [] : ["No recording shows how this version keeps to the protocol"]
  const claim = (name: Capability["name"], more: Partial<Capability> = {}): Capability => {
    const limits = [...more.limits ?? [], ...agent.limits?.[name] ?? [], ...unrecorded]
    return { name, state: limits.length === 0 ? "supported" : "limited", evidence: protocol, ...more, limits }
  }
  return makeHarnessProfile([
    claim("interruption", { mode: "active-turn" }),
    claim("approvals"),
    claim("live-output"),
    claim("coordinate-timing", { mode: "before-admit", state: "supported", evidence: probed }),
    ...(handshake?.loads === false ? [] : [claim("recovery", { evidence: probed })]),
    ...(handshake?.offersModels === false
      ? []
      : [claim("model-selection", { evidence: probed, limits: ["Only models that the agent lists"] })]),
    ...(agent.thoughts === "summaries" ? [claim("thought-summaries")] : [])
  ])
}
