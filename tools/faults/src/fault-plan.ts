/**
 * What is to fail in one process, as its parent tells it, and what the process tells back.
 *
 * Owns: the shapes that both sides share.
 */

/** Whose operations are meant: those of files, or the writes of the ledger. */
export type FaultSide = "file" | "record"

export const faultCodes = ["EIO", "ENOSPC", "EACCES"] as const
export type FaultCode = typeof faultCodes[number]

/** `once`: this operation only. `side`: it and all later ones of its side. `disk`: it and all later ones of both sides. */
export const faultSpans = ["once", "side", "disk"] as const
export type FaultSpan = typeof faultSpans[number]

/** An operation of a Run: its words and the how-manieth of these words it is, from 1. */
export interface FaultPoint {
  readonly side: FaultSide
  /** `<operation> <file below the home>` or `<write>:<moment>`. */
  readonly words: string
  readonly nth: number
}

export interface Fault {
  readonly point: FaultPoint
  readonly code: FaultCode
  readonly span: FaultSpan
}

export interface FaultPlan {
  /** Absolute; operations elsewhere are left alone. */
  readonly home: string
  /** File outside the home that takes one line of JSON, a `FaultPoint` with `failed`, per operation. */
  readonly trace: string
  readonly fault: Fault | undefined
}

export interface TracedPoint extends FaultPoint {
  readonly failed: boolean
}

/** Variable that carries the plan; the process takes it out of its environment. */
export const planVariable = "STENO_FAULT_PLAN"
