/** A folder of its own for one test. */
import { Effect } from "effect"
import { chmodSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** Removed with the scope, also when a test took its permissions away. */
export const temporaryFolder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "steno-ledger-"))),
  (folder) =>
    Effect.sync(() => {
      chmodSync(folder, 0o700)
      rmSync(folder, { recursive: true, force: true })
    })
)
