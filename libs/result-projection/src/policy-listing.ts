/**
 * The policies of `find` and `ls`: the root once, then one path per line with its kind.
 *
 * Limits: at most 120 paths; a path is whole or not shown.
 */
import { cardLimits } from "@steno/contracts"
import { argumentLines } from "./argument-lines.ts"
import { type Candidate, makeCandidate, textItem } from "./candidate.ts"
import { firstOf } from "./card-lines.ts"
import { countWords } from "./process-status.ts"
import { pathText } from "./path-text.ts"
import type { FindArguments, ListedPath, ListingResult, LsArguments } from "./tool-results.ts"
import { byStrategy, type ValuePolicy } from "./tool-policy.ts"
import { warningLines } from "./warning-lines.ts"

/** `src (directory)`, `a.ts (12 bytes)`: a file is the rule and is not called one. */
const listedLine = ({ kind, path, sizeBytes }: ListedPath): string => {
  const marks = [
    ...(kind === "file" ? [] : [kind]),
    ...(sizeBytes === undefined ? [] : [countWords(sizeBytes, "byte", "bytes")])
  ]
  return marks.length === 0 ? pathText(path) : `${pathText(path)} (${marks.join(", ")})`
}

const limited = ({ limitReached, paths, total }: ListingResult): { readonly limited?: string } =>
  limitReached === undefined ? {} : {
    limited: total === undefined
      ? `the tool stopped at its limit of ${limitReached}, there may be more`
      : `the tool returned ${paths.length} of ${total} found, its limit is ${limitReached}`
  }

const candidateOf = (noun: string, plural: string, guidance: string) => (result: ListingResult): Candidate =>
  makeCandidate({
    status: [
      `${pathText(result.root)}: ${countWords(result.total ?? result.paths.length, noun, plural)}`,
      ...warningLines(result.warnings)
    ],
    items: result.paths.map((listed) => textItem(listedLine(listed), noun)),
    counts: [{ noun, plural, total: result.total ?? result.paths.length }],
    overflow: { noun, plural, guidance },
    ...limited(result)
  })

const preview = (paths: ReadonlyArray<ListedPath>, noun: string, result: ListingResult | undefined) =>
  firstOf(paths.slice(0, cardLimits.lines).map(listedLine), noun, result?.total ?? paths.length)

export const findPolicy: ValuePolicy<FindArguments, ListingResult> = {
  kind: "value",
  profiles: ["file_listing"],
  view: byStrategy("file_listing", "item-aware", candidateOf("file", "files", "Narrow it with path or a longer pattern.")),
  card: ({ limit, path, pattern }, result) => ({
    arguments: firstOf(argumentLines({ pattern, path, limit }), "lines"),
    result: preview(result?.paths ?? [], "files", result),
    first: "arguments"
  })
}

const byName = (one: ListedPath, other: ListedPath): number => one.path < other.path ? -1 : one.path > other.path ? 1 : 0

const foldersFirst = (paths: ReadonlyArray<ListedPath>): ReadonlyArray<ListedPath> => [
  ...paths.filter(({ kind }) => kind === "directory").toSorted(byName),
  ...paths.filter(({ kind }) => kind !== "directory").toSorted(byName)
]

export const lsPolicy: ValuePolicy<LsArguments, ListingResult> = {
  kind: "value",
  profiles: ["file_listing"],
  view: byStrategy("file_listing", "item-aware", candidateOf("entry", "entries", "List a folder of it, or use find.")),
  card: ({ limit, path }, result) => ({
    arguments: firstOf(argumentLines({ path, limit }), "lines"),
    result: preview(foldersFirst(result?.paths ?? []), "entries", result),
    first: "arguments"
  })
}
