/** The frozen `--json` shape of `project` and of `run read --call … --explain`: what a model sees of an output, and why. */
import { Schema } from "effect"
import { ByteCount, LineCount } from "../units.ts"
import { CallReason } from "./call.events.ts"

/** 1-based line of the output. */
const LineNumber = Schema.Int.check(Schema.isGreaterThanOrEqualTo(1))

export const ProjectionDocument = Schema.Struct({
  family: Schema.Literal("projection"),
  text: Schema.String,
  /** The complete output is in the text. */
  fits: Schema.Boolean,
  /** Name of the budgets. */
  profile: Schema.String,
  /** Name of the way it was shortened. */
  strategy: Schema.String,
  totalLines: LineCount,
  totalBytes: ByteCount,
  /** Of the output, without the words around it. */
  payloadLines: LineCount,
  payloadBytes: ByteCount,
  /** In file order; empty while everything or nothing is shown. */
  kept: Schema.Array(Schema.Struct({ line: LineNumber, why: Schema.String })),
  /** Both ends belong to it. */
  omitted: Schema.Array(Schema.Struct({ from: LineNumber, to: LineNumber })),
  /** What the model was shown, where that is another text than `text`. */
  storedText: Schema.optionalKey(Schema.String),
  /** What the reader must know of this answer; absent: nothing. */
  warnings: Schema.optionalKey(Schema.Array(CallReason))
})
export type ProjectionDocument = typeof ProjectionDocument.Type
