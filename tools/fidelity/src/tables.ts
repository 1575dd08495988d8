/**
 * Figures as rows of text, for a terminal and for the README.
 *
 * Owns: which figures stand in which column.
 */
import { type CaseScore, decoyShare, mustRecall } from "./score.ts"
import { type GroupRecall, type SetSummary, worstZone } from "./set-summary.ts"

type Row = ReadonlyArray<string>

const whole = (share: number): string => `${(100 * share).toFixed(0)} %`

/** Columns as wide as their widest cell; the first one begins at the left, figures end at the right. */
export const aligned = (rows: ReadonlyArray<Row>): ReadonlyArray<string> => {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? "").length)))
  return rows.map((row) =>
    row.map((cell, column) => column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)).join("  ").trimEnd()
  )
}

export const markdown = ([head = [], ...rows]: ReadonlyArray<Row>): ReadonlyArray<string> =>
  [head, head.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`)

export interface RuleResult {
  readonly name: string
  readonly summary: SetSummary
}

const ruleColumns = ["must", "worst zone", "should", "decoys", "median bytes"]

const ruleFigures = (summary: SetSummary): Row => [
  whole(summary.mustRecall),
  whole(worstZone(summary)),
  whole(summary.shouldRecall),
  whole(summary.decoyShare),
  summary.medianBytes.toFixed(0)
]

export const rulesTable = (results: ReadonlyArray<RuleResult>): ReadonlyArray<Row> => {
  const zones = [...results[0]?.summary.byZone.keys() ?? []]
  return [
    ["rule", ...ruleColumns, "complete", ...zones],
    ...results.map(({ name, summary }) => [
      name,
      ...ruleFigures(summary),
      whole(summary.complete),
      ...zones.map((zone) => whole(summary.byZone.get(zone)?.recall ?? 0))
    ])
  ]
}

/** Both sets side by side; every list has the same rules in the same order. */
export const rulesOfSets = (sets: ReadonlyArray<{ readonly name: string; readonly results: ReadonlyArray<RuleResult> }>): ReadonlyArray<Row> => [
  ["rule", ...sets.flatMap(({ name }) => ruleColumns.map((column, index) => index === 0 ? `\`${name}\`: ${column}` : column))],
  ...(sets[0]?.results ?? []).map(({ name }, index) => [
    name,
    ...sets.flatMap(({ results }) => {
      const result = results[index]
      return result === undefined ? [] : ruleFigures(result.summary)
    })
  ])
]

export const groupsTable = (noun: string, groups: ReadonlyMap<string, GroupRecall>): ReadonlyArray<Row> => [
  [noun, "must", "cases"],
  ...[...groups].map(([name, { cases, recall }]) => [name, whole(recall), String(cases)])
]

export const casesTable = (scores: ReadonlyArray<CaseScore>): ReadonlyArray<Row> => [
  ["case", "zone", "must", "", "should", "decoys", "bytes", "lines", "totals"],
  ...scores.map((score) => [
    score.id,
    score.zone,
    `${score.mustKept}/${score.mustOf}`,
    whole(mustRecall(score)),
    `${score.shouldKept}/${score.shouldOf}`,
    whole(decoyShare(score)),
    String(score.bytes),
    String(score.lines),
    score.totals
  ])
]
