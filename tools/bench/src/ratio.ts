/** Prints paired measurements as ratios with their spread. */

export interface Spread {
  readonly minimum: number
  readonly median: number
  readonly maximum: number
}

export const spread = (values: ReadonlyArray<number>): Spread => {
  const sorted = values.toSorted((left, right) => left - right)
  const at = (index: number) => sorted[index] ?? Number.NaN
  return { minimum: at(0), median: at(Math.floor(sorted.length / 2)), maximum: at(sorted.length - 1) }
}

const digits = (value: number) => value.toFixed(2)
const spreadText = ({ maximum, median, minimum }: Spread, unit: string) =>
  `min ${digits(minimum)}${unit}  median ${digits(median)}${unit}  max ${digits(maximum)}${unit}`

export interface Limit {
  readonly unit: string
  readonly atMost?: number
  readonly atLeast?: number
  /** Which of the values has to keep the limit; absent: the median. `maximum`: every one. */
  readonly judged?: keyof Spread
}

/** One measured claim: its values, their limit, and whether they keep it. */
export const report = (name: string, values: ReadonlyArray<number>, limit: Limit, note = ""): boolean => {
  const found = spread(values)
  const judged = found[limit.judged ?? "median"]
  const kept = (limit.atMost === undefined || judged <= limit.atMost) && (limit.atLeast === undefined || judged >= limit.atLeast)
  const words = limit.atMost === undefined
    ? limit.atLeast === undefined ? "" : `(at least ${limit.atLeast}${limit.unit})`
    : `(${limit.judged === "maximum" ? "each " : ""}at most ${limit.atMost}${limit.unit})`
  process.stdout.write(`${kept ? "keeps" : "MISSES"}  ${name}: ${spreadText(found, limit.unit)} ${words}${note === "" ? "" : `  ${note}`}\n`)
  return kept
}
