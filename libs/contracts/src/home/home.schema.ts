/** The frozen `--json` shapes of `doctor` and `gc`. */
import { Schema } from "effect"
import { ByteCount } from "../units.ts"

export const DoctorFinding = Schema.Struct({
  code: Schema.String,
  severity: Schema.Literals(["ok", "warning", "error"]),
  subject: Schema.String,
  explanation: Schema.String,
  remediation: Schema.optionalKey(Schema.String)
})
export type DoctorFinding = typeof DoctorFinding.Type

export const DoctorDocument = Schema.Struct({
  family: Schema.Literal("doctor"),
  /** No finding is an error. */
  ok: Schema.Boolean,
  findings: Schema.Array(DoctorFinding)
})
export type DoctorDocument = typeof DoctorDocument.Type

const Amount = Schema.Struct({ runs: Schema.Int, bytes: ByteCount })

export const GcDocument = Schema.Struct({
  family: Schema.Literal("gc"),
  /** With `dryRun`: what would be removed. */
  removed: Amount,
  kept: Amount,
  dryRun: Schema.Boolean
})
export type GcDocument = typeof GcDocument.Type
