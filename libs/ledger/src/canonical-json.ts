/**
 * One text per JSON value, whatever the order of its keys.
 *
 * Owns: when two inputs of an Operation count as the same.
 */
import { Predicate } from "effect"

/** JSON with object keys in code-unit order; absent and undefined keys are the same. */
export const canonicalJson = (value: unknown): string => JSON.stringify(sorted(value))

const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted)
  if (!Predicate.isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1)).map(([key, entry]) => [key, sorted(entry)])
  )
}
