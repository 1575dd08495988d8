/**
 * How a Turn ended.
 *
 * Owns: the five results with their details.
 * Limits: a result never carries text of the Turn; failures have at most `turnFailureUnits` UTF-16 units.
 */
import { turnFailureUnits } from "@steno/contracts"
import { Schema } from "effect"

/** `open`: takes the next Turn; `detached`: can be reattached by its coordinate; `unusable`: proven to be gone. */
export const SeamAvailability = Schema.Literals(["open", "detached", "unusable"])
export type SeamAvailability = typeof SeamAvailability.Type

export const TurnFailureReason = Schema.Literals([
  "unrecordable", "fenced", "protocol", "line-too-long", "process-exited", "native", "auth", "context"
])
export type TurnFailureReason = typeof TurnFailureReason.Type

export const TurnFailure = Schema.Struct({ reason: TurnFailureReason, text: Schema.String })
export type TurnFailure = typeof TurnFailure.Type

/** Cut to the limit, well-formed. `text` is the adapter's own words or the provider's reason, never text of the Turn. */
export const turnFailure = (reason: TurnFailureReason, text: string): TurnFailure => ({
  reason,
  text: text.slice(0, turnFailureUnits).toWellFormed()
})

/** What proves an interruption: the matching native end, or a process that stopped when it was asked to. */
export const InterruptEvidence = Schema.Literals(["active-turn", "process-only"])
export type InterruptEvidence = typeof InterruptEvidence.Type

export const CheckpointReceipt = Schema.Literals(["stored", "refused"])
export type CheckpointReceipt = typeof CheckpointReceipt.Type

const availability = SeamAvailability
const model = Schema.optionalKey(Schema.String)

export const TurnResult = Schema.Union([
  /** Nothing began. */
  Schema.Struct({ kind: Schema.Literal("not-started"), failure: TurnFailure }),
  /** The harness declared it so. */
  Schema.Struct({
    kind: Schema.Literal("completed"),
    availability,
    model,
    checkpoint: Schema.optionalKey(CheckpointReceipt)
  }),
  Schema.Struct({ kind: Schema.Literal("failed"), failure: TurnFailure, availability, model }),
  Schema.Struct({ kind: Schema.Literal("interrupted"), confirmedBy: InterruptEvidence, availability }),
  Schema.Struct({
    kind: Schema.Literal("lost"),
    /** What nobody can say: whether the input was taken, whether the Turn ended, whether the interrupt worked. */
    unknown: Schema.Literals(["acceptance", "completion", "interruption"]),
    /** The adapter's own words for what it saw last. */
    lastObservation: Schema.String,
    availability,
    failure: Schema.optionalKey(TurnFailure)
  })
])
export type TurnResult = typeof TurnResult.Type
