/**
 * Names the files that hold a result instead of showing it.
 *
 * Limits: a path is whole or absent; without a file it says so and shows the first lines.
 */
import { type Candidate, imagesOf } from "./candidate.ts"
import { countWords } from "./process-status.ts"
import { head } from "./strategy-head.ts"
import { contentLines, noticeLines, type Strategy } from "./strategy.ts"
import { isWithin, sizeOf } from "./text-lines.ts"

export const withoutFile = "no file holds the rest"

export const artifactIndex: Strategy = (candidate: Candidate, profile) => {
  if (candidate.files.length === 0) {
    return { ...head({ ...candidate, limited: candidate.limited ?? withoutFile }, profile), strategy: "artifact-index" }
  }
  const total = sizeOf(contentLines(candidate))
  const notice = noticeLines(
    candidate,
    `0 of ${countWords(total.lines, "line", "lines")} shown (${countWords(total.bytes, "byte", "bytes")}), ${total.lines} not shown`
  )
  const whole = [...candidate.status, ...notice]
  return {
    strategy: "artifact-index",
    lines: isWithin(sizeOf(whole), profile.overflow) ? whole : notice,
    images: imagesOf(candidate),
    payload: { lines: 0, bytes: 0 },
    kept: [],
    omitted: total.lines === 0 ? [] : [{ from: 1, to: total.lines }]
  }
}
