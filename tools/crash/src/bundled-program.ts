/**
 * Bundles a program of a tool into one file: it starts several times faster than its sources.
 *
 * Owns: how such a bundle is made.
 */
import { build } from "rolldown"

/** @param folder of the tool; `entry` and `outfile` are relative to it. `left` are imports that stay as they are written. */
export const bundleProgram = (
  folder: string,
  { entry, left = [], outfile }: { readonly entry: string; readonly outfile: string; readonly left?: ReadonlyArray<string> }
) =>
  build({
    cwd: folder,
    input: entry,
    platform: "node",
    external: [/^node:/, "@vscode/ripgrep", "better-sqlite3", ...left],
    makeAbsoluteExternalsRelative: false,
    output: { file: outfile, format: "esm", codeSplitting: false },
    logLevel: "warn"
  })
