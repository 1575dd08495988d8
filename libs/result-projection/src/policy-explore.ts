/**
 * The policy of `explore`: every report whole while it is short, else by its file.
 *
 * Limits: budgets per report; a report's path is named only if its file is registered for the call; cards hold no report text.
 */
import { type Candidate, makeCandidate, textBlock } from "./candidate.ts"
import { firstOf } from "./card-lines.ts"
import { utf8Bytes } from "./clipped-text.ts"
import { countWords } from "./process-status.ts"
import type { RegisteredFile } from "./file-claims.ts"
import type { ExploreArguments, ExploreResult } from "./tool-results.ts"
import type { ValuePolicy } from "./tool-policy.ts"
import { viewOfCandidate } from "./value-view.ts"
import { visibleLines } from "./visible-lines.ts"

type Report = ExploreResult["reports"][number]

const labelOf = (label: string): string => visibleLines(label).join(" ")

const reportCandidate = (report: Report, index: number, files: ReadonlyArray<RegisteredFile>): Candidate => {
  const file = files.find(({ path }) => path === report.path)
  return makeCandidate({
    status: [`Report ${index + 1}, ${labelOf(report.label)}: ${report.status}`],
    blocks: [textBlock(report.report)],
    files: file === undefined ? [] : [{ ...file, role: "recovery", complete: true }]
  })
}

const candidate = (result: ExploreResult, files: ReadonlyArray<RegisteredFile>): Candidate =>
  makeCandidate({
    reports: result.reports.map((report, index) => reportCandidate(report, index, files)),
    overflow: { noun: "report", plural: "reports" }
  })

const cardLine = (report: Report): string =>
  `${labelOf(report.label)}: ${report.status}, ${countWords(utf8Bytes(report.report), "byte", "bytes")}`

export const explorePolicy: ValuePolicy<ExploreArguments, ExploreResult> = {
  kind: "value",
  profiles: ["delegated_reports"],
  view: (result, files) => {
    const reportPaths = new Set(result.reports.map(({ path }) => path))
    const others = files.filter(({ path }) => !reportPaths.has(path))
    return viewOfCandidate(candidate(result, files), "delegated_reports", "compound", others)
  },
  card: ({ prompts }, result) => ({
    arguments: firstOf(prompts.map(({ label }) => labelOf(label)), "lines"),
    result: firstOf((result?.reports ?? []).map(cardLine), "reports"),
    first: "result"
  })
}
