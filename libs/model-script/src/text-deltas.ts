/** A text in the pieces that a script wants it in. */
import type { ScriptPace } from "@steno/contracts"

/** Joined they are `text`; none is empty, none ends inside a code point. */
export const textDeltas = (text: string, deltaSize: ScriptPace["deltaSize"]): ReadonlyArray<string> => {
  if (text === "") return []
  if (deltaSize === undefined) return [text]
  const sizes = typeof deltaSize === "number" ? [deltaSize] : deltaSize
  const points = Array.from(text)
  const deltas: Array<string> = []
  for (let from = 0; from < points.length;) {
    const size = sizes[Math.min(deltas.length, sizes.length - 1)] ?? points.length
    deltas.push(points.slice(from, from + size).join(""))
    from += size
  }
  return deltas
}
