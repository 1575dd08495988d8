import { describe, expect, it } from "vitest"
import { qualify, recordedVersion } from "./qualification.ts"

const answer = (version: string) => ({ commands: [], claude_code_version: version })

describe("a version", () => {
  it("that was recorded is claimed without a limit of its own", () => {
    const qualified = qualify(`${recordedVersion} (Claude Code)`, answer(recordedVersion))
    expect(qualified).toMatchObject({
      kind: "qualified",
      version: recordedVersion,
      profile: { steer: { state: "supported" }, "turn-diff": { state: "unsupported" }, "live-output": { state: "unsupported" } }
    })
    expect(JSON.stringify(qualified)).not.toContain("Recorded with")
  })

  it("that is later is claimed with a limit that says what was recorded", () => {
    expect(qualify("2.2.0", answer("2.2.0"))).toMatchObject({
      kind: "qualified",
      profile: { recovery: { state: "supported", limits: [`Recorded with ${recordedVersion}, this is 2.2.0`] } }
    })
  })

  it("that is older than the recorded one takes no Steer and no other model", () => {
    expect(qualify("2.1.200", answer("2.1.200"))).toMatchObject({
      kind: "qualified",
      profile: { steer: { state: "unsupported" }, "model-selection": { state: "unsupported" }, approvals: { state: "supported" } }
    })
  })

  it.each(["2.1.196", "1.0.128", "3.0.0", "Claude", ""])("%j is not understood", (version) => {
    expect(qualify(version)).toMatchObject({ kind: "unavailable", reason: { code: "version-unsupported" } })
  })

  it("whose handshake is not answered as it should is unavailable", () => {
    expect(qualify(recordedVersion, {})).toMatchObject({ kind: "unavailable", reason: { code: "probe-failed" } })
  })

  it.each([
    [{ tokenSource: "none", apiProvider: "firstParty" }, "unavailable"],
    [{ tokenSource: "none", apiKeySource: "ANTHROPIC_API_KEY", apiProvider: "firstParty" }, "qualified"],
    [{ tokenSource: "CLAUDE_CODE_OAUTH_TOKEN", apiProvider: "firstParty" }, "qualified"],
    [{ apiProvider: "bedrock" }, "qualified"]
  ])("whose account is %j is %s", (account, kind) => {
    expect(qualify(recordedVersion, { ...answer(recordedVersion), account }).kind).toBe(kind)
  })

  it("that says two things of itself is not believed", () => {
    expect(qualify(recordedVersion, answer("2.1.1"))).toMatchObject({ kind: "unavailable" })
  })
})
