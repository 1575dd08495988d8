/**
 * Controls a client sends into a live Turn and what it is told at once.
 *
 * Limits: `accepted` says that the control was taken, never that it worked. A race is a receipt, not an error.
 */
import { Schema } from "effect"

export const ControlRejection = Schema.Literals(["unsupported", "expired", "already-settled", "shape-mismatch"])
export type ControlRejection = typeof ControlRejection.Type

export const ControlReceipt = Schema.Union([
  Schema.Struct({ kind: Schema.Literal("accepted") }),
  Schema.Struct({ kind: Schema.Literal("rejected"), reason: ControlRejection })
])
export type ControlReceipt = typeof ControlReceipt.Type

export const accepted: ControlReceipt = { kind: "accepted" }
export const rejected = (reason: ControlRejection): ControlReceipt => ({ kind: "rejected", reason })

/** Text of a person for the live Turn; `steerId` is unique in it. */
export interface Steer {
  readonly steerId: string
  readonly text: string
}

export interface ModelChoice {
  readonly model: string
  readonly effort?: string
}
