/**
 * What a harness says about one tool call.
 *
 * Owns: the values of a call at the Seam; a malformed optional field vanishes alone.
 * Never owns: the stored events of a call (contracts), native words (the adapter).
 */
import { RetainedOutput } from "@steno/contracts"
import { Schema } from "effect"
import { ItemId } from "./item-id.ts"

/** `other`: unfamiliar; `input` then has its name and arguments. */
export const SeamTool = Schema.Literals([
  "read", "search", "command", "file-change", "web", "mcp", "subagent", "other"
])
export type SeamTool = typeof SeamTool.Type

const WholeFromZero = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

export const PatchHunk = Schema.Struct({
  oldStart: WholeFromZero,
  oldLines: WholeFromZero,
  newStart: WholeFromZero,
  newLines: WholeFromZero,
  lines: Schema.Array(Schema.String)
})

/** Unified text, or hunks; a supplied empty list is kept. */
export const FilePatch = Schema.Union([Schema.String, Schema.Array(PatchHunk)])
export type FilePatch = typeof FilePatch.Type

const changedFileFields = {
  kind: Schema.Literals(["create", "update", "delete"]),
  patch: FilePatch,
  additions: WholeFromZero,
  removals: WholeFromZero
}

/** Targets may come early; patches only from what the result proves. */
export const ChangedFile = Schema.Struct({
  path: Schema.NonEmptyString,
  kind: Schema.optionalKey(changedFileFields.kind),
  patch: Schema.optionalKey(changedFileFields.patch),
  additions: Schema.optionalKey(changedFileFields.additions),
  removals: Schema.optionalKey(changedFileFields.removals)
})
export type ChangedFile = typeof ChangedFile.Type

/** As reported; zero is kept. */
export const ReportedCount = Schema.Struct({
  value: Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0)),
  unit: Schema.NonEmptyString
})
export type ReportedCount = typeof ReportedCount.Type

const optionalCallFields = {
  /** The call this one runs under; it may be seen later than this one. */
  parentItemId: ItemId,
  cwd: Schema.String,
  /** From a structured field, never read out of text. */
  exitCode: Schema.Int,
  /** The harness's own words for output it left out; apart from `output.dropped`. */
  nativeOmission: Schema.String,
  count: ReportedCount
}

export const ToolCallValue = Schema.Struct({
  itemId: ItemId,
  tool: SeamTool,
  /** One string: path, pattern, command line, `server/tool · args`. */
  input: Schema.String,
  parentItemId: Schema.optionalKey(optionalCallFields.parentItemId),
  cwd: Schema.optionalKey(optionalCallFields.cwd),
  exitCode: Schema.optionalKey(optionalCallFields.exitCode),
  nativeOmission: Schema.optionalKey(optionalCallFields.nativeOmission),
  count: Schema.optionalKey(optionalCallFields.count),
  files: Schema.optionalKey(Schema.Array(ChangedFile)),
  /** Absent: nothing was supplied; that is not the same as empty. */
  output: Schema.optionalKey(RetainedOutput)
})
export type ToolCallValue = typeof ToolCallValue.Type

/** How an observed call ended, by its own native end. */
export const CallEnding = Schema.Union([
  Schema.Struct({ outcome: Schema.Literal("completed") }),
  Schema.Struct({ outcome: Schema.Literal("failed"), error: Schema.optionalKey(Schema.String) }),
  Schema.Struct({ outcome: Schema.Literal("denied"), reason: Schema.optionalKey(Schema.String) })
])
export type CallEnding = typeof CallEnding.Type

/** What one report of a harness says about a call; fields it does not repeat stay as they were. */
export type ReportedCall =
  & { readonly itemId: ItemId }
  & Partial<Omit<ToolCallValue, "itemId" | "output">>

type LenientField = keyof typeof lenient
const lenient = {
  tool: Schema.is(SeamTool),
  input: Schema.is(Schema.String),
  parentItemId: Schema.is(optionalCallFields.parentItemId),
  cwd: Schema.is(optionalCallFields.cwd),
  exitCode: Schema.is(optionalCallFields.exitCode),
  nativeOmission: Schema.is(optionalCallFields.nativeOmission),
  count: Schema.is(optionalCallFields.count)
}
const lenientNames = Object.keys(lenient) as ReadonlyArray<LenientField>

const hasPath = (file: unknown): file is { readonly path: string } =>
  typeof file === "object" && file !== null && "path" in file && typeof file.path === "string" && file.path !== ""
const fileChecks = Object.entries(changedFileFields).map(([name, field]) => [name, Schema.is(field)] as const)

const wellFormedFile = (file: unknown): ChangedFile | undefined => {
  if (!hasPath(file)) return undefined
  const kept: Record<string, unknown> = { path: file.path }
  for (const [name, fits] of fileChecks) {
    const value: unknown = Reflect.get(file, name)
    if (value !== undefined && fits(value)) kept[name] = value
  }
  return kept as ChangedFile
}

/** A list without its files that have no path, and those without their malformed fields; undefined where it is no list. */
export const wellFormedFiles = (files: unknown): ReadonlyArray<ChangedFile> | undefined =>
  Array.isArray(files) ? files.map(wellFormedFile).filter((file) => file !== undefined) : undefined

/** `reported` without what is malformed. The item id is the caller's to vouch for. */
export const wellFormedCall = (reported: ReportedCall): ReportedCall => {
  const kept: Record<string, unknown> = { itemId: reported.itemId }
  for (const name of lenientNames) {
    const value: unknown = reported[name]
    if (value !== undefined && lenient[name](value)) kept[name] = value
  }
  const files = wellFormedFiles(reported.files)
  if (files !== undefined) kept.files = files
  return kept as ReportedCall
}
