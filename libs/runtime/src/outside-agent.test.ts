import { describe, expect, it } from "@effect/vitest"
import { HarnessTimedOut, makeHarnessProfile, PrepareError } from "@steno/harness-seam"
import { makeFakeHarness } from "@steno/harness-seam/testing"
import { ProcessHost } from "@steno/process-host"
import { Effect, Schema } from "effect"
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, symlinkSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { makeOutsideAgent } from "./outside-agent.ts"
import { QualificationCache } from "./qualification-cache.ts"
import { temporaryFolder } from "./testing.ts"

const Finding = Schema.Struct({ version: Schema.String })

/** A home, a folder of programs in PATH, and an agent whose probe tells how often it was asked. */
const placed = Effect.gen(function*() {
  const processHost = yield* ProcessHost
  const home = join(yield* temporaryFolder, "home")
  const programs = yield* temporaryFolder
  mkdirSync(join(home, "data"), { recursive: true })
  const probes: Array<string> = []
  const qualifies: Array<(workspace: string) => Effect.Effect<unknown, PrepareError>> = []
  const program = (name = "agent", mode = 0o755) => {
    writeFileSync(join(programs, name), "#!/bin/sh\n")
    chmodSync(join(programs, name), mode)
    return join(programs, name)
  }
  const agent = (options: { readonly fails?: true; readonly access?: "read"; readonly words?: ReadonlyArray<string> } = {}) =>
    makeOutsideAgent({
      id: "agent",
      name: "Agent",
      command: ["agent", ...options.words ?? []],
      processHost,
      cache: new QualificationCache(home, options.access ?? "write"),
      environment: { PATH: programs },
      schema: Finding,
      probe: (path) =>
        Effect.suspend(() => {
          probes.push(path)
          return options.fails === true
            ? Effect.fail(new PrepareError({ reason: new HarnessTimedOut({ explanation: "It does not answer", remedy: "Try again." }) }))
            : Effect.succeed({ version: `1.0.${probes.length}` })
        }),
      judge: (_, { version }) =>
        Effect.succeed({
          version,
          profile: makeHarnessProfile([{ name: "recovery", state: "supported", evidence: ["probe"] }])
        }),
      harness: (qualify) => {
        qualifies.push(qualify)
        return makeFakeHarness({ turns: [] })
      }
    })
  const file = join(home, "data", "harness-qualification.json")
  return { agent, file, probes, program, programs, qualifies }
}).pipe(Effect.provide(ProcessHost.layer))

describe("the program of an outside agent", () => {
  it.effect("that is nowhere, or may not be run, is unavailable with a reason and a remedy", () =>
    Effect.scoped(Effect.gen(function*() {
      const { agent, probes, program } = yield* placed
      expect(yield* agent().look("/w")).toEqual({
        found: false, qualification: "unavailable", reason: "There is no program agent in PATH. Install Agent, or name its program in the configuration."
      })
      program("agent", 0o644)
      expect(yield* agent().look("/w")).toMatchObject({ found: true, qualification: "unavailable" })
      expect(probes).toEqual([])
    })))

  it.effect("is looked at by a check, and then known without starting it, also to another process", () =>
    Effect.scoped(Effect.gen(function*() {
      const { agent, file, probes, program } = yield* placed
      const path = program()
      expect(yield* agent().look("/w")).toMatchObject({ found: true, path, qualification: "not-checked" })
      expect(yield* agent().check("/w")).toMatchObject({ found: true, path, version: "1.0.1", qualification: "limited" })
      expect(yield* agent().look("/w")).toMatchObject({ version: "1.0.1", qualification: "limited" })
      expect(probes).toEqual([path])
      expect(statSync(file).mode & 0o777).toBe(0o600)
      expect(yield* agent().check("/w")).toMatchObject({ version: "1.0.2" })
      expect(probes).toHaveLength(2)
    })))

  it.effect("is looked at when a Turn is prepared and nothing is kept of exactly this one", () =>
    Effect.scoped(Effect.gen(function*() {
      const { agent, file, probes, program, qualifies } = yield* placed
      const path = program()
      agent()
      const qualify = qualifies[0] ?? (() => Effect.void)
      expect(yield* qualify("/w")).toEqual({ path, finding: { version: "1.0.1" } })
      expect(yield* qualify("/w")).toEqual({ path, finding: { version: "1.0.1" } })
      expect(probes).toHaveLength(1)
      utimesSync(path, 1, 1)
      expect(yield* qualify("/w")).toMatchObject({ finding: { version: "1.0.2" } })
      writeFileSync(file, "{ damaged")
      expect(yield* qualify("/w")).toMatchObject({ finding: { version: "1.0.3" } })
    })))

  it.effect("behind a link is the program that the link leads to, with the package it belongs to", () =>
    Effect.scoped(Effect.gen(function*() {
      const { agent, probes, programs, qualifies } = yield* placed
      const folder = yield* temporaryFolder
      mkdirSync(join(folder, "bin"))
      writeFileSync(join(folder, "package.json"), "{}")
      writeFileSync(join(folder, "bin", "agent.js"), "")
      chmodSync(join(folder, "bin", "agent.js"), 0o755)
      symlinkSync(join(folder, "bin", "agent.js"), join(programs, "agent"))
      agent()
      const qualify = qualifies[0] ?? (() => Effect.void)
      expect(yield* qualify("/w")).toMatchObject({ path: join(programs, "agent") })
      yield* qualify("/w")
      expect(probes).toHaveLength(1)
      writeFileSync(join(folder, "package.json"), "{ }")
      yield* qualify("/w")
      expect(probes).toHaveLength(2)
    })))

  it.effect("that runs another one is known by the words behind it, and by the file that one of them names", () =>
    Effect.scoped(Effect.gen(function*() {
      const { agent, file, probes, program } = yield* placed
      const workspace = yield* temporaryFolder
      program()
      writeFileSync(join(workspace, "acp.js"), "one")
      const started = (...words: ReadonlyArray<string>) => Effect.map(agent({ words }).look(workspace), ({ qualification }) => qualification)
      yield* agent({ words: ["acp.js"] }).check(workspace)
      expect(readFileSync(file, "utf8")).not.toContain("acp.js")
      expect(yield* started("acp.js")).toBe("limited")
      for (const words of [["other.js"], [], ["x".repeat(5_000)]]) expect(yield* started(...words)).toBe("not-checked")
      writeFileSync(join(workspace, "acp.js"), "two of them")
      expect(yield* started("acp.js")).toBe("not-checked")
      expect(probes).toHaveLength(1)
    })))

  it.effect("that fails its probe is unavailable; nothing is kept of it, nor in a home that may only be read", () =>
    Effect.scoped(Effect.gen(function*() {
      const { agent, file, program } = yield* placed
      const path = program()
      expect(yield* agent({ fails: true }).check("/w")).toEqual({
        found: true, path, qualification: "unavailable", reason: "It does not answer. Try again."
      })
      expect(yield* agent({ access: "read" }).check("/w")).toMatchObject({ qualification: "limited" })
      expect(existsSync(file)).toBe(false)
    })))

  it.effect("of another harness keeps what is known of it", () =>
    Effect.scoped(Effect.gen(function*() {
      const { agent, file, program } = yield* placed
      program()
      const other = { identity: "other", finding: { version: "9" } }
      writeFileSync(file, JSON.stringify({ version: 1, harnesses: { other } }))
      yield* agent().check("/w")
      expect(JSON.parse(readFileSync(file, "utf8")).harnesses).toMatchObject({ other, agent: { finding: { version: "1.0.1" } } })
    })))
})
