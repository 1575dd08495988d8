/**
 * What a call's native end says beside its status.
 *
 * Owns: the form that an agent's reader of `rawOutput` has, and the reader for agents that nothing is known of.
 */
import type { ChangedFile } from "@steno/harness-seam"
import { filesOfDiffs } from "./diff-patch.ts"
import { type CallFacts, contentText, toolOf } from "./call-fields.ts"
import { type JsonRecord, textOf } from "./lenient-value.ts"

export interface CallResult {
  /** Absent: nothing was supplied. */
  readonly output?: string
  readonly exitCode?: number
  /** The agent's own words for output it left out. */
  readonly nativeOmission?: string
  readonly error?: string
  readonly files?: ReadonlyArray<ChangedFile>
  /** The agent says itself that the call was broken off: how it would have ended is not known. */
  readonly brokenOff?: true
}

export type ReadCallResult = (facts: CallFacts, update: JsonRecord) => CallResult

/** By the protocol alone: an exit code it does not have. */
export const readPlainResult: ReadCallResult = (facts, update) => {
  const text = contentText(update.content) ?? textOf(update.rawOutput)
  const files = filesOfDiffs(update.content)
  return {
    ...(text === undefined ? {} : { output: text }),
    ...(update.status === "failed" && text !== undefined && toolOf(facts) !== "command" ? { error: text } : {}),
    ...(files.length === 0 ? {} : { files })
  }
}
