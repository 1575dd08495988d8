import { fileURLToPath } from "node:url"
import { boundaryTable, ownedEntries, unbannedFiles } from "./boundary-table.ts"
import { moduleBoundaryRule } from "./module-boundary-rule.ts"
import { namedForContentRule } from "./named-for-content-rule.ts"
import { nxConstraints } from "./nx-constraints.ts"
import { ownedPowerRule } from "./owned-power-rule.ts"

const workspaceRoot = fileURLToPath(new URL("../../..", import.meta.url))
const rules = { rows: boundaryTable, ownedEntries, unbannedFiles }

/** ESLint plugin `steno`: what Nx's rule cannot see. */
export const stenoPlugin = {
  meta: { name: "steno" },
  rules: {
    "module-boundary": moduleBoundaryRule(rules, workspaceRoot),
    "owned-power": ownedPowerRule(rules, workspaceRoot),
    "named-for-content": namedForContentRule
  }
}

/** `depConstraints` of `@nx/enforce-module-boundaries`. */
export const moduleBoundaryConstraints = nxConstraints(boundaryTable)
