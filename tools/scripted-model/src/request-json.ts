/** Reads of a request's JSON that take what is there and miss what is not. */

export type JsonRecord = Readonly<Record<string, unknown>>

export const recordOf = (value: unknown): JsonRecord =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? Object.fromEntries(Object.entries(value)) : {}

export const listOf = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

export const recordsOf = (value: unknown): ReadonlyArray<JsonRecord> => listOf(value).map(recordOf)

export const textOf = (value: unknown): string => (typeof value === "string" ? value : "")

/** The text of a content that is a string or a list of typed parts; a part without text is named by its type. */
export const contentText = (content: unknown): string => {
  if (typeof content === "string") return content
  return recordsOf(content).map((part) => (typeof part["text"] === "string" ? part["text"] : `[${textOf(part["type"])}]`)).join("\n")
}
