/**
 * A live fact: something that runs has printed nothing for `quietLimits.quietMs`.
 *
 * Never owns: a place in the log: it is told once per silence, to whoever listens then, and stored nowhere.
 */
import { Schema } from "effect"
import { CallId, RunId } from "../ids/ids.schema.ts"
import { Instant } from "../units.ts"

export const Quiet = Schema.Struct({
  /** When the last output came, or the start where none came. */
  since: Instant,
  /** What stands on the last line, at most `quietLimits.lineBytes` of it; absent where every line is finished. */
  line: Schema.optionalKey(Schema.String)
})
export type Quiet = typeof Quiet.Type

export const QuietCall = Schema.Struct({ ...Quiet.fields, runId: RunId, callId: CallId })
export type QuietCall = typeof QuietCall.Type
