import { assert, describe, it } from "@effect/vitest"
import { HarnessCatalog, type HomeConfig } from "@steno/contracts"
import { capabilityNames, makeHarnessProfile } from "@steno/harness-seam"
import { makeFakeHarness } from "@steno/harness-seam/testing"
import { Effect, Layer, Schema } from "effect"
import { HarnessCatalogs } from "./harness-catalogs.ts"
import { HomeFolder } from "./home-folder.ts"
import { type HarnessCheck, type HarnessEntry, type HarnessLook, Harnesses } from "./harnesses.ts"

const decode = Schema.decodeUnknownSync(HarnessCatalog, { onExcessProperty: "error" })
const fake = makeFakeHarness({ turns: [] })

const catalogs = (found: HarnessLook, config: HomeConfig = {}, checked?: HarnessCheck) => {
  const looked: Array<string> = []
  const all: ReadonlyArray<HarnessEntry> = [{
    id: "fake",
    name: "Fake",
    agent: "built-in",
    harness: fake,
    needs: "Nothing.",
    model: { kind: "own" },
    look: (workspace) => Effect.sync(() => (looked.push(workspace), found)),
    ...(checked === undefined ? {} : { check: () => Effect.succeed(checked) })
  }]
  const harnesses = Layer.succeed(Harnesses, { all, find: (id) => all.find((entry) => entry.id === id), begunTurn: () => undefined, environment: {} })
  const home = Layer.succeed(HomeFolder, { path: "/home", access: "read", config })
  return { looked, layer: Layer.provide(HarnessCatalogs.layerNoDeps, [harnesses, home]) }
}

const missing: HarnessLook = { found: false, qualification: "unavailable", reason: "No program of that name." }

describe("what is said about harnesses", () => {
  it.effect("lists each as it was found in the workspace, and direct commands, without capabilities", () => {
    const { layer, looked } = catalogs(missing)
    return Effect.gen(function*() {
      const catalog = yield* (yield* HarnessCatalogs).list("/work")
      assert.deepStrictEqual(decode(catalog), catalog)
      assert.deepStrictEqual(catalog.harnesses.map(({ found, id, qualification }) => [id, found, qualification]), [
        ["fake", false, "unavailable"],
        ["command", true, "qualified"]
      ])
      assert.isUndefined(catalog.harnesses.find((entry) => "capabilities" in entry))
      assert.deepStrictEqual(looked, ["/work"])
    }).pipe(Effect.provide(layer))
  })

  it.effect("checks one with every capability there is, as its profile proves them", () => {
    const { layer } = catalogs({ found: true, version: "1", qualification: "qualified" })
    return Effect.gen(function*() {
      const service = yield* HarnessCatalogs
      for (const id of ["fake", "command"]) {
        const catalog = yield* service.check({ harness: id, workspacePath: "/work" })
        assert.deepStrictEqual(decode(catalog), catalog)
        const capabilities = catalog.harnesses.flatMap((entry) => entry.capabilities ?? [])
        assert.deepStrictEqual(capabilities.map(({ name }) => name), [...capabilityNames])
        for (const { evidence, state } of capabilities) assert.strictEqual(evidence.length > 0, state !== "unsupported")
      }
      const [checked] = (yield* service.check({ harness: "fake", workspacePath: "/work" })).harnesses
      assert.deepStrictEqual(
        checked?.capabilities?.map(({ evidence, name, state }) => ({ evidence, name, state })),
        capabilityNames.map((name) => ({ evidence: [...fake.profile[name].evidence], name, state: fake.profile[name].state }))
      )
    }).pipe(Effect.provide(layer))
  })

  it.effect("checks one whose program is looked at anew by what that program can do; one that cannot be used can do nothing", () => {
    const profile = makeHarnessProfile([{ name: "steer", state: "supported", evidence: ["probe"] }])
    const usable: HarnessCheck = { found: true, version: "2", qualification: "limited", reason: "Much is missing.", profile }
    const { profile: _, ...unusable } = { ...usable, qualification: "unavailable" as const }
    const states = (check: HarnessCheck) => {
      const { layer, looked } = catalogs(missing, {}, check)
      return Effect.gen(function*() {
        const [entry] = (yield* (yield* HarnessCatalogs).check({ harness: "fake", workspacePath: "/work" })).harnesses
        assert.deepStrictEqual(looked, [])
        return [entry?.version, entry?.capabilities?.filter(({ state }) => state !== "unsupported").map(({ name }) => name)]
      }).pipe(Effect.provide(layer))
    }
    return Effect.gen(function*() {
      assert.deepStrictEqual(yield* states(usable), ["2", ["steer"]])
      assert.deepStrictEqual(yield* states(unusable), ["2", []])
    })
  })

  it.effect.each<readonly [HomeConfig, string, ReadonlyArray<string>]>([
    [{}, "command", ["command"]],
    [{ defaultHarness: "fake" }, "fake", ["fake"]],
    [{ defaultHarness: "gone" }, "gone", []]
  ])("with %j the default is %s, and so marked where it is there", ([config, id, marked]) => {
    const { layer } = catalogs(missing, config)
    return Effect.gen(function*() {
      const service = yield* HarnessCatalogs
      assert.strictEqual(yield* service.default, id)
      const { harnesses } = yield* service.list("/work")
      assert.deepStrictEqual(harnesses.filter((entry) => entry.default).map((entry) => entry.id), marked)
    }).pipe(Effect.provide(layer))
  })

  it.effect("names those there are where one is asked for that nobody knows, and looks at none", () => {
    const { layer, looked } = catalogs(missing)
    return Effect.gen(function*() {
      const { problem } = yield* Effect.flip((yield* HarnessCatalogs).check({ harness: "nobody", workspacePath: "/work" }))
      assert.strictEqual(problem.code, "harness-unknown")
      assert.include(problem.explanation, "fake, command")
      assert.deepStrictEqual(looked, [])
    }).pipe(Effect.provide(layer))
  })
})
