/**
 * Reads fields of frames that somebody else wrote: what is not of the form asked for is not there.
 */

export type JsonRecord = Readonly<Record<string, unknown>>

export const isRecord = (value: unknown): value is JsonRecord =>
  typeof value === "object" && value !== null && !Array.isArray(value)

export const recordOf = (value: unknown): JsonRecord => (isRecord(value) ? value : {})

export const recordsOf = (value: unknown): ReadonlyArray<JsonRecord> => (Array.isArray(value) ? value.filter(isRecord) : [])

export const textOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined)

/** A text with something in it. */
export const wordsOf = (value: unknown): string | undefined =>
  typeof value === "string" && value.trim() !== "" ? value : undefined

export const integerOf = (value: unknown): number | undefined => (Number.isSafeInteger(value) ? Number(value) : undefined)

/** An integer from 0. */
export const countOf = (value: unknown): number | undefined => {
  const integer = integerOf(value)
  return integer === undefined || integer < 0 ? undefined : integer
}

/** The first of `names` that holds words. */
export const firstWordsOf = (record: JsonRecord, names: ReadonlyArray<string>): string | undefined => {
  for (const name of names) {
    const words = wordsOf(record[name])
    if (words !== undefined) return words
  }
  return undefined
}
