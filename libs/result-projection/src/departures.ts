/**
 * Where an output that went on in the same way begins to say new things, without calling anything an error.
 *
 * Owns: finding the longest stretches without a new shape, and what ended them.
 */
import { fading, type WorthTable } from "./line-worth.ts"
import type { Survey } from "./output-survey.ts"
import type { ShapeCount } from "./passing-line.ts"

/** A stretch counts from this share of the output and this many lines. */
const stretch = { share: 0.05, lines: 12 } as const
const departures = 2
const around = { before: 4, after: 6 } as const
const worth = { fresh: 4, beside: 2.4, perLine: 0.12 } as const

export const offerDepartures = (survey: Survey, worths: WorthTable): void => {
  const seen = new Set<ShapeCount>()
  const fresh = survey.lines.filter((line) => {
    const isFresh = !seen.has(line.shape) && line.traits.has("worded")
    seen.add(line.shape)
    return isFresh
  })
  const freshLines = new Set(fresh)
  const longest = fresh.map((line, at) => ({ from: line.line, after: line.line - (fresh[at - 1]?.line ?? 0) }))
    .filter(({ after }) => after >= survey.totalLines * stretch.share && after >= stretch.lines)
    .sort((left, right) => right.after - left.after || left.from - right.from).slice(0, departures)
  for (const { from } of longest) {
    for (const line of survey.lines) {
      const distance = line.line - from
      if (distance < -around.before || distance > around.after) continue
      const isFresh = freshLines.has(line)
      worths.offer(
        line,
        (isFresh ? worth.fresh : worth.beside) - Math.abs(distance) * worth.perLine,
        isFresh ? "new after a long stretch of the same" : "beside something new",
        fading.near
      )
    }
  }
}
