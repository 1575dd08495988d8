/**
 * Bundles `ledger-child` into one file, once before the tests: it starts several times faster than its sources.
 *
 * Ordering: written beside its name and renamed, so another run that starts children meanwhile finds a whole file.
 */
import { renameSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { build } from "rolldown"

const folder = fileURLToPath(new URL("../../", import.meta.url))

export const bundledChild = join(folder, ".tmp", "ledger-child.js")

export const bundleChild = async (): Promise<void> => {
  const fresh = `${bundledChild}.${process.pid}`
  await build({
    cwd: folder,
    input: "src/testing/ledger-child.ts",
    platform: "node",
    external: [/^node:/, "better-sqlite3"],
    output: { file: fresh, format: "esm" },
    logLevel: "warn"
  })
  renameSync(fresh, bundledChild)
}

export default bundleChild
