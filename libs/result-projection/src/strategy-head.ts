/**
 * Shows the first whole lines of a result.
 *
 * Limits: status first, then as many leading lines as fit, then the notice; if not even those fit, the notice alone.
 */
import { type Candidate, type Continuation, imagesOf } from "./candidate.ts"
import { countWords } from "./process-status.ts"
import type { Budget } from "./profiles.ts"
import { contentLines, noticeLines, rangeFrom, type Reduced, type Strategy } from "./strategy.ts"
import { isWithin, leadingLines, roomBeside, sizeOf } from "./text-lines.ts"

const continuationSentence = ({ kind, value }: Continuation): string =>
  kind === "line" ? `Continue at offset ${value}.` : `Continue at byte ${value}.`

const headNotice = (candidate: Candidate, total: Budget, shown: Budget, omittedLines: number): ReadonlyArray<string> =>
  noticeLines(
    candidate,
    `${shown.lines} of ${countWords(total.lines, "line", "lines")} shown (${shown.bytes} of ${
      countWords(total.bytes, "byte", "bytes")
    }), ${omittedLines} not shown`,
    ...candidate.continuation.map(continuationSentence)
  )

/** The notice alone: not even status and notice fit. */
export const noticeAlone = (
  candidate: Candidate,
  strategy: Reduced["strategy"],
  notice: ReadonlyArray<string>,
  total: number
): Reduced => ({
  strategy,
  lines: notice,
  images: imagesOf(candidate),
  payload: { lines: 0, bytes: 0 },
  kept: [],
  omitted: total === 0 ? [] : [{ from: 1, to: total }]
})

export const head: Strategy = (candidate, { contentLines: most = Infinity, overflow }) => {
  const content = contentLines(candidate)
  const total = sizeOf(content)
  const reserved = [...candidate.status, ...headNotice(candidate, total, total, total.lines)]
  const room = roomBeside(reserved, overflow)
  const count = leadingLines(content, { lines: Math.min(room.lines, most), bytes: room.bytes })
  const shown = content.slice(0, count)
  const notice = headNotice(candidate, total, sizeOf(shown), total.lines - count)
  if (!isWithin(sizeOf(reserved), overflow)) {
    return noticeAlone(candidate, "head", headNotice(candidate, total, { lines: 0, bytes: 0 }, total.lines), total.lines)
  }
  return {
    strategy: "head",
    lines: [...candidate.status, ...shown, ...notice],
    images: imagesOf(candidate),
    payload: sizeOf(shown),
    kept: rangeFrom(1, count, "first lines"),
    omitted: count === total.lines ? [] : [{ from: count + 1, to: total.lines }],
    ...(candidate.continuation[0] === undefined ? {} : { continuation: candidate.continuation[0] })
  }
}
