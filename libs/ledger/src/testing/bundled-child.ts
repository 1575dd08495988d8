/**
 * Bundles `ledger-child` into one file, once before the tests: it starts several times faster than its sources.
 *
 * Ordering: written beside its name and renamed, so another run that starts children meanwhile finds a whole file.
 */
import { build } from "esbuild"
import { renameSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const folder = fileURLToPath(new URL("../../", import.meta.url))

export const bundledChild = join(folder, ".tmp", "ledger-child.js")

export const bundleChild = async (): Promise<void> => {
  const fresh = `${bundledChild}.${process.pid}`
  await build({
    absWorkingDir: folder,
    entryPoints: ["src/testing/ledger-child.ts"],
    outfile: fresh,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node22.19",
    external: ["better-sqlite3"],
    logLevel: "warning"
  })
  renameSync(fresh, bundledChild)
}

export default bundleChild
