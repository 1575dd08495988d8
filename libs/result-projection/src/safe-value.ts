/**
 * Any value as plain data that is safe to show: bounded, without secrets and without claims nobody checked.
 *
 * Limits: depth, count and key length as given; a key that looks secret or names an environment is dropped with its value.
 */
import { looksSecret } from "./secret-keys.ts"
import { withoutUrlSecrets } from "./url-secrets.ts"

export type SafeValue =
  | string
  | number
  | boolean
  | null
  | ReadonlyArray<SafeValue>
  | { readonly [key: string]: SafeValue }

export interface SafeLimits {
  readonly depth: number
  readonly values: number
  readonly keys: number
  readonly items: number
  readonly keyCharacters: number
}

/** For cards. */
export const cardValueLimits: SafeLimits = { depth: 6, values: 128, keys: 6, items: 6, keyCharacters: 128 }

/** For a model: all of it, as long as it can be walked. */
export const wholeValueLimits: SafeLimits = { depth: 32, values: 100_000, keys: Infinity, items: Infinity, keyCharacters: 128 }

const deeper = "open details"
const environmentKeys: ReadonlySet<string> = new Set(["env", "environ", "environment", "environmentvariables"])
const claimRoles: ReadonlySet<unknown> = new Set(["primary", "recovery", "supporting"])

const isEnvironment = (key: string): boolean => environmentKeys.has(key.toLowerCase().replace(/[^a-z]/g, ""))

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** What a tool says about a file; shown only when the file is registered. */
const isUncheckedClaim = (value: unknown, registered: ReadonlySet<string>): boolean =>
  isRecord(value) && typeof value["path"] === "string" && claimRoles.has(value["role"]) && !registered.has(value["path"])

/** Keys that may be shown, in their order. */
export const shownEntries = (
  value: Readonly<Record<string, unknown>>,
  limits: SafeLimits,
  registered: ReadonlySet<string>
): ReadonlyArray<readonly [string, unknown]> =>
  Object.entries(value).filter(([key, inner]) =>
    key.length <= limits.keyCharacters && !looksSecret(key) && !isEnvironment(key) && inner !== undefined &&
    !isUncheckedClaim(inner, registered)
  )

export const shownItems = (value: ReadonlyArray<unknown>, registered: ReadonlySet<string>): ReadonlyArray<unknown> =>
  value.filter((item) => !isUncheckedClaim(item, registered))

const scalar = (value: unknown): SafeValue | undefined => {
  switch (typeof value) {
    case "string":
      return withoutUrlSecrets(value.toWellFormed())
    case "number":
      return Number.isFinite(value) ? value : null
    case "boolean":
      return value
    case "bigint":
      return `${value}`
    case "function":
      return `[function ${value.name}]`
    case "symbol":
      return "[symbol]"
    case "undefined":
      return null
    case "object":
      if (value === null) return null
      if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString()
      return value instanceof Error ? withoutUrlSecrets(value.message.toWellFormed()) : undefined
  }
}

/** @param registered paths of the files that may be named */
export const safeValue = (value: unknown, limits: SafeLimits, registered: ReadonlySet<string>): SafeValue => {
  let values = 0
  const walk = (inner: unknown, depth: number, above: ReadonlyArray<unknown>): SafeValue => {
    values++
    const plain = scalar(inner)
    if (plain !== undefined) return plain
    if (depth >= limits.depth || values > limits.values || above.includes(inner)) return deeper
    const path = [...above, inner]
    if (Array.isArray(inner)) {
      return shownItems(inner, registered).slice(0, limits.items).map((item) => walk(item, depth + 1, path))
    }
    return isRecord(inner)
      ? Object.fromEntries(
        shownEntries(inner, limits, registered).slice(0, limits.keys).map(([key, item]) => [
          key.toWellFormed(),
          walk(item, depth + 1, path)
        ])
      )
      : deeper
  }
  return isUncheckedClaim(value, registered) ? deeper : walk(value, 0, [])
}
