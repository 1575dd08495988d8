import { Effect } from "effect"
import { join } from "node:path"
import { ledgerLayer } from "./ledger-layer.ts"
import { ledgerContractSuite } from "./testing.ts"
import { temporaryFolder } from "./testing/temporary-folder.ts"

ledgerContractSuite(
  "SQLite",
  Effect.map(temporaryFolder, (folder) => ledgerLayer({ file: join(folder, "core.sqlite"), access: "write" }))
)
