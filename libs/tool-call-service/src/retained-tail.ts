/**
 * The end of an output that is kept with its call. Pure.
 *
 * Limits: at most `retainedOutputUnits` UTF-16 units, never half a character; what was dropped once stays told.
 */
import { type RetainedOutput, retainedOutputUnits } from "@steno/contracts"

const isLowSurrogate = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff

export const retainedTail = (output: RetainedOutput): RetainedOutput => {
  const text = output.text.toWellFormed()
  if (text.length <= retainedOutputUnits) return { ...output, text }
  const cut = text.length - retainedOutputUnits
  return { ...output, text: text.slice(isLowSurrogate(text.charCodeAt(cut)) ? cut + 1 : cut), dropped: true }
}
