import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { readHomeConfig } from "./home-config.ts"
import { temporaryFolder } from "./testing.ts"

const reading = (content: unknown) =>
  Effect.scoped(Effect.gen(function*() {
    const home = yield* temporaryFolder
    mkdirSync(join(home, "config"))
    writeFileSync(join(home, "config", "steno.json"), JSON.stringify(content))
    return yield* readHomeConfig(home)
  }))

describe("the configuration of a home", () => {
  it.effect("may set every key that is known, and none at all", () =>
    Effect.gen(function*() {
      const all = {
        defaultHarness: "hosted",
        models: { default: "openai-compatible/m", openaiCompatible: { baseUrl: "http://127.0.0.1:8080/v1" } },
        harnesses: { claude: { command: ["/opt/claude", "--verbose"] } },
        maxCalls: 4,
        sessionQuotaBytes: 1,
        minFreeBytes: 0,
        retentionDays: 30
      }
      expect(yield* reading(all)).toEqual(all)
      expect(yield* reading({})).toEqual({})
    }))

  it.effect.each([
    { maxCall: 1 },
    { models: { defaults: "x" } },
    { models: { openaiCompatible: { baseURL: "http://x" } } },
    { harnesses: { claude: { command: [] } } },
    { maxCalls: 0 },
    { maxCalls: 33 },
    { defaultHarness: "" }
  ])("is refused as a whole, naming the key: %j", (content) =>
    Effect.gen(function*() {
      const { problem } = yield* Effect.flip(reading(content))
      expect(problem.code).toBe("config-invalid")
      expect(problem.explanation).toContain(/(\w+)":[^{]*\}*$/.exec(JSON.stringify(content))?.[1])
      expect(problem.remediation).toContain("models.openaiCompatible.baseUrl")
    }))
})
