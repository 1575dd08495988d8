/**
 * What a text keeps of the output that it stands for.
 *
 * Owns: the figures of one case.
 * Never owns: which figures are good enough (requirements).
 */
import type { Label, LabelledCase } from "./labelled-case.ts"
import { ShownText } from "./shown-text.ts"
import { type StatedTotals, statedTotals } from "./stated-totals.ts"

export interface CaseScore {
  readonly id: string
  readonly tool: string
  readonly zone: string
  readonly mustKept: number
  readonly mustOf: number
  readonly shouldKept: number
  readonly shouldOf: number
  /** Lines shown that are decoys and hold no line to keep. */
  readonly decoys: number
  /** Lines shown that are not blank. */
  readonly shownLines: number
  readonly bytes: number
  readonly lines: number
  readonly totals: StatedTotals
  readonly missed: ReadonlyArray<string>
  readonly missedShould: ReadonlyArray<string>
}

const isKept = (shown: ShownText, { alt = [], fragment = false, text }: Label): boolean =>
  shown.holds(text, fragment) || alt.some((other) => shown.holds(other))

const decoysIn = (shown: ShownText, { decoyPattern, decoys, mustKeep, shouldKeep }: LabelledCase): number => {
  const texts = new Set(decoys.map(({ text }) => text))
  const pattern = decoyPattern === null ? undefined : new RegExp(decoyPattern)
  const wanted = [...mustKeep, ...shouldKeep].flatMap(({ alt = [], text }) => [text, ...alt])
  return shown.lines.filter((line) =>
    (texts.has(line) || pattern?.test(line) === true) && !wanted.some((text) => line.includes(text))
  ).length
}

export const scoreCase = (labelled: LabelledCase, text: string): CaseScore => {
  const shown = new ShownText(text)
  const textsMissed = (labels: ReadonlyArray<Label>) => labels.filter((label) => !isKept(shown, label)).map((label) => label.text)
  const missed = textsMissed(labelled.mustKeep)
  const missedShould = textsMissed(labelled.shouldKeep)
  return {
    id: labelled.id,
    tool: labelled.tool,
    zone: labelled.zone,
    mustKept: labelled.mustKeep.length - missed.length,
    mustOf: labelled.mustKeep.length,
    shouldKept: labelled.shouldKeep.length - missedShould.length,
    shouldOf: labelled.shouldKeep.length,
    decoys: decoysIn(shown, labelled),
    shownLines: shown.lines.length,
    bytes: shown.bytes,
    lines: shown.lineCount,
    totals: statedTotals(text, labelled),
    missed,
    missedShould
  }
}

export const mustRecall = ({ mustKept, mustOf }: CaseScore): number => mustKept / mustOf

/** Undefined where nothing is labelled so. */
export const shouldRecall = ({ shouldKept, shouldOf }: CaseScore): number | undefined =>
  shouldOf === 0 ? undefined : shouldKept / shouldOf

export const decoyShare = ({ decoys, shownLines }: CaseScore): number => shownLines === 0 ? 0 : decoys / shownLines
