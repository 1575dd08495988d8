/** Ranges of numbers that a person types, checked before anything is asked of the Port. */
import type { Problem } from "@steno/contracts"
import { Result } from "effect"

export interface NumberRange {
  /** As it appears in the Problem. */
  readonly field: string
  readonly minimum: number
  readonly maximum: number
}

/** `limit-invalid` with one field violation when `value` is outside the range; an absent value is fine. */
export const checkRange = (value: number | undefined, range: NumberRange): Result.Result<void, Problem> => {
  if (value === undefined || (value >= range.minimum && value <= range.maximum)) return Result.void
  const allowed = range.maximum === Number.MAX_SAFE_INTEGER
    ? `at least ${range.minimum}`
    : `between ${range.minimum} and ${range.maximum}`
  const explanation = `${value} is not ${allowed}.`
  return Result.fail({
    code: "limit-invalid",
    explanation: `--${range.field} is out of range.`,
    remediation: `Give --${range.field} a value ${allowed}.`,
    possibleEffects: "none",
    fieldViolations: [{ field: range.field, explanation }]
  })
}
