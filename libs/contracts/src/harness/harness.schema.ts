/**
 * The frozen `--json` shape of `harness list` and `harness check`.
 *
 * Owns: what a client sees of the harnesses that this home can use.
 * Never owns: which capabilities there are and what proves one (harness-seam), how a program is looked for (its adapter).
 */
import { Schema } from "effect"

/** `limited`: usable, and something of it is missing. `not-checked`: nobody looked, for that would cost more than a list may. */
export const HarnessQualification = Schema.Literals(["qualified", "limited", "unavailable", "not-checked"])
export type HarnessQualification = typeof HarnessQualification.Type

export const HarnessCapability = Schema.Struct({
  name: Schema.String,
  state: Schema.Literals(["supported", "limited", "unsupported"]),
  /** How an interruption is proven, or when the coordinate of the native session is known. */
  mode: Schema.optionalKey(Schema.String),
  /** How it is known; empty for what nobody claims. */
  evidence: Schema.Array(Schema.Literals(["probe", "schema", "recording", "documented"])),
  /** What a person should know of it. */
  limits: Schema.optionalKey(Schema.Array(Schema.String))
})
export type HarnessCapability = typeof HarnessCapability.Type

/** A way to name a model, and whether such a model can be asked from here. */
export const HarnessModels = Schema.Struct({
  /** As `--model` takes it, with capitals for what a person fills in: `anthropic/MODEL`. */
  name: Schema.String,
  available: Schema.Boolean,
  /** What it needs, and what of that is there; never a value. */
  needs: Schema.String
})
export type HarnessModels = typeof HarnessModels.Type

export const HarnessEntry = Schema.Struct({
  /** As `--harness` takes it. */
  id: Schema.String,
  name: Schema.String,
  /** True only: taken by a Run that names none. */
  default: Schema.optionalKey(Schema.Literal(true)),
  found: Schema.Boolean,
  /** Absolute path of its program; absent where it is part of Steno. */
  path: Schema.optionalKey(Schema.String),
  version: Schema.optionalKey(Schema.String),
  qualification: HarnessQualification,
  /** Why it is not `qualified`. */
  reason: Schema.optionalKey(Schema.String),
  /** What it needs, in one sentence. */
  needs: Schema.optionalKey(Schema.String),
  /** Absent where it chooses its models itself. */
  models: Schema.optionalKey(Schema.Array(HarnessModels)),
  /** Of a check: every capability there is. */
  capabilities: Schema.optionalKey(Schema.Array(HarnessCapability))
})
export type HarnessEntry = typeof HarnessEntry.Type

/** A check has exactly the harness that was asked for. */
export const HarnessCatalog = Schema.Struct({
  family: Schema.Literal("harness-catalog"),
  harnesses: Schema.Array(HarnessEntry)
})
export type HarnessCatalog = typeof HarnessCatalog.Type
