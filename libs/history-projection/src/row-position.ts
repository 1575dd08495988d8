/**
 * Positions: texts that sort as strings and always leave room between two of them.
 *
 * Owns: their form, a count of eight digits and, where a row came in between, a fraction that ends in no zero.
 */
const base = 36
const countDigits = 8
const middle = base ** countDigits / 2

const countOf = (position: string): number => Number.parseInt(position.slice(0, countDigits), base)
const fractionOf = (position: string): string => position.slice(countDigits)
const positionOf = (count: number, fraction = ""): string => count.toString(base).padStart(countDigits, "0") + fraction

const digitAt = (fraction: string, index: number): number => Number.parseInt(fraction[index] ?? "0", base)

/** A fraction above `lower` and below `upper`; without `upper` only below the next whole. */
const fractionBetween = (lower: string, upper: string | undefined): string => {
  let digits = ""
  let bounded = upper !== undefined
  for (let index = 0;; index++) {
    const low = digitAt(lower, index)
    const high = bounded ? digitAt(upper ?? "", index) : base
    const digit = Math.floor((low + high) / 2)
    if (digit > low) return digits + digit.toString(base)
    digits += low.toString(base)
    if (high > low) bounded = false
  }
}

/** A position above `lower` and below `upper`, each if given; `lower` must sort before `upper`. */
export const positionBetween = (lower: string | undefined, upper: string | undefined): string => {
  if (lower === undefined) return positionOf(upper === undefined ? middle : countOf(upper) - 1)
  const count = countOf(lower)
  if (upper === undefined || countOf(upper) - count > 1) return positionOf(count + 1)
  return positionOf(count, fractionBetween(fractionOf(lower), countOf(upper) === count ? fractionOf(upper) : undefined))
}
