import { describe, expect, it } from "vitest"
import { linted } from "./linted.ts"

const refusals = (path: string, text: string) => linted("steno/module-boundary", path, text)

const layers: ReadonlyArray<{ file: string; allowed: ReadonlyArray<string>; refused: ReadonlyArray<string> }> = [
  { file: "libs/contracts/src/x.ts", allowed: [], refused: ["projection-port", "ledger", "application"] },
  { file: "libs/projection-port/src/x.ts", allowed: ["contracts"], refused: ["ledger", "headless", "application"] },
  { file: "libs/ledger/src/x.ts", allowed: ["contracts"], refused: ["process-host", "projection-port", "application", "runtime"] },
  { file: "libs/process-host/src/x.ts", allowed: ["contracts"], refused: ["process-capture", "ledger"] },
  { file: "libs/process-capture/src/x.ts", allowed: ["contracts", "process-host"], refused: ["ledger", "result-projection"] },
  { file: "libs/asset-store/src/x.ts", allowed: ["contracts"], refused: ["ledger", "process-capture"] },
  { file: "libs/result-projection/src/x.ts", allowed: ["contracts"], refused: ["process-capture", "tool-call-service"] },
  { file: "libs/history-projection/src/x.ts", allowed: ["contracts"], refused: ["ledger", "projection-port"] },
  { file: "libs/permission-policy/src/x.ts", allowed: ["contracts"], refused: ["tool-call-service"] },
  { file: "libs/tool-catalog/src/x.ts", allowed: ["contracts", "process-capture", "result-projection"], refused: ["process-host"] },
  { file: "libs/background-process/src/x.ts", allowed: ["process-host", "process-capture"], refused: ["ledger"] },
  { file: "libs/tool-call-service/src/x.ts", allowed: ["contracts", "ledger/calls"], refused: ["ledger", "process-host", "result-projection"] },
  { file: "libs/harness-seam/src/x.ts", allowed: ["contracts"], refused: ["ledger", "harness-hosted"] },
  { file: "libs/harness-codex/src/x.ts", allowed: ["contracts", "harness-seam", "process-host"], refused: ["ledger", "tool-call-service", "harness-acp", "application"] },
  { file: "libs/application/src/x.ts", allowed: ["contracts", "projection-port", "ledger", "tool-call-service", "harness-seam"], refused: ["ledger/calls", "headless", "runtime", "harness-hosted"] },
  { file: "libs/headless/src/x.ts", allowed: ["contracts", "projection-port"], refused: ["ledger", "application", "runtime", "channel-client"] },
  { file: "libs/channel-client/src/x.ts", allowed: ["contracts", "projection-port"], refused: ["application", "headless"] },
  { file: "apps/workbench/src/x.tsx", allowed: ["contracts", "projection-port", "channel-client"], refused: ["ledger", "runtime", "headless"] },
  { file: "libs/runtime/src/x.ts", allowed: ["ledger", "ledger/calls", "application", "harness-acp", "tool-call-service"], refused: ["headless", "cli", "tool-nx-cli"] },
  { file: "apps/cli/src/x.ts", allowed: ["runtime", "headless", "ledger", "ledger/calls"], refused: ["daemon", "tool-boundaries"] },
  { file: "apps/daemon/src/x.ts", allowed: ["runtime", "channel-client"], refused: ["cli"] },
  { file: "tools/crash/src/x.ts", allowed: ["runtime", "ledger/testing", "cli", "tool-nx-cli"], refused: [] }
]

describe("projects", () => {
  it.each(layers)("$file may import $allowed and not $refused", async ({ file, allowed, refused }) => {
    for (const target of allowed) {
      expect(await refusals(file, `import { x } from "@steno/${target}"\nx()`), target).toEqual([])
    }
    for (const target of refused) {
      expect(await refusals(file, `import { x } from "@steno/${target}"\nx()`), target).toHaveLength(1)
    }
  })

  it("refuses a package of the workspace that has no row", async () => {
    expect(await refusals("apps/cli/src/x.ts", "import \"@steno/unheard-of\"")).toHaveLength(1)
  })

  it("leaves a file alone that belongs to no project", async () => {
    expect(await refusals("vitest.shared.ts", "import \"node:child_process\"")).toEqual([])
  })

  it("refuses a project that imports itself by its package name", async () => {
    expect(await refusals("libs/ledger/src/x.ts", "import { RunLedger } from \"@steno/ledger\"")).toHaveLength(1)
  })

  it("keeps an owned name of an entry from others, whatever entry exports it", async () => {
    expect(await refusals("libs/application/src/x.ts", "import { CallLedger } from \"@steno/ledger\"")).toHaveLength(1)
    expect(await refusals("libs/application/src/x.ts", "import * as ledger from \"@steno/ledger\"")).toHaveLength(1)
    expect(await refusals("libs/application/src/x.ts", "import { RunLedger } from \"@steno/ledger\"")).toEqual([])
  })

  it("keeps testing entries and test files out of the product", async () => {
    expect(await refusals("libs/application/src/x.ts", "import { x } from \"@steno/ledger/testing\"")).toHaveLength(1)
    expect(await refusals("libs/application/src/x.test.ts", "import { x } from \"@steno/ledger/testing\"")).toEqual([])
    expect(await refusals("libs/ledger/src/x.ts", "import { x } from \"./testing.ts\"")).toHaveLength(1)
    expect(await refusals("libs/ledger/src/x.ts", "import { x } from \"../scripts/write.ts\"")).toHaveLength(1)
  })

  it("holds for tests too: a test of headless may not import the ledger", async () => {
    expect(await refusals("libs/headless/src/x.test.ts", "import { RunLedger } from \"@steno/ledger\"")).toHaveLength(1)
  })
})

/** Every way a file can name a module. */
const forms: Readonly<Record<string, (module: string) => string>> = {
  "static import": (module) => `import { x } from "${module}"\nx()`,
  "side-effect import": (module) => `import "${module}"`,
  "namespace import": (module) => `import * as x from "${module}"\nx.y()`,
  "type-only import": (module) => `import type { X } from "${module}"\nexport type Y = X`,
  "inline type import": (module) => `import { type X } from "${module}"\nexport type Y = X`,
  "import type expression": (module) => `export type Y = import("${module}").X`,
  "typeof import": (module) => `export type Y = typeof import("${module}")`,
  "named re-export": (module) => `export { x } from "${module}"`,
  "type re-export": (module) => `export type { X } from "${module}"`,
  "export all": (module) => `export * from "${module}"`,
  "namespace re-export": (module) => `export * as x from "${module}"`,
  "dynamic import": (module) => `export const x = await import("${module}")`,
  "dynamic import of a template": (module) => `export const x = await import(\`${module}\`)`,
  "require": (module) => `export const x = require("${module}")`,
  "import equals": (module) => `import x = require("${module}")\nx()`
}

const forbidden: ReadonlyArray<{ what: string; file: string; module: string }> = [
  { what: "another layer", file: "libs/headless/src/x.ts", module: "@steno/application" },
  { what: "an owned entry", file: "libs/application/src/x.ts", module: "@steno/ledger/calls" },
  { what: "a relative path into another project", file: "libs/headless/src/deep/x.ts", module: "../../../ledger/src/index.ts" },
  { what: "a relative path out of the workspace's projects", file: "libs/headless/src/x.ts", module: "../../../vitest.shared.ts" },
  { what: "an absolute path", file: "libs/headless/src/x.ts", module: "/libs/ledger/src/index.ts" },
  { what: "a banned package", file: "libs/application/src/x.ts", module: "better-sqlite3" },
  { what: "a sub-path of a banned scoped package", file: "libs/application/src/x.ts", module: "@effect/platform-node/NodeRuntime" },
  { what: "a banned node: module", file: "libs/application/src/x.ts", module: "node:child_process" },
  { what: "a banned node: module without node:", file: "libs/application/src/x.ts", module: "child_process" },
  { what: "a sub-path of a banned node: module", file: "libs/result-projection/src/x.ts", module: "node:fs/promises" }
]

describe.each(forbidden)("$what", ({ file, module }) => {
  it.each(Object.keys(forms))("is refused as %s", async (form) => {
    expect(await refusals(file, forms[form]?.(module) ?? "")).toHaveLength(1)
  })
})

const permitted: ReadonlyArray<{ what: string; file: string; module: string }> = [
  { what: "the ledger's database", file: "libs/ledger/src/x.ts", module: "better-sqlite3" },
  { what: "process-host's processes", file: "libs/process-host/src/x.ts", module: "node:child_process" },
  { what: "process-host's processes without node:", file: "libs/process-host/src/x.ts", module: "child_process" },
  { what: "a module of effect", file: "libs/contracts/src/x.ts", module: "effect/Schema" },
  { what: "a package of a granted scope", file: "libs/harness-hosted/src/x.ts", module: "@ai-sdk/anthropic" },
  { what: "node: modules in a test", file: "libs/application/src/x.test.ts", module: "node:child_process" },
  { what: "packages in src/testing.ts", file: "libs/ledger/src/testing.ts", module: "vitest" },
  { what: "node: modules in a tool", file: "tools/crash/src/x.ts", module: "node:child_process" },
  { what: "continuing with another Node in the bin", file: "apps/cli/bin/steno.js", module: "node:child_process" },
  { what: "a file of the same project", file: "libs/ledger/src/deep/x.ts", module: "../index.ts" },
  { what: "the shared test configuration", file: "libs/ledger/vitest.config.ts", module: "../../vitest.shared.ts" }
]

describe.each(permitted)("$what", ({ file, module }) => {
  const plain = file.endsWith(".js") ? ["static import", "side-effect import", "dynamic import"] : Object.keys(forms)
  it.each(plain)("is allowed as %s", async (form) => {
    expect(await refusals(file, forms[form]?.(module) ?? "")).toEqual([])
  })
})

describe("hidden ways to a module", () => {
  const file = "libs/application/src/x.ts"
  it.each([
    ["import { createRequire } from \"node:module\"\nexport const x = createRequire(import.meta.url)(\"better-sqlite3\")", 2],
    ["import { createRequire } from \"node:module\"\nconst load = createRequire(import.meta.url)\nexport const x = load(\"better-sqlite3\")", 2],
    ["import * as m from \"node:module\"\nconst load = m.createRequire(import.meta.url)\nexport const x = load(\"better-sqlite3\")", 2],
    ["import { createRequire as c } from \"module\"\nexport const x = c(import.meta.url)(\"child_process\")", 2],
    ["export const x = process.getBuiltinModule(\"node:child_process\")", 1],
    ["export const x = globalThis.process.getBuiltinModule(\"child_process\")", 1],
    ["const { getBuiltinModule } = process\nexport const x = getBuiltinModule(\"child_process\")", 1],
    ["const name = \"better-sqlite3\"\nexport const x = await import(name)", 1],
    ["export const x = await import(`${\"better\"}-sqlite3`)", 1]
  ])("are refused: %j", async (text, count) => {
    expect(await refusals(file, text)).toHaveLength(count)
  })

  it("a computed name is allowed in the bin alone", async () => {
    const text = "const name = \"./main.js\"\nawait import(name)"
    expect(await refusals("apps/cli/bin/steno.js", text)).toEqual([])
    expect(await refusals("apps/cli/src/main.ts", text)).toHaveLength(1)
  })

  it("spawning is refused in every other file of the command line", async () => {
    expect(await refusals("apps/cli/src/x.ts", "import { spawn } from \"node:child_process\"\nspawn(\"x\")")).toHaveLength(1)
  })
})
