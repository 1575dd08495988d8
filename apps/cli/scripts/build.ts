/**
 * Bundles the command line into `dist`: `main.js` starts several times faster than the sources. What an outside agent starts to call
 * its Run is an entry of its own, so that neither loads the other.
 *
 * Limits: what is imported only when it is needed, the libraries of model providers, lies in files beside it, which no other start
 * reads.
 */
import { build } from "esbuild"
import { rmSync } from "node:fs"
import { fileURLToPath } from "node:url"

const folder = fileURLToPath(new URL("../", import.meta.url))

rmSync(`${folder}dist`, { recursive: true, force: true })
await build({
  absWorkingDir: folder,
  entryPoints: ["src/main.ts", "src/agent-calls/main.ts"],
  outdir: "dist",
  outbase: "src",
  bundle: true,
  splitting: true,
  minify: true,
  format: "esm",
  platform: "node",
  target: "node22.19",
  external: ["@vscode/ripgrep", "better-sqlite3"],
  banner: { js: "import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);" },
  logLevel: "warning"
})
