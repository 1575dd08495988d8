/**
 * Bundles the command line into `dist`: `main.js` starts several times faster than the sources. What an outside agent starts to call
 * its Run is a bundle of its own, so that neither loads the other.
 */
import { rmSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { bundle } from "./bundle.ts"

rmSync(fileURLToPath(new URL("../dist", import.meta.url)), { recursive: true, force: true })
await bundle({ main: "src/main.ts" }, { start: ["main"], agents: ["claude-code-agent", "codex-agent", "acp-agent"] })
await bundle({ "agent-calls/main": "src/agent-calls/main.ts" })
