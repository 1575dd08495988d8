/**
 * The frozen `--json` shapes of `run read --transcript` and `run export`.
 *
 * Owns: what a client sees of a Session's stored conversation.
 * Never owns: which rows are conversation (history-projection).
 */
import { Schema } from "effect"
import { CallOutcome } from "../call/call.schema.ts"
import { UnreadablePlace } from "../event/unreadable-event.schema.ts"
import { CallId, TurnId } from "../ids/ids.schema.ts"
import { Problem } from "../problem/problem.schema.ts"
import { RunSnapshot } from "../run/run.schema.ts"
import { ByteCount, LineCount } from "../units.ts"

export const TranscriptEntry = Schema.Struct({
  session: Schema.String,
  role: Schema.Literals(["user", "assistant"]),
  content: Schema.String,
  kind: Schema.optionalKey(Schema.Literals(["message", "steer", "entry-prompt"])),
  turn: Schema.optionalKey(TurnId),
  steer: Schema.optionalKey(Schema.Struct({
    id: Schema.String,
    delivery: Schema.Literals(["within-turn", "after-boundary", "re-delivered"])
  })),
  /** True only: a retained partial. */
  incomplete: Schema.optionalKey(Schema.Literal(true))
})
export type TranscriptEntry = typeof TranscriptEntry.Type

/** Places in the log that cannot be read, in order; absent when there is none. An entry may be missing at each. */
const unreadable = Schema.optionalKey(Schema.Array(UnreadablePlace))

/** At most 20 entries, oldest first; the newest page comes first. */
export const TranscriptPage = Schema.Struct({
  found: Schema.Literal(true),
  type: Schema.Literal("transcript-page"),
  entries: Schema.Array(TranscriptEntry),
  /** Opaque cursor of the next older page; absent on the oldest. */
  older: Schema.optionalKey(Schema.String),
  unreadable
})
export type TranscriptPage = typeof TranscriptPage.Type

export const TranscriptExport = Schema.Struct({
  found: Schema.Literal(true),
  type: Schema.Literal("transcript-export"),
  entries: Schema.Array(TranscriptEntry),
  unreadable
})
export type TranscriptExport = typeof TranscriptExport.Type

/** `--json` of `run read --transcript`. */
export const TranscriptDocument = Schema.Union([
  Schema.Struct({ page: TranscriptPage, export: TranscriptExport }),
  Schema.Struct({ found: Schema.Literal(false), problem: Problem })
])

export const ExportedCall = Schema.Struct({
  callId: CallId,
  tool: Schema.String,
  input: Schema.String,
  outcome: Schema.optionalKey(CallOutcome),
  exitCode: Schema.optionalKey(Schema.Int),
  output: Schema.optionalKey(Schema.Struct({
    lines: LineCount,
    bytes: ByteCount,
    droppedBytes: Schema.optionalKey(ByteCount),
    /** Absolute. */
    path: Schema.optionalKey(Schema.String)
  }))
})

/** `run export --format json`. */
export const RunExport = Schema.Struct({
  family: Schema.Literal("run-export"),
  run: RunSnapshot,
  sessions: Schema.Array(Schema.Struct({
    session: Schema.String,
    entries: Schema.Array(TranscriptEntry),
    unreadable,
    calls: Schema.Array(ExportedCall)
  }))
})
export type RunExport = typeof RunExport.Type
