/**
 * Bundles a program of a tool into one file: it starts several times faster than its sources.
 *
 * Owns: how such a bundle is made.
 */
import { build } from "esbuild"

/** @param folder of the tool; `entry` and `outfile` are relative to it. `left` are imports that stay as they are written. */
export const bundleProgram = (
  folder: string,
  { entry, left = [], outfile }: { readonly entry: string; readonly outfile: string; readonly left?: ReadonlyArray<string> }
) =>
  build({
    absWorkingDir: folder,
    entryPoints: [entry],
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node22.19",
    external: ["@vscode/ripgrep", "better-sqlite3", ...left],
    banner: { js: "import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);" },
    logLevel: "warning"
  })
