/** What stays on record of an Operation's input once its Run is removed: enough to know it again, nothing that a person wrote. */
import type { OperationInput } from "@steno/contracts"
import { createHash } from "node:crypto"
import { canonicalJson } from "./canonical-json.ts"

/** Those whose input holds text; any other says nothing but what was done to which Run. */
const worded: ReadonlySet<string> = new Set<OperationInput["operation"]>(["start", "answer", "send", "steer"])

/** @param input canonical JSON */
export const removedInput = (operation: string, input: string): string =>
  worded.has(operation)
    ? canonicalJson({ operation, digest: `sha256:${createHash("sha256").update(input).digest("hex")}` })
    : input
