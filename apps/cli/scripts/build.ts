/** Bundles the command line into `dist/main.js`: one file that starts several times faster than the sources. */
import { build } from "esbuild"
import { fileURLToPath } from "node:url"

const folder = new URL("../", import.meta.url)

await build({
  absWorkingDir: fileURLToPath(folder),
  entryPoints: ["src/main.ts"],
  outfile: "dist/main.js",
  bundle: true,
  minify: true,
  format: "esm",
  platform: "node",
  target: "node22.19",
  external: ["@vscode/ripgrep", "better-sqlite3"],
  banner: { js: "import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);" },
  logLevel: "warning"
})
