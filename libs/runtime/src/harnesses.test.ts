import { describe, expect, it } from "@effect/vitest"
import { Harnesses, HomeFolder } from "@steno/application"
import { AssetStore } from "@steno/asset-store"
import { type HomeConfig, TurnId } from "@steno/contracts"
import { ledgerLayer } from "@steno/ledger"
import { ProcessHost } from "@steno/process-host"
import { Effect, Layer } from "effect"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { harnessesLayer, providersOf } from "./harnesses.ts"
import { PersonEnvironment, type Variables } from "./person-environment.ts"
import { temporaryFolder } from "./testing.ts"

const onHome = <A, E>(environment: Variables, config: HomeConfig, test: (folder: string) => Effect.Effect<A, E, Harnesses>) =>
  Effect.scoped(Effect.gen(function*() {
    const path = yield* temporaryFolder
    const layer = harnessesLayer({ entries: [] }).pipe(Layer.provide([
      Layer.succeed(HomeFolder, { path, access: "write", config }),
      Layer.succeed(PersonEnvironment, environment),
      ledgerLayer({ file: join(path, "core.sqlite"), access: "write" }),
      AssetStore.layer({ dataRoot: join(path, "data") }),
      ProcessHost.layer
    ]))
    return yield* Effect.provide(test(path), layer)
  }))

const hosted = Effect.map(Harnesses, (harnesses) => {
  const entry = harnesses.find("hosted")
  if (entry === undefined) throw new Error("no hosted harness")
  return entry
})

const turnId = TurnId.make("turn_01JAVW4QKD7QZB2N5T8M3X9C1R")

describe("access to providers", () => {
  it("comes from the person's environment, the address of a compatible server from the configuration", () => {
    const config = { models: { openaiCompatible: { baseUrl: "http://127.0.0.1:1/v1" } } }
    expect(providersOf({
      ANTHROPIC_API_KEY: "a",
      ANTHROPIC_BASE_URL: "http://127.0.0.1:2/v1",
      OPENAI_API_KEY: "o",
      OPENAI_BASE_URL: "http://127.0.0.1:3/v1",
      OPENAI_COMPATIBLE_API_KEY: "c"
    }, config)).toEqual({
      "anthropic": { apiKey: "a", baseUrl: "http://127.0.0.1:2/v1" },
      "openai": { apiKey: "o", baseUrl: "http://127.0.0.1:3/v1" },
      "openai-compatible": { apiKey: "c", baseUrl: "http://127.0.0.1:1/v1" }
    })
    expect(providersOf({ ANTHROPIC_API_KEY: "", OPENAI_API_KEY: "" }, {})).toEqual({ "anthropic": {}, "openai": {}, "openai-compatible": {} })
  })

  it.each(["http://127.0.0.1:2", "http://127.0.0.1:2/", "http://127.0.0.1:2/v1"])("adds the version that %s of Anthropic may lack", (address) => {
    expect(providersOf({ ANTHROPIC_BASE_URL: address }, {}).anthropic.baseUrl).toBe("http://127.0.0.1:2/v1")
  })
})

describe("the hosted harness of a home", () => {
  it.effect("tells which models can be asked and what is missing, without a value", () =>
    onHome({ OPENAI_API_KEY: "sk-hidden-key", OPENAI_COMPATIBLE_API_KEY: "" }, {}, (folder) =>
      Effect.gen(function*() {
        const look = yield* (yield* hosted).look(folder)
        expect(look.models?.map(({ available, name }) => [name, available])).toEqual([
          ["anthropic/MODEL", false],
          ["openai/MODEL", true],
          ["openai-compatible/MODEL", false],
          ["script:FILE", true]
        ])
        expect(look.models?.[0]?.needs).toBe("ANTHROPIC_API_KEY, which is not set")
        expect(JSON.stringify(look)).not.toContain("sk-hidden")
      })))

  it.effect("plays a script of the workspace, and takes the model that the home's configuration names", () =>
    onHome({}, { models: { default: "script:plan.json" } }, (workspace) =>
      Effect.gen(function*() {
        writeFileSync(join(workspace, "plan.json"), JSON.stringify({ steps: [{ answer: { content: [{ type: "text", text: "hi" }] } }] }))
        const { harness, model } = yield* hosted
        expect(model).toEqual({ kind: "named", preset: "script:plan.json" })
        const prepared = yield* harness.prepare({ workspace, environment: {}, turnId, secrets: [] })
        expect((yield* prepared.close).survivors).toEqual([])
        const refused = yield* Effect.flip(harness.prepare({ workspace, environment: {}, turnId, secrets: [], model: { model: "script:none.json" } }))
        expect(refused.reason._tag).toBe("HarnessProbeFailed")
      })))

  it.effect("without a key refuses a provider's model by what is missing", () =>
    onHome({}, {}, (workspace) =>
      Effect.gen(function*() {
        const { harness } = yield* hosted
        const refused = yield* Effect.flip(harness.prepare({ workspace, environment: {}, turnId, secrets: [], model: { model: "anthropic/x" } }))
        expect(refused.reason._tag).toBe("HarnessAuthRequired")
      })))
})
