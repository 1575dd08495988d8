/**
 * What lines gain from a grave line near them: the place it names, the frame of the program, what was awaited, the heading above.
 *
 * Owns: which lines belong to a grave one, and how much of its worth they take over.
 * Limits: looks only at lines that the survey kept.
 */
import { severities } from "./line-meaning.ts"
import { isForeign } from "./line-traits.ts"
import { fading, isSummary, type WorthTable } from "./line-worth.ts"
import type { Survey } from "./output-survey.ts"
import type { SurveyedLine } from "./passing-line.ts"

const reach = { above: 7, below: 14, belowFatal: 80 } as const

const isParagraphEnd = (lines: ReadonlyArray<SurveyedLine>, index: number): boolean =>
  lines[index - 1]?.line !== (lines[index]?.line ?? 0) - 1

const namesOwnPlace = (line: SurveyedLine): boolean =>
  line.traits.has("place") && !line.traits.has("quotedSource") && !isForeign(line.text)

/** Looks like a heading, and not like any line that happens to stand further left. */
const heads = (header: SurveyedLine, line: SurveyedLine): boolean =>
  header.traits.has("pathAlone") || header.traits.has("fileField") || header.traits.has("introducing") ||
  (header.severity <= severities.plain && !header.traits.has("comparison") && (line.line - header.line <= 3 || header.text.length < 50))

const offerAbove = (worths: WorthTable, lines: ReadonlyArray<SurveyedLine>, index: number, value: number) => {
  const anchor = lines[index]
  if (anchor === undefined) return
  let placed = anchor.traits.has("place")
  let sameParagraph = !isParagraphEnd(lines, index)
  let seen = 0
  for (let at = index - 1; at >= 0 && seen < 6; at--) {
    const line = lines[at]
    if (line === undefined || anchor.line - line.line > reach.above) break
    if (line.severity >= severities.error && line.shape === anchor.shape) break
    seen++
    if (!placed && namesOwnPlace(line) && line.severity >= severities.plain && line.shape.count <= 3 * anchor.shape.count + 2 && !isSummary(line)) {
      worths.offer(line, value * 0.68, "the place above an error", fading.near)
      placed = true
    } else if (seen === 1 && line.indent <= anchor.indent) worths.offer(line, value * 0.45, "above an error", fading.near)
    else if (seen <= 4 && sameParagraph && isParagraphEnd(lines, at)) worths.offer(line, value * 0.62, "begins the part with an error", fading.near)
    else if (seen <= 3 && line.traits.has("echo")) worths.offer(line, value * 0.6, "the command above an error", fading.near)
    if (isParagraphEnd(lines, at)) sameParagraph = false
  }
  if (anchor.header !== undefined && heads(anchor.header, anchor)) worths.offer(anchor.header, value * 0.75, "the heading above an error", fading.near)
}

const offerBelow = (worths: WorthTable, lines: ReadonlyArray<SurveyedLine>, index: number, value: number) => {
  const anchor = lines[index]
  if (anchor === undefined) return
  let placed = anchor.traits.has("place")
  let frames = 0
  let paragraphFrames = 0
  let afterFrames = false
  let compared = 0
  let seen = 0
  for (let at = index + 1; at < lines.length; at++) {
    const line = lines[at]
    if (line === undefined) break
    const { traits } = line
    const distance = line.line - anchor.line
    if (distance > (anchor.severity >= severities.fatal ? reach.belowFatal : reach.below)) break
    if (line.severity < severities.plain || line.shape === anchor.shape) break
    if (line.severity >= severities.error && !traits.has("frame") && distance > 3) break
    const near = 1 / (1 + distance / 12)
    if (isParagraphEnd(lines, at)) {
      if (traits.has("introducing") && line.shape.count >= 5 && line.indent <= anchor.indent && anchor.severity < severities.fatal) break
      paragraphFrames = 0
      if (seen > 0 && traits.has("introducing") && distance < 20 && line.shape.count < 5) worths.offer(line, value * 0.55, "begins a part about an error", fading.near)
    }
    seen++
    const speaks = traits.has("place") || traits.has("comparison") || traits.has("caret") || traits.has("frame")
    if (line.shape.count > 20 && line.shape.count > 4 * anchor.shape.count && line.indent <= anchor.indent && !speaks) continue
    if (seen === 1 && anchor.traits.has("introducing") && !traits.has("frame")) worths.offer(line, value * 0.8, "introduced by an error", fading.near)
    if (afterFrames && !traits.has("frame") && !traits.has("quotedSource") && !traits.has("caret") && line.indent >= anchor.indent) {
      worths.offer(line, value * 0.6 * near, "after the frames of an error", fading.near)
      afterFrames = false
    }
    if (traits.has("frame")) {
      afterFrames = true
      if (!isForeign(line.text) && paragraphFrames < 2 && frames < 4) {
        const share = paragraphFrames === 1 ? 0.4 : frames === 0 ? 0.85 : 0.65
        worths.offer(line, value * share * (distance > reach.below ? 0.85 : near), "a frame of the program", fading.near)
        if (paragraphFrames === 0) frames++
        paragraphFrames++
      }
    } else if (!placed && namesOwnPlace(line)) {
      worths.offer(line, value * 0.9 * near, "the place of an error", fading.near)
      placed = true
    } else if (traits.has("comparison") && !traits.has("echo") && compared < 4) {
      worths.offer(line, value * 0.72 / (1 + distance / 30), "what was awaited or came instead", fading.near)
      compared++
    } else if (traits.has("caret")) {
      const source = lines[at - 1]
      if (source?.traits.has("quotedSource") === true) worths.offer(source, value * 0.5 * near, "the source of an error", fading.near)
      if (/[a-z]{3}/.test(line.text)) worths.offer(line, value * 0.72 * near, "explains an error", fading.near)
    } else if (seen <= 3 && !traits.has("quotedSource") && /[a-z]{2}/i.test(line.text)) worths.offer(line, value * 0.6 * near, "below an error", fading.near)
  }
}

/** Raises the worths of what stands around each of `anchors`; the later ones of a shape count for less. */
export const offerSurroundings = (survey: Survey, anchors: ReadonlyArray<SurveyedLine>, worths: WorthTable): void => {
  const indices = new Map(survey.lines.map((line, index) => [line, index]))
  const times = new Map<unknown, number>()
  const values = anchors.map((anchor) => {
    const time = times.get(anchor.shape) ?? 0
    times.set(anchor.shape, time + 1)
    return worths.of(anchor).value * 0.65 ** time
  })
  for (const [order, anchor] of anchors.entries()) {
    const index = indices.get(anchor) ?? 0
    const value = values[order] ?? 0
    offerAbove(worths, survey.lines, index, value)
    offerBelow(worths, survey.lines, index, value)
  }
}
