/**
 * Runs: states and the frozen `--json` shapes of `run start`, `run show`, `run list`.
 *
 * Owns: what a client sees of a Run.
 * Never owns: how it is built (application).
 */
import { Schema } from "effect"
import { CallReason } from "../call/call.events.ts"
import { CallOutcome, CallState, Survivor } from "../call/call.schema.ts"
import { ApprovalSegment, Question } from "../call/interaction.schema.ts"
import { UnreadableFacts } from "../event/unreadable-event.schema.ts"
import { CallId, ConversationId, RequestId, RunId, TurnId } from "../ids/ids.schema.ts"
import { ActionOffer } from "../operation/operation.schema.ts"
import { PolicyRule } from "../policy/policy.schema.ts"
import { Problem } from "../problem/problem.schema.ts"
import { SessionAvailability } from "../session/session.schema.ts"
import { HarnessName, TurnOrigin, TurnResultKind } from "../turn/turn.schema.ts"
import { ByteCount, Instant, LineCount, Milliseconds } from "../units.ts"

export const RunState = Schema.Literals(["running", "blocked", "halted", "failed", "succeeded", "cancelled"])
export type RunState = typeof RunState.Type

export const RunKind = Schema.Literals(["once", "interactive"])
export type RunKind = typeof RunKind.Type

export const RunLiveness = Schema.Struct({
  state: Schema.Literals(["live", "resting", "live-elsewhere"]),
  ownerPid: Schema.optionalKey(Schema.Int)
})

export const RunSession = Schema.Struct({
  session: Schema.String,
  conversationId: ConversationId,
  availability: SessionAvailability,
  /** Opaque reference to the newest transcript page. */
  transcriptPage: Schema.String,
  /** Opaque reference to the complete transcript. */
  transcriptExport: Schema.String
})

export const RunTurn = Schema.Struct({
  turnId: TurnId,
  session: Schema.String,
  origin: TurnOrigin,
  /** True only: the input was authored by a program. */
  entry: Schema.optionalKey(Schema.Literal(true)),
  result: Schema.optionalKey(TurnResultKind),
  /** Why it ended so: a code, or words where a model or its provider failed. */
  detail: Schema.optionalKey(Schema.String),
  admittedAt: Instant,
  settledAt: Schema.optionalKey(Instant),
  durationMs: Schema.optionalKey(Milliseconds)
})

export const TimelineEntry = Schema.Struct({
  at: Instant,
  event: Schema.Literals([
    "turn-admitted",
    "assistant-content",
    "thought",
    "tool-call-started",
    "tool-call-settled",
    "request-raised",
    "request-answered",
    "request-expired",
    "steer",
    "agent-call",
    "async-bash",
    "turn-settled"
  ]),
  detail: Schema.optionalKey(Schema.String),
  turnId: Schema.optionalKey(TurnId),
  /** True only: that it happened is known, what it said cannot be read. */
  unreadable: Schema.optionalKey(Schema.Literal(true))
})

export const RunCallOutput = Schema.Struct({
  lines: LineCount,
  bytes: ByteCount,
  droppedBytes: Schema.optionalKey(ByteCount),
  projection: Schema.optionalKey(Schema.String),
  /** Absolute path of the file with both streams. */
  path: Schema.optionalKey(Schema.String)
})

export const RunCall = Schema.Struct({
  callId: CallId,
  /** From 1, by first event in the Run. */
  ordinal: Schema.Int,
  session: Schema.String,
  turnId: TurnId,
  tool: Schema.String,
  input: Schema.String,
  state: Schema.optionalKey(CallState),
  outcome: Schema.optionalKey(CallOutcome),
  /** Why the call ended otherwise than by itself, or did not start. */
  reason: Schema.optionalKey(CallReason),
  exitCode: Schema.optionalKey(Schema.Int),
  signal: Schema.optionalKey(Schema.String),
  timedOut: Schema.optionalKey(Schema.Literal(true)),
  durationMs: Schema.optionalKey(Milliseconds),
  /** Processes that outlived the call; absent when there were none. */
  survivors: Schema.optionalKey(Schema.Array(Survivor)),
  /** Absent when there were none. */
  warnings: Schema.optionalKey(Schema.Array(CallReason)),
  output: Schema.optionalKey(RunCallOutput),
  /** True only: its start cannot be read, so `input` is empty. */
  inputUnreadable: Schema.optionalKey(Schema.Literal(true))
})
export type RunCall = typeof RunCall.Type

export const PendingInteraction = Schema.Struct({
  kind: Schema.Literals(["approval", "question", "review"]),
  callId: Schema.optionalKey(CallId),
  /** Of what an outside agent asks: it can be answered while its Turn is live. */
  requestId: Schema.optionalKey(RequestId),
  session: Schema.optionalKey(Schema.String),
  turnId: Schema.optionalKey(TurnId),
  tool: Schema.optionalKey(Schema.String),
  /** As in `calls[].input`. */
  input: Schema.optionalKey(Schema.String),
  /** Why it asks; for questions, the prompt of the first one. */
  reason: Schema.String,
  /** Ids of what may be chosen, where there is one thing to choose. */
  options: Schema.optionalKey(Schema.Array(Schema.String)),
  /** Of a question. */
  questions: Schema.optionalKey(Schema.Array(Question)),
  /** Of an approval: what was judged, and the rules that may be kept with the answer. */
  segments: Schema.optionalKey(Schema.Array(ApprovalSegment)),
  suggestedRules: Schema.optionalKey(Schema.Array(PolicyRule)),
  /** True only: an answer is stored and waits for whoever drives the Run on. */
  answered: Schema.optionalKey(Schema.Literal(true))
})
export type PendingInteraction = typeof PendingInteraction.Type

export const RunAsyncBash = Schema.Struct({
  id: Schema.String,
  command: Schema.String,
  status: Schema.Literals(["running", "completed", "failed", "timed_out", "cancelled", "lost"]),
  exitCode: Schema.optionalKey(Schema.Int)
})

/** A place in the log of a Session that cannot be read. */
export const RunUnreadableEvent = Schema.Struct({ session: Schema.String, ...UnreadableFacts.fields })
export type RunUnreadableEvent = typeof RunUnreadableEvent.Type

export const RunSnapshot = Schema.Struct({
  runId: RunId,
  kind: RunKind,
  workspacePath: Schema.String,
  harness: HarnessName,
  requestedModel: Schema.optionalKey(Schema.String),
  effectiveModel: Schema.optionalKey(Schema.String),
  launchedAt: Instant,
  settledAt: Schema.optionalKey(Instant),
  state: RunState,
  liveness: RunLiveness,
  sessions: Schema.Array(RunSession),
  turns: Schema.Array(RunTurn),
  timeline: Schema.Array(TimelineEntry),
  calls: Schema.Array(RunCall),
  pending: Schema.Array(PendingInteraction),
  asyncBash: Schema.Array(RunAsyncBash),
  actionOffers: Schema.Array(ActionOffer),
  /** By Session, then sequence; absent when every event can be read. */
  unreadable: Schema.optionalKey(Schema.Array(RunUnreadableEvent))
})
export type RunSnapshot = typeof RunSnapshot.Type

/** `--json` of a command that shows one Run. `runId` is as typed when nothing was found. */
export const RunDocument = Schema.Struct({
  family: Schema.Literal("run"),
  runId: Schema.String,
  result: Schema.Union([
    Schema.Struct({ found: Schema.Literal(true), run: RunSnapshot }),
    Schema.Struct({ found: Schema.Literal(false), problem: Problem })
  ])
})
export type RunDocument = typeof RunDocument.Type

export const RunListFilter = Schema.Struct({
  workspacePath: Schema.optionalKey(Schema.String),
  all: Schema.Boolean,
  resumable: Schema.Boolean
})
export type RunListFilter = typeof RunListFilter.Type

export const RunListRow = Schema.Struct({
  runId: RunId,
  state: RunState,
  /** Harness id. */
  harness: Schema.String,
  workspacePath: Schema.String,
  /** First line of the Run's input, at most 200 characters. */
  input: Schema.String,
  activityAt: Instant,
  live: Schema.Boolean,
  ownerPid: Schema.optionalKey(Schema.Int)
})
export type RunListRow = typeof RunListRow.Type

export const RunListDocument = Schema.Struct({
  family: Schema.Literal("run-list"),
  filter: RunListFilter,
  rows: Schema.Array(RunListRow),
  nextCursor: Schema.optionalKey(Schema.String),
  beginningOfHistory: Schema.Boolean,
  empty: Schema.Boolean
})
export type RunListDocument = typeof RunListDocument.Type
