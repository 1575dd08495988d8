/** Checked number and time types that name their unit. */
import { Schema } from "effect"

const wholeFromZero = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

/** Bytes, from 0. */
export const ByteCount = wholeFromZero
/** Lines, from 0. */
export const LineCount = wholeFromZero
/** Milliseconds, from 0. */
export const Milliseconds = Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0))
/** Position in a Session's log, from 1. */
export const Sequence = Schema.Int.check(Schema.isGreaterThanOrEqualTo(1))
/** An instant in ISO-8601, UTC, with milliseconds. */
export const Instant = Schema.String.check(Schema.isPattern(/^\d{4,}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/))
export type Instant = typeof Instant.Type
