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
    ["maxCall", { maxCall: 1 }],
    ["defaults", { models: { defaults: "x" } }],
    ["baseURL", { models: { openaiCompatible: { baseURL: "http://x" } } }],
    ["command", { harnesses: { claude: { command: [] } } }],
    ["hosted", { harnesses: { hosted: { command: ["x"] } } }],
    ["my agent", { harnesses: { "my agent": { command: ["x"] } } }],
    ["maxCalls", { maxCalls: 0 }],
    ["maxCalls", { maxCalls: 33 }],
    ["defaultHarness", { defaultHarness: "" }]
  ] as const)("is refused as a whole, naming the key %s: %j", ([key, content]) =>
    Effect.gen(function*() {
      const { problem } = yield* Effect.flip(reading(content))
      expect(problem.code).toBe("config-invalid")
      expect(problem.explanation).toContain(`["${key}"]`)
      expect(problem.remediation).toContain("models.openaiCompatible.baseUrl")
    }))
})
