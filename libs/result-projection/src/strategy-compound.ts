/**
 * Shows several reports: each whole while it is short, else the file that holds it, else its first lines.
 *
 * Limits: budgets hold per report, none for all of them together; one notice at the end counts for every report.
 */
import { type Candidate, imagesOf } from "./candidate.ts"
import { countWords } from "./process-status.ts"
import { recoveryLines } from "./file-lines.ts"
import type { Budget, Profile } from "./profiles.ts"
import { withoutFile } from "./strategy-artifact-index.ts"
import { contentLines, type Strategy } from "./strategy.ts"
import { isWithin, leadingLines, roomBeside, sizeOf } from "./text-lines.ts"

interface ShownReport {
  readonly lines: ReadonlyArray<string>
  readonly payload: Budget
  readonly total: Budget
  readonly isWhole: boolean
  readonly why: string
}

export const fitsAsReport = (report: Candidate, profile: Profile): boolean =>
  isWithin(sizeOf(contentLines(report)), profile.inline)

const showReport = (report: Candidate, profile: Profile, isKept: boolean): ShownReport => {
  const content = contentLines(report)
  const total = sizeOf(content)
  if (fitsAsReport(report, profile)) {
    return { lines: [...report.status, ...content], payload: total, total, isWhole: true, why: "whole" }
  }
  const files = recoveryLines(report.files)
  if (files.length > 0) {
    const whole = [...report.status, ...files]
    return {
      lines: isWithin(sizeOf(whole), profile.overflow) ? whole : files,
      payload: { lines: 0, bytes: 0 },
      total,
      isWhole: false,
      why: "by its file"
    }
  }
  const frame = [...report.status, ...(isKept ? [] : [`(${withoutFile})`])]
  const shown = content.slice(0, leadingLines(content, roomBeside(frame, profile.overflow)))
  return { lines: [...frame, ...shown], payload: sizeOf(shown), total, isWhole: false, why: "first lines" }
}

const jointNotice = (shown: ReadonlyArray<ShownReport>, files: ReadonlyArray<string>): ReadonlyArray<string> => {
  const cut = shown.flatMap(({ isWhole, payload, total }, index) =>
    isWhole
      ? []
      : [`report ${index + 1} (${payload.lines} of ${countWords(total.lines, "line", "lines")}, ${payload.bytes} of ${
        countWords(total.bytes, "byte", "bytes")
      })`]
  )
  return cut.length === 0
    ? []
    : [
      `[${shown.length - cut.length} of ${countWords(shown.length, "report", "reports")} shown whole; shown in part: ${cut.join(", ")}.]`,
      ...files
    ]
}

const separated = (groups: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<string> =>
  groups.filter((group) => group.length > 0).flatMap((group, index) => index === 0 ? group : ["", ...group])

export const compound: Strategy = (candidate, profile) => {
  const files = recoveryLines(candidate.files)
  const shown = candidate.reports.map((report) => showReport(report, profile, files.length > 0))
  return {
    strategy: "compound",
    lines: separated([candidate.status, ...shown.map(({ lines }) => lines), jointNotice(shown, files)]),
    images: imagesOf(candidate),
    payload: {
      lines: shown.reduce((sum, { payload }) => sum + payload.lines, 0),
      bytes: shown.reduce((sum, { payload }) => sum + payload.bytes, 0)
    },
    kept: shown.flatMap(({ isWhole, payload, why }, index) => isWhole || payload.lines > 0 ? [{ line: index + 1, why }] : []),
    omitted: shown.flatMap(({ isWhole }, index) => isWhole ? [] : [{ from: index + 1, to: index + 1 }])
  }
}
