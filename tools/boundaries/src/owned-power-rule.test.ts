import { describe, expect, it } from "vitest"
import { linted } from "./linted.ts"

const refusals = (path: string, text: string) => linted("steno/owned-power", path, text)

const uses: ReadonlyArray<{ power: string; texts: ReadonlyArray<string> }> = [
  {
    power: "process.argv",
    texts: [
      "export const x = process.argv",
      "export const x = process.argv.slice(2)",
      "export const x = process[\"argv\"]",
      "export const x = globalThis.process.argv",
      "export const x = global.process?.argv",
      "export const { argv } = process",
      "export const { argv: words } = globalThis.process",
      "const { process: { argv } } = globalThis\nexport const x = argv",
      "const { process: p } = globalThis\nexport const x = p.argv",
      "const p = process\nexport const x = p.argv",
      "import process from \"node:process\"\nexport const x = process.argv",
      "import { argv } from \"node:process\"\nexport const x = argv",
      "import { argv as words } from \"process\"\nexport const x = words",
      "import * as p from \"node:process\"\nexport const x = p.argv",
      "export { argv } from \"node:process\"",
      "export const { argv } = await import(\"node:process\")",
      "export const x = (await import(\"node:process\")).argv",
      "export const x = (await import(\"node:process\")).default.argv",
      "export const x = require(\"process\").argv"
    ]
  },
  {
    power: "process.exit",
    texts: [
      "process.exit(1)",
      "process[\"exit\"](1)",
      "globalThis.process.exit(1)",
      "process!.exit(1)",
      "process.abort()",
      "process.reallyExit(1)",
      "const leave = process.exit\nleave(1)",
      "const { exit } = process\nexit(1)",
      "import { exit } from \"node:process\"\nexit(1)",
      "import p from \"process\"\np.exit(1)",
      "export * from \"node:process\""
    ]
  },
  { power: "process.kill", texts: ["process.kill(1, 0)", "const { kill } = process\nkill(1)", "import { kill } from \"node:process\"\nkill(1)"] },
  {
    power: "Effect.run*",
    texts: [
      "import { Effect } from \"effect\"\nEffect.runSync(Effect.void)",
      "import { Effect } from \"effect\"\nexport const x = Effect.void.pipe(Effect.runPromise)",
      "import { Effect as E } from \"effect\"\nE.runFork(E.void)",
      "import { Effect } from \"effect\"\nEffect[\"runCallback\"](Effect.void)",
      "import { Effect } from \"effect\"\nconst { runPromiseExit } = Effect\nrunPromiseExit(Effect.void)",
      "import { Effect } from \"effect\"\nconst run = Effect.runSyncExit\nrun(Effect.void)",
      "import * as effect from \"effect\"\neffect.Effect.runSyncWith",
      "import * as Effect from \"effect/Effect\"\nEffect.runForkWith",
      "import { runSync } from \"effect/Effect\"\nrunSync",
      "import { runPromise as go } from \"effect/Effect\"\ngo",
      "export { runSync } from \"effect/Effect\"",
      "export * from \"effect/Effect\"",
      "const { Effect } = await import(\"effect\")\nEffect.runSync(Effect.void)",
      "(await import(\"effect\")).Effect.runSync",
      "(await import(\"effect/Effect\")).runSync",
      "import { Effect } from \"./effects.ts\"\nEffect.runSync(Effect.void)",
      "import { ManagedRuntime } from \"effect\"\nManagedRuntime.make",
      "import { make } from \"effect/ManagedRuntime\"\nmake",
      "import { NodeRuntime } from \"@effect/platform-node\"\nNodeRuntime.runMain",
      "import * as NodeRuntime from \"@effect/platform-node/NodeRuntime\"\nNodeRuntime.runMain",
      "import { runMain } from \"@effect/platform-node/NodeRuntime\"\nrunMain"
    ]
  }
]

describe.each(uses)("$power", ({ power, texts }) => {
  it.each(texts)("is refused in a library: %j", async (text) => {
    const messages = await refusals("libs/application/src/x.ts", text)
    expect(messages.length, text).toBeGreaterThan(0)
    for (const message of messages) expect(message).toContain(`${power} is not in the row of application`)
  })

  it("is allowed in apps, tests, src/testing.ts and tools", async () => {
    for (const path of ["apps/cli/src/x.ts", "libs/ledger/src/x.test.ts", "libs/ledger/src/testing.ts", "tools/crash/src/x.ts"]) {
      for (const text of texts) expect(await refusals(path, text), `${path}: ${text}`).toEqual([])
    }
  })
})

describe("what is not a power", () => {
  it.each([
    "export const x = process.env",
    "process.exitCode = 1",
    "process.on(\"exit\", () => undefined)",
    "import { Effect } from \"effect\"\nexport const x = Effect.runtime",
    "import { Effect } from \"effect\"\nexport const x = Effect.map",
    "export const f = (process: { exit: () => void }) => process.exit()",
    "const { exit } = { exit: () => undefined }\nexit()",
    "export const f = (run: { kill: () => void }) => run.kill()"
  ])("is allowed in a library: %j", async (text) => {
    expect(await refusals("libs/application/src/x.ts", text)).toEqual([])
  })
})

describe("powers of some libraries", () => {
  it("process-host alone ends processes", async () => {
    const text = "process.kill(1, \"SIGKILL\")"
    expect(await refusals("libs/process-host/src/x.ts", text)).toEqual([])
    expect(await refusals("libs/process-capture/src/x.ts", text)).toHaveLength(1)
  })

  it("channel-client runs Effects in its runtime.ts alone", async () => {
    const text = "import { Effect } from \"effect\"\nEffect.runFork(Effect.void)"
    expect(await refusals("libs/channel-client/src/runtime.ts", text)).toEqual([])
    expect(await refusals("libs/channel-client/src/other.ts", text)).toHaveLength(1)
  })
})
