/**
 * Reads fields of native frames; a malformed field is as good as absent.
 *
 * Never owns: what a field means (the readers of frames).
 */

export type Fields = Readonly<Record<string, unknown>>

export const none: Fields = {}

export const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)

export const fieldsAt = (fields: Fields, name: string): Fields => {
  const value = fields[name]
  return isFields(value) ? value : none
}

/** Absent where it is no text, or an empty one. */
export const textAt = (fields: Fields, name: string): string | undefined => {
  const value = fields[name]
  return typeof value === "string" && value !== "" ? value : undefined
}

/** Whole and not negative. */
export const wholeAt = (fields: Fields, name: string): number | undefined => {
  const value = fields[name]
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : undefined
}

/** Finite and not negative. */
export const numberAt = (fields: Fields, name: string): number | undefined => {
  const value = fields[name]
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : undefined
}

export const listAt = (fields: Fields, name: string): ReadonlyArray<unknown> => {
  const value = fields[name]
  return Array.isArray(value) ? value : []
}

/** The elements that are records. */
export const recordsAt = (fields: Fields, name: string): ReadonlyArray<Fields> => listAt(fields, name).filter(isFields)

export const textsAt = (fields: Fields, name: string): ReadonlyArray<string> =>
  listAt(fields, name).filter((value) => typeof value === "string")
