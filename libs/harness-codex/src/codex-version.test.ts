import { describe, expect, it } from "vitest"
import { codexVersion } from "./codex-version.ts"

describe("the version of Codex", () => {
  it.each([
    ["codex-cli 0.171.0\n", "0.171.0", true],
    ["codex-cli 0.171.3", "0.171.3", true],
    ["codex-cli 0.200.1-alpha.2", "0.200.1-alpha.2", true],
    ["1.0.0", "1.0.0", true],
    ["codex-cli 0.170.9", "0.170.9", false],
    ["codex-cli 0.171.0-alpha.1", "0.171.0-alpha.1", false],
    ["codex-cli 0.0.0", "0.0.0", false]
  ])("in %j is %s, supported: %s", (printed, text, supported) => {
    expect(codexVersion(printed)).toEqual({ text, supported })
  })

  it.each(["", "codex", "codex-cli dev", "v1"])("is not in %j", (printed) => {
    expect(codexVersion(printed)).toBeUndefined()
  })
})
