/**
 * Prints how much of what matters survives the shortening of real outputs, and judges it.
 *
 * Usage: `npm run fidelity [-- --all] [--kind] [--update]`: every case and not only those that miss something; recall by tool;
 * write summary.json and the table of the README. Ends with `N passed, N failed`; where `CI` is set, a difference to what is
 * kept there is a failure.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { changesBetween, readSummary, summaryOf, summaryText } from "./kept-summary.ts"
import { type CaseSet, caseSets, toolFolder } from "./labelled-case.ts"
import { peerRules } from "./peer-rules.ts"
import { projectCase } from "./projected-case.ts"
import { judge, type Judgement, type ScoredCase } from "./requirements.ts"
import { withResults } from "./results-region.ts"
import { type CaseScore, scoreCase } from "./score.ts"
import { summarise } from "./set-summary.ts"
import { simpleRules } from "./simple-rules.ts"
import { aligned, casesTable, groupsTable, markdown, type RuleResult, rulesOfSets, rulesTable } from "./tables.ts"

const { values: options } = parseArgs({
  options: { all: { type: "boolean" }, kind: { type: "boolean" }, update: { type: "boolean" } }
})
const summaryPath = join(toolFolder, "summary.json")
const readmePath = join(toolFolder, "README.md")
const missedCharacters = 150

const print = (lines: ReadonlyArray<string>) => process.stdout.write(`${lines.join("\n")}\n`)

interface SetResult {
  readonly name: string
  readonly scores: ReadonlyArray<CaseScore>
  readonly judgements: ReadonlyArray<Judgement>
  readonly results: ReadonlyArray<RuleResult>
}

const resultOf = ({ cases, name }: CaseSet): SetResult => {
  const scored = cases.map((labelled): ScoredCase => {
    const projected = projectCase(labelled)
    return { projected, score: scoreCase(labelled, projected.text) }
  })
  const scores = scored.map(({ score }) => score)
  const summary = summarise(scores)
  const others = Object.entries({ ...simpleRules, ...peerRules }).map(([rule, show]) => ({
    name: rule,
    summary: summarise(cases.map((labelled) => scoreCase(labelled, show(labelled))))
  }))
  return { name, scores, judgements: judge(summary, scored), results: [{ name: "Steno", summary }, ...others] }
}

const caseLines = (scores: ReadonlyArray<CaseScore>): ReadonlyArray<string> => {
  const [head = "", ...rows] = aligned(casesTable(scores))
  const missed = scores.map((score) => score.missed.map((text) => `    missed: ${text.slice(0, missedCharacters)}`))
  return [head, ...rows.flatMap((row, index) => [row, ...missed[index] ?? []])]
}

const printSet = ({ judgements, name, results, scores }: SetResult) => {
  const shown = scores.filter(({ missed }) => options.all === true || missed.length > 0)
  print(["", `== ${name}: ${scores.length} cases, ${scores.filter(({ missed }) => missed.length === 0).length} of them complete`])
  if (shown.length > 0) print(["", ...caseLines(shown)])
  print(["", ...aligned(rulesTable(results))])
  const steno = results[0]?.summary
  if (options.kind === true && steno !== undefined) print(["", ...aligned(groupsTable("tool", steno.byTool))])
  print(["", ...judgements.map(({ claim, found, holds }) => `${holds ? "ok  " : "FAIL"} ${name}: ${claim}: ${found}`)])
}

const sets = caseSets().map(resultOf)
sets.forEach(printSet)

const summary = summaryOf(sets)
const wantedReadme = withResults(readFileSync(readmePath, "utf8"), markdown(rulesOfSets(sets)))
const changes = changesBetween(readSummary(readFileSync(summaryPath, "utf8")), summary)
print(["", ...(changes.length === 0 ? ["Every case is as summary.json has it."] : ["Against summary.json:", ...changes])])
if (options.update === true) {
  writeFileSync(summaryPath, summaryText(summary))
  writeFileSync(readmePath, wantedReadme)
}

const isKept = readFileSync(summaryPath, "utf8") === summaryText(summary) && readFileSync(readmePath, "utf8") === wantedReadme
const inCi = (process.env["CI"] ?? "") !== ""
if (isKept) print(["ok   summary.json and README.md are those of this run"])
else print([`${inCi ? "FAIL" : "note"} summary.json or README.md is not that of this run; run \`npm run fidelity -- --update\` and commit both`])

const judgements = sets.flatMap((set) => set.judgements.map(({ holds }) => holds)).concat(isKept ? [true] : inCi ? [false] : [])
const failed = judgements.filter((holds) => !holds).length
print(["", `${judgements.length - failed} passed, ${failed} failed`])
process.exitCode = failed === 0 ? 0 : 1
