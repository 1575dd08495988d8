/** What stays on record of the input that started a Run once that Run is removed: enough to know it again, nothing to read. */
import { createHash } from "node:crypto"
import { canonicalJson } from "./canonical-json.ts"

/** @param input canonical JSON */
export const removedStart = (input: string): string =>
  canonicalJson({ operation: "start", digest: `sha256:${createHash("sha256").update(input).digest("hex")}` })
