/**
 * `write`: creates a file or replaces all of its content.
 *
 * Limits: where nothing stood, nothing that appears meanwhile is overwritten. The diff is absent where one side is no text or
 * larger than 1 MiB.
 */
import type { MutationResult, WriteArguments } from "@steno/result-projection"
import { Effect, Result } from "effect"
import { firstChangedLine } from "./edit-rules.ts"
import type { FileChanges } from "./file-changes.ts"
import type { FileQueues } from "./file-queues.ts"
import type { FileStates } from "./file-states.ts"
import { type PresentFile, replaceContent, withFileTarget } from "./file-target.ts"
import type { ToolFault } from "./tool-faults.ts"
import type { ToolSite } from "./tool-site.ts"
import { unifiedDiff } from "./unified-diff.ts"

const mostDiffedBytes = 1024 * 1024

/** undefined: no text that a diff could show. */
const textOf = (bytes: Uint8Array): string | undefined =>
  bytes.length > mostDiffedBytes || bytes.includes(0)
    ? undefined
    : Result.getOrUndefined(Result.try(() => new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)))

const changeOf = (shown: string, present: PresentFile | undefined, content: Uint8Array): Partial<MutationResult> => {
  const after = textOf(content)
  const before = present?.content === undefined ? undefined : textOf(present.content)
  if (after === undefined || (present !== undefined && before === undefined)) return {}
  const diff = unifiedDiff(shown, before, after)
  const line = firstChangedLine(before ?? "", after)
  return {
    ...(diff === undefined ? {} : { diff }),
    ...(line === undefined || present === undefined ? {} : { firstChangedLine: line })
  }
}

/** `args` fit their schema. */
export const write = Effect.fn("write")(function*(
  args: WriteArguments,
  site: ToolSite
): Effect.fn.Return<MutationResult, ToolFault, FileChanges | FileStates | FileQueues> {
  return yield* withFileTarget(args.path, site, mostDiffedBytes, Effect.fnUntraced(function*(target) {
    const content = Buffer.from(args.content, "utf8")
    const warnings = yield* replaceContent(target, content, site)
    const isBlind = target.present !== undefined && !target.isSeen
    return {
      path: target.shown,
      outcome: "done" as const,
      bytesWritten: content.length,
      file: target.present === undefined ? "created" as const : "overwritten" as const,
      warnings: [...(isBlind ? ["The file existed and had not been read in this Session."] : []), ...warnings],
      ...changeOf(target.shown, target.present, content)
    }
  }))
})
