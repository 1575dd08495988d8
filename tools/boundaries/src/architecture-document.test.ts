import { expect, it } from "vitest"
import { architectureDocument } from "./architecture-document.ts"
import { architectureTable, withArchitectureTable } from "./architecture-table.ts"
import { boundaryTable, ownedEntries, unbannedFiles } from "./boundary-table.ts"

it("docs/architecture.md holds the table as it is now (npm run generate -w @steno/tool-boundaries)", () => {
  const { stored, wanted } = architectureDocument()
  expect(stored).toBe(wanted)
})

it("the generated region names every project, its bans' exceptions and the owned entries", () => {
  const table = architectureTable(boundaryTable, ownedEntries, unbannedFiles)
  for (const { root } of boundaryTable) expect(table).toContain(`\`${root}\``)
  expect(table).toContain("`child_process` (only `bin/steno.js`)")
  expect(table).toContain("`@steno/ledger/calls` (`CallLedger`): usable by `tool-call-service`")
})

it("replaces the region and keeps the text around it", () => {
  const table = architectureTable(boundaryTable, ownedEntries, unbannedFiles)
  const older = architectureTable(boundaryTable.slice(0, 2), ownedEntries, unbannedFiles)
  expect(withArchitectureTable(`before\n${older}\nafter\n`, table)).toBe(`before\n${table}\nafter\n`)
  expect(withArchitectureTable("no region", table)).toBeUndefined()
})
