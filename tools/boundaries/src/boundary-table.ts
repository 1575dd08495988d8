/**
 * The one table of projects and boundaries; Nx's constraints, the rules of ours and docs/architecture.md come from it.
 *
 * Owns: which project exists on which layer, what it may import, what it alone may use.
 * Never owns: how a rule finds a forbidden form (the rules beside this file).
 * Limits: a row may stand here before its project exists; a project may not exist without a row.
 */
import { type BoundaryRow, layers, type OwnedEntry, type Tag } from "./boundary-row.ts"

const everythingButTools: ReadonlyArray<Tag> = layers.filter((layer) => layer !== "app" && layer !== "tools").map((layer): Tag => `layer:${layer}`)

const contracts: BoundaryRow = {
  name: "contracts",
  root: "libs/contracts",
  layer: "contracts",
  mayImport: [],
  packages: [],
  nodeModules: [],
  powers: []
}

const port: BoundaryRow = {
  name: "projection-port",
  root: "libs/projection-port",
  layer: "port",
  mayImport: ["layer:contracts"],
  packages: [],
  nodeModules: [],
  powers: []
}

const core: ReadonlyArray<BoundaryRow> = [
  {
    name: "ledger",
    root: "libs/ledger",
    layer: "core",
    mayImport: ["layer:contracts"],
    packages: ["better-sqlite3"],
    nodeModules: ["crypto", "fs", "os", "path"],
    powers: []
  },
  {
    name: "process-host",
    root: "libs/process-host",
    layer: "core",
    mayImport: ["layer:contracts"],
    packages: [],
    nodeModules: ["buffer", "child_process", "crypto", "fs", "net", "os", "path", "stream", "string_decoder"],
    powers: ["process.kill"]
  },
  {
    name: "process-capture",
    root: "libs/process-capture",
    layer: "core",
    mayImport: ["layer:contracts", "project:process-host"],
    packages: [],
    nodeModules: ["buffer", "crypto", "fs", "path", "stream", "string_decoder", "util"],
    powers: []
  },
  {
    name: "asset-store",
    root: "libs/asset-store",
    layer: "core",
    mayImport: ["layer:contracts"],
    packages: ["image-size"],
    nodeModules: ["crypto", "fs", "path", "stream"],
    powers: []
  },
  {
    name: "result-projection",
    root: "libs/result-projection",
    layer: "core",
    mayImport: ["layer:contracts"],
    packages: [],
    nodeModules: ["util"],
    powers: []
  },
  {
    name: "history-projection",
    root: "libs/history-projection",
    layer: "core",
    mayImport: ["layer:contracts"],
    packages: [],
    nodeModules: [],
    powers: []
  },
  {
    name: "model-script",
    root: "libs/model-script",
    layer: "core",
    mayImport: ["layer:contracts"],
    packages: [],
    nodeModules: ["crypto"],
    powers: []
  },
  {
    name: "permission-policy",
    root: "libs/permission-policy",
    layer: "core",
    mayImport: ["layer:contracts"],
    packages: ["unbash"],
    nodeModules: ["crypto", "fs", "path"],
    powers: []
  },
  {
    name: "tool-catalog",
    root: "libs/tool-catalog",
    layer: "core",
    mayImport: ["layer:contracts", "project:process-capture", "project:result-projection"],
    packages: ["@vscode/ripgrep", "diff"],
    nodeModules: ["crypto", "fs", "path"],
    powers: []
  },
  {
    name: "background-process",
    root: "libs/background-process",
    layer: "core",
    mayImport: ["layer:contracts", "project:process-capture", "project:process-host"],
    packages: [],
    nodeModules: ["fs", "path"],
    powers: []
  },
  {
    name: "tool-call-service",
    root: "libs/tool-call-service",
    layer: "core",
    mayImport: ["layer:contracts", "project:ledger"],
    packages: [],
    nodeModules: ["crypto"],
    powers: []
  }
]

const seamInterface: BoundaryRow = {
  name: "harness-seam",
  root: "libs/harness-seam",
  layer: "seam-interface",
  mayImport: ["layer:contracts"],
  packages: [],
  nodeModules: [],
  powers: []
}

const adapter = (name: string, packages: ReadonlyArray<string>, core: ReadonlyArray<Tag> = []): BoundaryRow => ({
  name,
  root: `libs/${name}`,
  layer: "seam-adapter",
  mayImport: ["layer:contracts", "layer:seam-interface", "project:process-host", ...core],
  packages,
  nodeModules: ["os", "path", "stream"],
  powers: []
})

const adapters: ReadonlyArray<BoundaryRow> = [
  adapter("harness-hosted", ["ai", "@ai-sdk/*", "@modelcontextprotocol/sdk"], ["project:model-script"]),
  adapter("harness-claude-code", ["@modelcontextprotocol/sdk"]),
  adapter("harness-codex", ["@modelcontextprotocol/sdk"]),
  adapter("harness-acp", ["@agentclientprotocol/sdk", "@modelcontextprotocol/sdk"])
]

const application: BoundaryRow = {
  name: "application",
  root: "libs/application",
  layer: "application",
  mayImport: ["layer:contracts", "layer:port", "layer:core", "layer:seam-interface"],
  packages: [],
  nodeModules: ["crypto", "path"],
  powers: []
}

const clients: ReadonlyArray<BoundaryRow> = [
  {
    name: "headless",
    root: "libs/headless",
    layer: "client",
    mayImport: ["layer:contracts", "layer:port"],
    packages: [],
    nodeModules: ["util"],
    powers: []
  },
  {
    name: "channel-client",
    root: "libs/channel-client",
    layer: "client",
    mayImport: ["layer:contracts", "layer:port"],
    packages: [],
    nodeModules: [],
    powers: [{ name: "Effect.run*", onlyIn: ["src/runtime.ts"] }]
  },
  {
    name: "workbench",
    root: "apps/workbench",
    layer: "client",
    mayImport: ["layer:contracts", "layer:port", "project:channel-client"],
    packages: ["react", "react-dom", "@pierre/diffs"],
    nodeModules: [],
    powers: []
  }
]

const composition: BoundaryRow = {
  name: "runtime",
  root: "libs/runtime",
  layer: "composition",
  mayImport: ["layer:contracts", "layer:port", "layer:core", "layer:seam-interface", "layer:seam-adapter", "layer:application"],
  packages: ["@effect/platform-node"],
  nodeModules: ["crypto", "fs", "net", "os", "path", "url"],
  powers: []
}

const apps: ReadonlyArray<BoundaryRow> = [
  {
    name: "cli",
    root: "apps/cli",
    layer: "app",
    mayImport: everythingButTools,
    packages: ["@effect/platform-node", "@modelcontextprotocol/sdk"],
    nodeModules: [
      { name: "child_process", onlyIn: ["bin/steno.js"] },
      "crypto", "fs", "module", "net", "os", "path", "process", "readline", "stream", "tty", "url", "util", "v8"
    ],
    powers: ["process.argv", "process.exit", "process.kill", "Effect.run*", { name: "import(computed)", onlyIn: ["bin/steno.js"] }]
  },
  {
    name: "daemon",
    root: "apps/daemon",
    layer: "app",
    mayImport: everythingButTools,
    packages: ["@effect/platform-node", "ws"],
    nodeModules: ["crypto", "fs", "http", "net", "os", "path", "process", "stream", "url"],
    powers: ["process.argv", "process.exit", "process.kill", "Effect.run*"]
  }
]

const tools: BoundaryRow = {
  name: "tools",
  root: "tools/*",
  layer: "tools",
  mayImport: layers.map((layer): Tag => `layer:${layer}`),
  packages: [],
  nodeModules: [],
  powers: []
}

export const boundaryTable: ReadonlyArray<BoundaryRow> = [
  contracts,
  port,
  ...core,
  seamInterface,
  ...adapters,
  application,
  ...clients,
  composition,
  ...apps,
  tools
]

export const ownedEntries: ReadonlyArray<OwnedEntry> = [
  {
    specifier: "@steno/ledger/calls",
    names: ["CallLedger"],
    usableBy: ["project:tool-call-service", "layer:composition", "layer:app", "layer:tools"],
    onlyEntryOf: ["project:tool-call-service"]
  }
]

/** Files of a project that no ban on packages, `node:` modules and powers reaches; the product may not import them. */
export const unbannedFiles: ReadonlyArray<string> = [
  "**/*.test.ts",
  "src/testing.ts",
  "src/testing/**",
  "tests/**",
  "fixtures/**",
  "scripts/**",
  "*.config.ts"
]
