/** A folder of its own for one test. */
import { Effect } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** Removed with the scope. */
export const temporaryFolder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "steno-ledger-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)
