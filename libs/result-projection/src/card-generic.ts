/**
 * The card of a value nobody described: its first entries, bounded.
 *
 * Limits: those of `cardValueLimits`; dropped keys are not counted as hidden.
 */
import type { CardPreview } from "@steno/contracts"
import { firstOf } from "./card-lines.ts"
import { cardValueLimits, safeValue, type SafeValue, shownEntries, shownItems } from "./safe-value.ts"
import { visibleLines } from "./visible-lines.ts"

const nothingRegistered: ReadonlySet<string> = new Set()

const asText = (value: SafeValue): string => typeof value === "string" ? visibleLines(value).join(" ") : JSON.stringify(value)

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

export const genericPreview = (value: unknown, registered: ReadonlySet<string> = nothingRegistered): CardPreview => {
  const safe = safeValue(value, cardValueLimits, registered)
  if (value === undefined) return firstOf([], "entries")
  if (Array.isArray(value) && Array.isArray(safe)) {
    return firstOf(safe.map(asText), "entries", shownItems(value, registered).length)
  }
  if (isRecord(value) && isRecord(safe)) {
    const shown = Object.entries(safe).map(([key, inner]) => `${visibleLines(key).join(" ")}: ${asText(inner as SafeValue)}`)
    return firstOf(shown, "entries", shownEntries(value, cardValueLimits, registered).length)
  }
  return typeof safe === "string" ? firstOf(visibleLines(safe), "lines") : firstOf([asText(safe)], "entries")
}
