import { describe, expect, it } from "vitest"
import { type Capability, capabilityNames, makeHarnessProfile } from "./harness-profile.ts"

const steer = (fields: Partial<Capability>): Capability => ({
  name: "steer",
  state: "supported",
  evidence: ["probe"],
  ...fields
})

describe("a profile", () => {
  it("has every capability; what is not claimed is unsupported", () => {
    const profile = makeHarnessProfile([])
    expect(Object.keys(profile)).toEqual([...capabilityNames])
    expect(new Set(Object.values(profile).map(({ state }) => state))).toEqual(new Set(["unsupported"]))
  })

  it.each([
    [["probe"], "supported", "supported"],
    [["documented"], "supported", "limited"],
    [["documented", "recording"], "supported", "supported"],
    [["documented"], "unsupported", "unsupported"],
    [[], "limited", "unsupported"]
  ] as const)("with evidence %j claims %s as %s", (evidence, state, proven) => {
    expect(makeHarnessProfile([steer({ evidence, state })]).steer.state).toBe(proven)
  })

  it("does not change", () => {
    const profile = makeHarnessProfile([steer({ limits: ["one at a time"] })])
    expect([profile, profile.steer, profile.steer.evidence, profile.steer.limits].every(Object.isFrozen)).toBe(true)
  })

  it("refuses a capability claimed twice, and one with a mode that is not its own", () => {
    expect(() => makeHarnessProfile([steer({}), steer({})])).toThrow("twice")
    expect(() => makeHarnessProfile([steer({ mode: "active-turn" })])).toThrow("mode")
    expect(() => makeHarnessProfile([steer({ name: "interruption" })])).toThrow("mode")
  })
})
