/**
 * docs/architecture.md as it stands and as the boundary table wants it.
 *
 * Owns: reading the document and filling its generated region.
 */
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { architectureTable, withArchitectureTable } from "./architecture-table.ts"
import { boundaryTable, ownedEntries, unbannedFiles } from "./boundary-table.ts"

export const architecturePath = fileURLToPath(new URL("../../../docs/architecture.md", import.meta.url))

export const architectureDocument = (): { readonly stored: string; readonly wanted: string } => {
  const stored = readFileSync(architecturePath, "utf8")
  const wanted = withArchitectureTable(stored, architectureTable(boundaryTable, ownedEntries, unbannedFiles))
  if (wanted === undefined) throw new Error(`${architecturePath} has no generated region`)
  return { stored, wanted }
}
