import { createProjectGraphAsync } from "@nx/devkit"
import { beforeAll, describe, expect, it } from "vitest"
import { boundaryTable } from "./boundary-table.ts"
import { eslint, linted, workspaceRoot } from "./linted.ts"
import { nxConstraints } from "./nx-constraints.ts"

const refusals = (path: string, text: string) => linted("@nx/", path, text)

describe("the constraints of Nx", () => {
  it("are those of the table, and lint uses them", async () => {
    const config = (await eslint.calculateConfigForFile(`${workspaceRoot}libs/ledger/src/index.ts`)) as {
      rules: Record<string, [number, { depConstraints: unknown }]>
    }
    expect(config.rules["@nx/enforce-module-boundaries"]?.[1].depConstraints).toEqual(nxConstraints(boundaryTable))
  })

  it("say of each project what its row says", () => {
    const constraints = nxConstraints(boundaryTable)
    expect(constraints).toHaveLength(boundaryTable.length)
    expect(constraints).toContainEqual({ sourceTag: "project:contracts", onlyDependOnLibsWithTags: [] })
    expect(constraints).toContainEqual({
      sourceTag: "project:process-capture",
      onlyDependOnLibsWithTags: ["layer:contracts", "project:process-host"]
    })
  })
})

describe("the rule of Nx, on the projects that exist", () => {
  beforeAll(async () => {
    await createProjectGraphAsync({ exitOnError: false })
  })

  it.each([
    ["libs/headless/src/x.ts", "@steno/ledger"],
    ["libs/ledger/src/x.ts", "@steno/application"],
    ["libs/ledger/src/x.ts", "@steno/process-host"],
    ["libs/contracts/src/x.ts", "@steno/projection-port"],
    ["libs/application/src/x.ts", "@steno/headless"],
    ["libs/headless/src/x.ts", "../../ledger/src/index.ts"]
  ])("%s may not import %s", async (path, module) => {
    expect(await refusals(path, `import { x } from "${module}"\nx()`)).toHaveLength(1)
  })

  it.each([
    ["libs/headless/src/x.ts", "@steno/projection-port"],
    ["libs/application/src/x.ts", "@steno/ledger"],
    ["libs/ledger/src/x.ts", "@steno/contracts"]
  ])("%s may import %s", async (path, module) => {
    expect(await refusals(path, `import { x } from "${module}"\nx()`)).toEqual([])
  })
})
