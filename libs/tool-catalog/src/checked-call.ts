/**
 * From what a model sent to arguments that fit their tool. Pure.
 *
 * Owns: the words for arguments that do not fit.
 * Limits: decodes and changes nothing; a refusal says where and what was expected, never what was sent.
 */
import { Result, Schema, SchemaIssue } from "effect"
import { isOfferedTool, toolCatalog } from "./catalog.ts"
import type { ArgumentsOf, OfferedTool, ToolEntry } from "./tool-entry.ts"
import { faultOf, InvalidArguments, type ToolFault, UnknownTool } from "./tool-faults.ts"

/** A call whose arguments fit its tool. */
export type CheckedCall<Name extends OfferedTool = OfferedTool> = {
  readonly [Tool in Name]: { readonly tool: Tool; readonly arguments: ArgumentsOf<Tool> }
}[Name]

const issuesOf = SchemaIssue.makeFormatterStandardSchemaV1()

const placeOf = (path: ReadonlyArray<PropertyKey>): string =>
  path.map((key, at) => typeof key === "number" ? `[${key}]` : `${at === 0 ? "" : "."}${String(key)}`).join("")

const lineOf = ({ message, path }: ReturnType<typeof issuesOf>["issues"][number]): string => {
  const place = placeOf((path ?? []).map((part) => typeof part === "object" ? part.key : part))
  return `${place === "" ? "arguments" : place}: ${message.charAt(0).toLowerCase()}${message.slice(1)}`
}

const checker = <Name extends OfferedTool>(entry: ToolEntry<Name>) => {
  const decode = Schema.decodeUnknownResult(entry.arguments, { errors: "all", onExcessProperty: "error" })
  return (sent: unknown) =>
    Result.mapBoth(decode(sent), {
      onFailure: ({ issue }) => faultOf(new InvalidArguments({ tool: entry.name, expected: issuesOf(issue).issues.map(lineOf) })),
      onSuccess: (fitting) => ({ tool: entry.name, arguments: fitting })
    })
}

const checkers: { readonly [Name in OfferedTool]: (sent: unknown) => Result.Result<CheckedCall<Name>, ToolFault> } = {
  read: checker(toolCatalog.read),
  grep: checker(toolCatalog.grep),
  find: checker(toolCatalog.find),
  ls: checker(toolCatalog.ls),
  write: checker(toolCatalog.write),
  edit: checker(toolCatalog.edit),
  bash: checker(toolCatalog.bash),
  ask_user: checker(toolCatalog.ask_user),
  run_done: checker(toolCatalog.run_done),
  run_failed: checker(toolCatalog.run_failed)
}

/** Fails with `UnknownTool` or `InvalidArguments`. */
export const checkCall = (tool: string, sent: unknown): Result.Result<CheckedCall, ToolFault> =>
  isOfferedTool(tool)
    ? checkers[tool](sent)
    : Result.fail(faultOf(new UnknownTool({ tool, known: Object.keys(toolCatalog) })))
