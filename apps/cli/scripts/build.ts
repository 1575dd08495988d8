/**
 * Bundles the command line into `dist`: `main.js` starts several times faster than the sources. What an outside agent starts to call
 * its Run is an entry of its own, so that neither loads the other.
 *
 * Limits: what is imported only when it is needed lies in files beside it, which no other start reads. `Intl.Segmenter` is
 * late-segmenter's.
 */
import { rmSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { build } from "rolldown"

const folder = fileURLToPath(new URL("../", import.meta.url))
const segmenter = fileURLToPath(new URL("late-segmenter.js", import.meta.url))

rmSync(`${folder}dist`, { recursive: true, force: true })
await build({
  cwd: folder,
  input: { main: "src/main.ts", "agent-calls/main": "src/agent-calls/main.ts" },
  platform: "node",
  external: [/^node:/, "@vscode/ripgrep", "better-sqlite3"],
  transform: {
    target: "node22.19",
    define: { "Intl.Segmenter": "LateSegmenter" },
    inject: { LateSegmenter: [segmenter, "LateSegmenter"] }
  },
  output: { dir: "dist", format: "esm", minify: true, entryFileNames: "[name].js", chunkFileNames: "[name]-[hash].js" },
  logLevel: "warn"
})
