/**
 * `edit`: replaces texts in a file, all or none.
 *
 * Limits: UTF-8 files up to 16 MiB; what is no UTF-8 in them stays as it is. A dry run reads the file and waits for its turn, too,
 * so that it judges what an edit would meet.
 */
import type { EditArguments, MutationResult } from "@steno/result-projection"
import { Effect, Result } from "effect"
import { applyEdits, firstChangedLine } from "./edit-rules.ts"
import { fileContent } from "./file-content.ts"
import type { FileChanges } from "./file-changes.ts"
import type { FileQueues } from "./file-queues.ts"
import type { FileStates } from "./file-states.ts"
import { type FileTarget, replaceContent, withFileTarget } from "./file-target.ts"
import { notFound } from "./resolved-path.ts"
import { EditDoesNotFit, faultOf, NotText, TooLarge, type ToolFault, WrongKind } from "./tool-faults.ts"
import type { ToolSite } from "./tool-site.ts"
import { unifiedDiff } from "./unified-diff.ts"

const mostEditedBytes = 16 * 1024 * 1024

/** The bytes of a file that can be edited. */
const editable = Effect.fnUntraced(function*(target: FileTarget, site: ToolSite): Effect.fn.Return<Buffer, ToolFault> {
  const { given, present, real } = target
  if (present === undefined) return yield* notFound({ given, real, kind: undefined }, site.cwd)
  const sizeBytes = Number(present.state.size)
  if (present.content === undefined) {
    return yield* faultOf(new TooLarge({ path: given, sizeBytes, limitBytes: mostEditedBytes, advice: "change it with a command" }))
  }
  const content = fileContent(present.content)
  if (content.kind === "binary") return yield* faultOf(new NotText({ path: given, found: content.name, sizeBytes }))
  return content.encoding === "utf-8"
    ? Buffer.from(present.content)
    : yield* faultOf(new WrongKind({ path: given, found: `${content.encoding.toUpperCase()} text`, advice: "edit changes UTF-8 files alone" }))
})

/** `args` fit their schema. */
export const edit = Effect.fn("edit")(function*(
  args: EditArguments,
  site: ToolSite
): Effect.fn.Return<MutationResult, ToolFault, FileChanges | FileStates | FileQueues> {
  return yield* withFileTarget(args.path, site, mostEditedBytes, Effect.fnUntraced(function*(target) {
    const bytes = yield* editable(target, site)
    const before = bytes.toString("latin1")
    const edited = applyEdits(before, args.edits)
    if (Result.isFailure(edited)) {
      const { edit: at, lines, matches } = edited.failure
      return yield* faultOf(new EditDoesNotFit({ path: args.path, edit: at + 1, edits: args.edits.length, matches, lines: [...lines] }))
    }
    const content = Buffer.from(edited.success, "latin1")
    const isDry = args.dryRun === true
    const warnings = isDry ? [] : yield* replaceContent(target, content, site)
    const line = firstChangedLine(before, edited.success)
    const diff = unifiedDiff(target.shown, bytes.toString("utf8"), content.toString("utf8"))
    return {
      path: target.shown,
      outcome: isDry ? "dry-run" as const : "done" as const,
      bytesWritten: isDry ? 0 : content.length,
      operations: args.edits.length,
      ...(line === undefined ? {} : { firstChangedLine: line }),
      warnings,
      ...(diff === undefined ? {} : { diff })
    }
  }))
})
