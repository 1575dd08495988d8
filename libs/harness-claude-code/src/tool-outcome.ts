/**
 * What a native result says of one call.
 *
 * Owns: its end, output, count and patches; each from a structured field where there is one.
 * Limits: there is no exit code in any field, so none is told. The results that an interrupt writes say nothing of what
 * their calls did: no end is told of those.
 */
import type { CallEnding, ChangedFile, ReportedCall, ReportedCount } from "@steno/harness-seam"
import { type Fields, fieldsAt, isFields, none, recordsAt, textAt, wholeAt } from "./frame-fields.ts"

export interface ToolOutcome {
  readonly ending: CallEnding
  readonly output?: string
  readonly call: Omit<ReportedCall, "itemId">
}

export interface NativeResult {
  /** The block `tool_result`. */
  readonly block: Fields
  /** `tool_use_result` of its frame, where that is about this block alone. */
  readonly structured: unknown
  /** Its entry of `tool_result_meta`. */
  readonly meta: Fields
}

const reasonUnits = 512

const contentText = (block: Fields): string | undefined => {
  const { content } = block
  if (typeof content === "string") return content
  if (!Array.isArray(content)) return undefined
  return content.filter(isFields).flatMap((part) => (typeof part["text"] === "string" ? [part["text"]] : [])).join("\n")
}

const firstLine = (text: string | undefined): string | undefined =>
  text?.split("\n").find((line) => line.trim() !== "")?.slice(0, reasonUnits).toWellFormed()

const failed = (error: string | undefined): CallEnding => ({ outcome: "failed", ...(error === undefined ? {} : { error }) })

const isStopped = (meta: Fields): boolean =>
  meta["non_execution_kind"] === "user-rejected" && !isFields(meta["permission_decision"])

const isRefused = (meta: Fields): boolean => fieldsAt(meta, "permission_decision")["decision"] === "reject"

const outputField = (output: string | undefined) => (output === undefined ? {} : { output })

const commandOutput = (structured: Fields): string | undefined => {
  const [stdout, stderr] = [structured["stdout"], structured["stderr"]]
  if (typeof stdout !== "string") return undefined
  return typeof stderr === "string" && stderr !== "" ? `${stdout}\n${stderr}` : stdout
}

const omission = (structured: Fields, said: string | undefined): { readonly nativeOmission?: string } => {
  const path = textAt(structured, "persistedOutputPath")
  if (path === undefined) return {}
  return { nativeOmission: said?.split("\n").find((line) => line.includes(path)) ?? path }
}

const patchedFiles = (structured: Fields): ReadonlyArray<ChangedFile> | undefined => {
  const path = textAt(structured, "filePath")
  if (path === undefined || !Array.isArray(structured["structuredPatch"])) return undefined
  const patch = recordsAt(structured, "structuredPatch").map((hunk) => ({
    oldStart: wholeAt(hunk, "oldStart") ?? 0,
    oldLines: wholeAt(hunk, "oldLines") ?? 0,
    newStart: wholeAt(hunk, "newStart") ?? 0,
    newLines: wholeAt(hunk, "newLines") ?? 0,
    lines: Array.isArray(hunk["lines"]) ? hunk["lines"].filter((line) => typeof line === "string") : []
  }))
  return [{ path, kind: structured["type"] === "create" ? "create" : "update", patch }]
}

/** The program's counts of a search; which one is meant follows from what was asked. */
const searchCount = (structured: Fields): ReportedCount | undefined => {
  const counts = [["numMatches", "matches"], ["numLines", "lines"], ["numFiles", "files"]] as const
  const wanted = structured["mode"] === "content" ? counts.slice(0, 2) : structured["mode"] === "count" ? counts.slice(0, 1) : []
  for (const [field, unit] of [...wanted, counts[2]]) {
    const value = wholeAt(structured, field)
    if (value !== undefined) return { value, unit }
  }
  return undefined
}

const readCount = (file: Fields): ReportedCount | undefined => {
  const value = wholeAt(file, "numLines")
  return value === undefined ? undefined : { value, unit: "lines" }
}

/** The report of a sub-agent; one that goes on in the background has none yet. */
const subagentReport = (structured: Fields): string | undefined => {
  const texts = recordsAt(structured, "content").flatMap((part) => textAt(part, "text") ?? [])
  return texts.length === 0 ? undefined : texts.filter((text) => !text.startsWith("<tools-used-before-summary>")).join("\n")
}

const succeeded = (structured: Fields, said: string | undefined): ToolOutcome => {
  const completed = { outcome: "completed" } as const
  const printed = commandOutput(structured)
  if (printed !== undefined) {
    const ending = structured["interrupted"] === true ? failed("Interrupted") : completed
    return { ending, output: printed, call: omission(structured, said) }
  }
  const files = patchedFiles(structured)
  if (files !== undefined) return { ending: completed, call: { files } }
  if (textAt(structured, "agentId") !== undefined) {
    return { ending: completed, ...outputField(subagentReport(structured)), call: {} }
  }
  const file = fieldsAt(structured, "file")
  const count = file === none ? searchCount(structured) : readCount(file)
  const content = typeof file["content"] === "string" ? file["content"] : said
  return { ending: completed, ...outputField(content), call: count === undefined ? {} : { count } }
}

/** Undefined: this result is no evidence of an end. */
export const toolOutcome = ({ block, meta, structured }: NativeResult): ToolOutcome | undefined => {
  if (isStopped(meta)) return undefined
  const said = contentText(block)
  if (isRefused(meta)) {
    const reason = firstLine(said)
    return { ending: { outcome: "denied", ...(reason === undefined ? {} : { reason }) }, call: {} }
  }
  if (block["is_error"] === true) return { ending: failed(firstLine(said)), ...outputField(said), call: {} }
  return succeeded(isFields(structured) ? structured : none, said)
}
