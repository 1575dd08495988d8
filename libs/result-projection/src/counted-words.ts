/** Numbers with their nouns: a plural is the one the noun really has, a duration reads in the unit that suits it. */
export const counted = (count: number, singular: string, plural: string): string => `${count} ${count === 1 ? singular : plural}`

export const durationText = (durationMs: number): string =>
  durationMs < 1_000 ? `${Math.round(durationMs)} ms` : `${(durationMs / 1_000).toFixed(1)} s`
