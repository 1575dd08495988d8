/** A list of Runs in words for a person. */
import type { RunListDocument, RunListRow } from "@steno/contracts"
import { visibleLine } from "./visible-text.ts"

const rowText = (row: RunListRow, all: boolean): ReadonlyArray<string> => [
  [row.runId, row.activityAt, row.state.padEnd(9), row.live ? "live" : "    ", visibleLine(row.harness), visibleLine(row.input)]
    .join("  "),
  ...(all ? [`    in ${visibleLine(row.workspacePath)}`] : [])
]

const emptyText = (filter: RunListDocument["filter"]): string =>
  `No ${filter.resumable ? "resumable " : ""}Runs${
    filter.workspacePath === undefined ? "" : ` in ${visibleLine(filter.workspacePath)}`
  }.`

/** Rows on stdout, newest first; ends with a newline. */
export const runListText = (list: RunListDocument): string =>
  list.rows.length === 0
    ? `${emptyText(list.filter)}\n`
    : `${list.rows.flatMap((row) => rowText(row, list.filter.all)).join("\n")}\n`

/** How to go on, when there is more. */
export const moreRunsText = (list: RunListDocument): string | undefined =>
  list.nextCursor === undefined ? undefined : `Older Runs: add --before ${visibleLine(list.nextCursor)}\n`
