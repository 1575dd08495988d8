/**
 * The last part of a call's output as text.
 *
 * Limits: at most 30,000 UTF-16 units and never half of a pair; pure.
 */
import { type RetainedOutput, retainedOutputUnits } from "@steno/contracts"

/** Enough for 30,000 units of three bytes each, a cut character at the start included. */
export const retainedWindowBytes = 3 * retainedOutputUnits + 16

const isContinuation = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80
const isLowSurrogate = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff

export interface OutputEnd {
  /** Last bytes of the output. */
  readonly bytes: Uint8Array
  /** Earlier output is not in `bytes`. */
  readonly cut: boolean
}

export const retainedText = (end: OutputEnd, units: number = retainedOutputUnits): RetainedOutput => {
  let start = 0
  if (end.cut) while (start < 3 && isContinuation(end.bytes[start])) start++
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(end.bytes.subarray(start))
  let from = Math.max(0, text.length - units)
  if (from > 0 && isLowSurrogate(text.charCodeAt(from))) from++
  return { text: text.slice(from), ...(end.cut || from > 0 ? { dropped: true as const } : {}) }
}
