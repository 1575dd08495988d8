/** Writes the JSON Schemas of the frozen shapes to `schema/`. Run: `npm run generate -w @steno/contracts`. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { renderJsonSchemas } from "../src/index.ts"

const folder = new URL("../schema/", import.meta.url)
rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })
for (const [name, text] of renderJsonSchemas()) writeFileSync(new URL(name, folder), text)
