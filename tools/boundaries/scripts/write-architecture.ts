import { writeFileSync } from "node:fs"
import { architectureDocument, architecturePath } from "../src/architecture-document.ts"

writeFileSync(architecturePath, architectureDocument().wanted)
