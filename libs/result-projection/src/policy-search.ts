/**
 * The policy of `grep`: matches as `path:line: text`, with the lines around them as `path-line- text`.
 *
 * Limits: matches in the order of the search; its own limit is named where the model reads the count.
 */
import { argumentLines } from "./argument-lines.ts"
import { type Candidate, makeCandidate, textItem } from "./candidate.ts"
import { firstOf } from "./card-lines.ts"
import { warningLines } from "./warning-lines.ts"
import { countWords } from "./process-status.ts"
import { pathText } from "./path-text.ts"
import type { GrepArguments, GrepMatch, GrepResult } from "./tool-results.ts"
import { byStrategy, type CardSides, type ValuePolicy } from "./tool-policy.ts"

const matchLine = ({ line, path, text }: GrepMatch): string => `${pathText(path)}:${line}: ${text}`

const matchText = (match: GrepMatch): string => {
  const path = pathText(match.path)
  const before = match.before ?? []
  const around = (lines: ReadonlyArray<string>, first: number) => lines.map((text, at) => `${path}-${first + at}- ${text}`)
  return [...around(before, match.line - before.length), matchLine(match), ...around(match.after ?? [], match.line + 1)].join("\n")
}

const limited = ({ limitReached, matches, total }: GrepResult): { readonly limited?: string } =>
  limitReached === undefined ? {} : {
    limited: total === undefined
      ? `the search stopped at its limit of ${limitReached}, there may be more`
      : `the search returned ${matches.length} of ${countWords(total, "match", "matches")}, its limit is ${limitReached}`
  }

const candidate = (result: GrepResult): Candidate =>
  makeCandidate({
    status: [...(result.matches.length === 0 ? ["No matches."] : []), ...warningLines(result.warnings)],
    items: result.matches.map((match) => textItem(matchText(match), "match")),
    counts: [{ noun: "match", plural: "matches", total: result.total ?? result.matches.length }],
    overflow: { noun: "match", plural: "matches", guidance: "Narrow it with path, glob or a longer pattern." },
    ...limited(result)
  })

const card = (args: GrepArguments, result: GrepResult | undefined): CardSides => {
  const { context, glob, ignoreCase, limit, literal, path, pattern } = args
  return {
    arguments: firstOf(argumentLines({ pattern, path, glob, literal, ignoreCase, context, limit }), "lines"),
    result: result === undefined
      ? firstOf([], "matches")
      : firstOf(result.matches.map(matchLine), "matches", result.total ?? result.matches.length),
    first: "arguments"
  }
}

export const grepPolicy: ValuePolicy<GrepArguments, GrepResult> = {
  kind: "value",
  profiles: ["search_matches"],
  view: byStrategy("search_matches", "item-aware", candidate),
  card
}
