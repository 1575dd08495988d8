/**
 * Whether a text says how long the output is that it stands for.
 *
 * Owns: finding the totals in words of any kind, so that other rules' texts can be judged as well.
 * Limits: a number that stands in the output itself says nothing about it.
 */
import type { LabelledCase } from "./labelled-case.ts"
import { visibleText } from "./shown-text.ts"

/** `whole`: the complete output is shown, so nothing has to be said. */
export type StatedTotals = "whole" | "both" | "lines" | "bytes" | "none"

type Measured = Pick<LabelledCase, "text" | "visible" | "lines" | "bytes">

const quantityPattern =
  /(?<whole>\d{1,3}(?:[,_ '\u202f]\d{3})+|\d+)(?<decimals>\.\d+)?\s*-?\s*(?<scale>k|m|ki|mi)?(?<unit>b|bytes?|lines?|chars?|characters?|tokens?)?\b/giu

/** Characters beside a number in which its noun may stand. */
const nearby = 24
const scaledTolerance = 0.03
const plainTolerance = 0.0005

const factorsOf = (scale: string): ReadonlyArray<number> =>
  scale.startsWith("k") ? [1_000, 1_024] : scale.startsWith("m") ? [1_000_000, 1_048_576] : [1]

interface Quantity {
  readonly value: number
  readonly scale: string
  readonly unit: string
  readonly around: string
  /** The number with a little of what stands beside it. */
  readonly quote: string
}

const quantitiesIn = (shown: string): ReadonlyArray<Quantity> =>
  [...shown.matchAll(quantityPattern)].map((match) => {
    const { decimals = "", scale = "", unit = "", whole = "" } = match.groups ?? {}
    const end = match.index + match[0].length
    return {
      value: Number(whole.replace(/[,_ '\u202f]/g, "") + decimals),
      scale: scale.toLowerCase(),
      unit: unit.toLowerCase(),
      around: shown.slice(Math.max(0, match.index - nearby), end + nearby).toLowerCase(),
      quote: shown.slice(Math.max(0, match.index - 12), end + 8)
    }
  })

const saysLines = ({ around, scale, unit, value }: Quantity, lines: number): boolean =>
  scale === "" && Math.abs(value - lines) <= 1 && (/^lines?$/.test(unit) || /\blines?\b/.test(around))

const saysSize = ({ around, scale, unit, value }: Quantity, sizes: ReadonlyArray<number>): boolean => {
  if (!/^(b|bytes?|chars?|characters?)$/.test(unit) && !/\b(bytes?|chars?|characters?)\b/.test(around)) return false
  const tolerance = scale === "" ? plainTolerance : scaledTolerance
  return factorsOf(scale).some((factor) => sizes.some((size) => Math.abs(value * factor - size) <= tolerance * size))
}

export const statedTotals = (shown: string, { bytes, lines, text, visible }: Measured): StatedTotals => {
  if (shown.length >= text.length && shown.includes(text)) return "whole"
  const said = quantitiesIn(visibleText(shown))
  const isOwn = ({ quote }: Quantity) => !visible.includes(quote)
  const ofLines = said.some((quantity) => saysLines(quantity, lines) && isOwn(quantity))
  const ofSize = said.some((quantity) => saysSize(quantity, [bytes, text.length]) && isOwn(quantity))
  return ofLines ? (ofSize ? "both" : "lines") : ofSize ? "bytes" : "none"
}
