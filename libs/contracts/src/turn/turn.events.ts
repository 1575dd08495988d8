/**
 * Durable events of a Turn: its admission and its one result.
 *
 * Ordering: `turn-admitted` is stored before anything acts on the input; `turn-settled` is stored once, after every response of the Turn.
 */
import { Schema } from "effect"
import { SessionAvailability } from "../session/session.schema.ts"
import { HarnessName, TurnOrigin, TurnResultKind } from "./turn.schema.ts"

export const TurnAdmitted = Schema.Struct({
  input: Schema.String,
  origin: TurnOrigin,
  /** True only: the input was authored by a program. */
  entry: Schema.optionalKey(Schema.Literal(true)),
  harness: HarnessName,
  requestedModel: Schema.optionalKey(Schema.String),
  requestedEffort: Schema.optionalKey(Schema.String)
})
export type TurnAdmitted = typeof TurnAdmitted.Type

export const TurnSettled = Schema.Struct({
  result: TurnResultKind,
  detail: Schema.optionalKey(Schema.String),
  availability: SessionAvailability
})
export type TurnSettled = typeof TurnSettled.Type
