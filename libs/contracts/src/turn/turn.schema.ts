/** Turns: origins and results. */
import { Schema } from "effect"

export const TurnOrigin = Schema.Literals(["user", "managed"])
export type TurnOrigin = typeof TurnOrigin.Type

export const TurnResultKind = Schema.Literals(["not-started", "completed", "failed", "interrupted", "lost"])
export type TurnResultKind = typeof TurnResultKind.Type

export const HarnessName = Schema.Struct({
  id: Schema.String,
  name: Schema.optionalKey(Schema.String),
  version: Schema.optionalKey(Schema.String)
})
export type HarnessName = typeof HarnessName.Type
