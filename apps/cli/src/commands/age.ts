/** How old something must be, as a person types it: `30d` or `12h`. */

const unitMs: Readonly<Record<string, number>> = { h: 3_600_000, d: 86_400_000 }

/** Milliseconds; undefined for everything that is not a whole number of up to five digits and `d` or `h`. */
export const parseAge = (text: string): number | undefined => {
  const [, amount, unit] = /^(\d{1,5})([dh])$/.exec(text) ?? []
  const perUnit = unit === undefined ? undefined : unitMs[unit]
  return perUnit === undefined ? undefined : Number(amount) * perUnit
}
