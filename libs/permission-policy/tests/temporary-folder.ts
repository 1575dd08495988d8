/** A folder of its own for one test, removed with the scope. */
import { Effect } from "effect"
import { mkdtempSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

export const temporaryFolder = Effect.acquireRelease(
  Effect.sync(() => realpathSync(mkdtempSync(join(tmpdir(), "steno-policy-")))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)
