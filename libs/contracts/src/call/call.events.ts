/**
 * Durable events of a tool call.
 *
 * Owns: the stored payloads. A stored version is never edited.
 */
import { Schema } from "effect"
import { CaptureFacts, ImageReference } from "../asset/asset.schema.ts"
import { AssetId, CallId } from "../ids/ids.schema.ts"
import { ByteCount, Instant, LineCount, Milliseconds } from "../units.ts"
import { AgentCallReply } from "./agent-call.schema.ts"
import { CallArguments, CallOrigin, CallOutcome, CommandArguments, Supervision, Survivor } from "./call.schema.ts"
import { Interaction } from "./interaction.schema.ts"

/** 1: a direct command. Calls of a model have no such event: they start with their `assistant-message`. */
export const DirectCommandStarted = Schema.Struct({
  callId: CallId,
  origin: CallOrigin,
  /** Catalog name; a direct command is `bash`. */
  tool: Schema.String,
  arguments: CommandArguments
})
export type DirectCommandStarted = typeof DirectCommandStarted.Type

/** 2: a call of an outside agent: one that it ran itself (`observed`) or asked its client for (`client`). */
export const OutsideCallStarted = Schema.Struct({
  callId: CallId,
  origin: Schema.Literals(["observed", "client"]),
  /** Of a client's call a catalog name; of an observed one the kind of tool it is. */
  tool: Schema.String,
  /** What it is about, in one string: a path, a pattern, a command line. */
  input: Schema.String,
  /** Of a client's call. */
  arguments: Schema.optionalKey(CallArguments),
  cwd: Schema.optionalKey(Schema.String),
  /** Item of the same Turn that this call runs under. */
  parentItemId: Schema.optionalKey(Schema.NonEmptyString)
})
export type OutsideCallStarted = typeof OutsideCallStarted.Type

export type ToolCallStarted = DirectCommandStarted | OutsideCallStarted

/** What a started call is about, and where, for a row. */
export const startedInput = (started: ToolCallStarted): { readonly input: string; readonly cwd?: string } => {
  if (!("input" in started)) return { input: started.arguments.command, cwd: started.arguments.cwd }
  return { input: started.input, ...(started.cwd === undefined ? {} : { cwd: started.cwd }) }
}

const cardDirection = Schema.Literals(["head", "tail", "mixed"])

/** At most six lines or items of one side of a card, with the count of hidden ones. */
export const CardPreview = Schema.Struct({
  lines: Schema.Array(Schema.String),
  hidden: Schema.Int,
  noun: Schema.String,
  /** Which part is shown: `head` the first lines, `tail` the last ones. */
  direction: cardDirection,
  /** Images of the result, shown as thumbnails. */
  images: Schema.optionalKey(Schema.Array(AssetId))
})
export type CardPreview = typeof CardPreview.Type

export const CardProjection = Schema.Struct({
  arguments: CardPreview,
  result: CardPreview,
  /** Both sides together; present when something is hidden. `mixed`: both sides are cut. */
  overflow: Schema.optionalKey(Schema.Struct({ hidden: Schema.Int, noun: Schema.String, direction: cardDirection })),
  /** Size of the whole result, and how it ended. */
  stats: Schema.optionalKey(Schema.Struct({
    lines: LineCount,
    bytes: ByteCount,
    exitCode: Schema.optionalKey(Schema.Int),
    signal: Schema.optionalKey(Schema.String),
    durationMs: Schema.optionalKey(Milliseconds)
  }))
})
export type CardProjection = typeof CardProjection.Type

export const RetainedOutput = Schema.Struct({
  /** Last 30,000 UTF-16 units of the output, well-formed. */
  text: Schema.String,
  /** True only: earlier output is not part of `text`. */
  dropped: Schema.optionalKey(Schema.Literal(true)),
  /** True only: the output may go on after what was kept. */
  incomplete: Schema.optionalKey(Schema.Literal(true))
})
export type RetainedOutput = typeof RetainedOutput.Type

export const CallReason = Schema.Struct({ code: Schema.String, text: Schema.String })
export type CallReason = typeof CallReason.Type

/** What an outside agent reported of a call it ran, beside its output. */
export const ReportedFacts = Schema.Struct({
  /** Its own words for output it left out; apart from `retainedOutput.dropped`. */
  nativeOmission: Schema.optionalKey(Schema.String),
  /** Zero is kept. */
  count: Schema.optionalKey(Schema.Struct({
    value: Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0)),
    unit: Schema.NonEmptyString
  })),
  /** Changed or looked at; an empty list was reported as such. */
  files: Schema.optionalKey(Schema.Array(Schema.Struct({
    path: Schema.NonEmptyString,
    kind: Schema.optionalKey(Schema.Literals(["create", "update", "delete"])),
    /** Unified text, or hunks; never cut. */
    patch: Schema.optionalKey(Schema.Union([
      Schema.String,
      Schema.Array(Schema.Struct({
        oldStart: LineCount,
        oldLines: LineCount,
        newStart: LineCount,
        newLines: LineCount,
        lines: Schema.Array(Schema.String)
      }))
    ])),
    additions: Schema.optionalKey(LineCount),
    removals: Schema.optionalKey(LineCount)
  })))
})
export type ReportedFacts = typeof ReportedFacts.Type

/** The one response of a call. Absent exit code and signal: none was collected. */
export const ToolCallResponse = Schema.Struct({
  callId: CallId,
  tool: Schema.String,
  origin: CallOrigin,
  outcome: CallOutcome,
  reason: Schema.optionalKey(CallReason),
  exitCode: Schema.optionalKey(Schema.Int),
  signal: Schema.optionalKey(Schema.String),
  /** True only: a limit ended the call. */
  timedOut: Schema.optionalKey(Schema.Literal(true)),
  startedAt: Schema.optionalKey(Instant),
  durationMs: Schema.optionalKey(Milliseconds),
  survivors: Schema.Array(Survivor),
  /** What a model sees; absent for observed calls and when it could not be prepared. */
  agentProjection: Schema.optionalKey(Schema.String),
  /** Images a model sees with `agentProjection`; their bytes are looked up when a request is made. */
  agentImages: Schema.optionalKey(Schema.Array(ImageReference)),
  cardProjection: Schema.optionalKey(CardProjection),
  retainedOutput: Schema.optionalKey(RetainedOutput),
  /** Of an observed call; absent when nothing of it was reported. */
  reported: Schema.optionalKey(ReportedFacts),
  capture: Schema.optionalKey(CaptureFacts),
  supervision: Schema.optionalKey(Supervision),
  /** What people were asked, in order, with what they answered; absent when nothing. */
  interactions: Schema.optionalKey(Schema.Array(Interaction)),
  /** Of an Agent call that was taken. */
  agentCallReply: Schema.optionalKey(AgentCallReply),
  /** The background process that the call became. */
  asyncBashId: Schema.optionalKey(Schema.String),
  warnings: Schema.Array(CallReason),
  assetIds: Schema.Array(AssetId)
})
export type ToolCallResponse = typeof ToolCallResponse.Type
