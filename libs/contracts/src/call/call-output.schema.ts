/**
 * The frozen `--json` shape of `run read --call`: one page of captured lines.
 */
import { Schema } from "effect"
import { CaptureStream } from "../asset/asset.schema.ts"
import { CallId } from "../ids/ids.schema.ts"
import { Problem } from "../problem/problem.schema.ts"
import { ByteCount, LineCount } from "../units.ts"
import { CallOutcome, CallState } from "./call.schema.ts"

export const TruncatedLine = Schema.Struct({
  /** 0-based line of the file. */
  line: LineCount,
  /** Length of the whole line. */
  bytes: ByteCount
})

export const CallOutput = Schema.Struct({
  found: Schema.Literal(true),
  type: Schema.Literal("call-output"),
  callId: CallId,
  stream: CaptureStream,
  totalLines: LineCount,
  totalBytes: ByteCount,
  /** 0-based first line of the page. */
  offset: LineCount,
  /** Exclusive. */
  endOffset: LineCount,
  nextOffset: Schema.optionalKey(LineCount),
  /** The stream is closed and `endOffset` = `totalLines`. */
  complete: Schema.Boolean,
  /** The call's state; once settled its outcome. */
  status: Schema.Union([CallState, CallOutcome]),
  captureTruncated: Schema.optionalKey(Schema.Struct({ droppedBytes: ByteCount })),
  truncatedLines: Schema.Array(TruncatedLine),
  lines: Schema.Array(Schema.String),
  /** Absolute; present when the page is not the whole stream. */
  path: Schema.optionalKey(Schema.String)
})
export type CallOutput = typeof CallOutput.Type

export const CallOutputDocument = Schema.Union([
  CallOutput,
  Schema.Struct({ found: Schema.Literal(false), problem: Problem })
])
