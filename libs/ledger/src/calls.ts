/**
 * Domain writes and reads of tool calls. Exported as `@steno/ledger/calls`, for tool-call-service alone.
 *
 * Owns: the `tool_call` rows, `assistant-message`, `tool-call-started` and `tool-call-response` events, asset rows.
 * Never owns: which change is legal (tool-call-service).
 * Ordering: every write carries the fence of the Run's owner. An answer for a Run that is live elsewhere travels as an
 *   Operation to that owner; of a Run at rest, whoever answers takes the Run over first. Both then call `recordResolution`.
 */
import type {
  AssistantMessage,
  Asset,
  CallBlock,
  CallId,
  CallState,
  ConversationId,
  Instant,
  Interaction,
  InteractionRequest,
  InteractionResolution,
  ProcessIdentity,
  RunId,
  StoredEvent,
  Supervision,
  ToolCallResponse,
  ToolCallStarted,
  TurnId,
  UnfinishedCall
} from "@steno/contracts"
import { Context, type Effect } from "effect"
import type { Fence } from "./fence.ts"
import type { LedgerError } from "./ledger-errors.ts"

export interface NewCall {
  readonly conversationId: ConversationId
  readonly turnId: TurnId
  /** Opaque item id of the call inside its Turn. */
  readonly itemId: string
  /** Order of first appearance inside the Turn, from 0. */
  readonly firstSeen: number
  readonly started: ToolCallStarted
  /** The state the row is first visible in; one commit may cross several. */
  readonly state: CallState
  readonly supervision?: Supervision
  readonly claim?: string
  readonly at: Instant
}

export interface MessageProposal {
  readonly conversationId: ConversationId
  readonly turnId: TurnId
  /** Opaque item id of the message inside its Turn: what a repetition is known by. */
  readonly itemId: string
  /** Order of first appearance inside the Turn, from 0; that of its first block. */
  readonly firstSeen: number
  /** With the arguments and ids of its calls. */
  readonly message: AssistantMessage
  readonly at: Instant
}

export interface ProposedCall {
  /** Index among the blocks of the message. */
  readonly contentIndex: number
  /** As stored: its `callId` is the one that counts. */
  readonly block: CallBlock
  /** Present when the call is settled. */
  readonly response?: ToolCallResponse
}

export interface ProposedStep {
  /** The message was stored before; nothing was written. */
  readonly repeated: boolean
  /** Sequence of the message: names the model step. */
  readonly modelStep: number
  /** In content order. */
  readonly calls: ReadonlyArray<ProposedCall>
}

export interface CallAdvance {
  readonly callId: CallId
  readonly from: { readonly state: CallState; readonly claim: string | undefined }
  readonly to: { readonly state: CallState; readonly claim: string | undefined }
  /** Replaces what was decided before; absent: it stays. */
  readonly supervision?: Supervision
  /** What a person is asked from now on; it is added to the call's interactions and never taken away. */
  readonly interaction?: InteractionRequest
  readonly at: Instant
}

/**
 * `recorded`: stored now; act on it. `repeated`: the same id with an equal value was stored before; `response` is there when
 * the call is settled. `stale`: the call is settled or answered, and not by this. `not-suspended`: it waits for nobody and was
 * never answered. `shape-mismatch`: the answer is of another kind than the question. `call-not-found`: no such call in this Run.
 */
export interface ResolutionOutcome {
  readonly decision: "recorded" | "repeated" | "stale" | "not-suspended" | "shape-mismatch" | "call-not-found"
  readonly response?: ToolCallResponse
}

export type ResponseEvent = Extract<StoredEvent, { readonly type: "tool-call-response" }>

export interface CallSettlement {
  readonly callId: CallId
  /** The state and claim the row must have; `claim` undefined matches only a row without one. */
  readonly from: { readonly state: CallState; readonly claim: string | undefined }
  readonly response: ToolCallResponse
  readonly assets: ReadonlyArray<Asset>
  readonly at: Instant
}

export class CallLedger extends Context.Service<CallLedger, {
  /** Appends one `tool-call-started` and inserts its row, per call, in one transaction. `Conflict` when a Turn is unknown or settled or a call id is taken. Fails with `Fenced` or a storage reason; nothing written then. */
  readonly createToolCalls: (fence: Fence, calls: ReadonlyArray<NewCall>) => Effect.Effect<void, LedgerError>
  /**
   * One transaction: appends the `assistant-message` and inserts a row in state `supervising` for each call in it; without
   * calls it stores the message alone. Idempotent on `itemId` in its Turn, whatever call ids and places it comes with: the
   * stored message is answered with the responses its calls have by now, also when the Turn is settled. `Conflict` when
   * another message has that id, the Turn is unknown or settled, or a call id is taken. Nothing written then.
   */
  readonly proposeToolCalls: (fence: Fence, proposal: MessageProposal) => Effect.Effect<ProposedStep, LedgerError>
  /**
   * Compare-and-set of state and claim. `Conflict` when the row is gone or differs; nothing written then. The Run shows
   * `blocked` from the commit that makes a call await a person until the one after which none does.
   */
  readonly advanceToolCall: (fence: Fence, advance: CallAdvance) => Effect.Effect<void, LedgerError>
  /** Writes the identity of the call's process into a row that still holds `claim`. `Conflict` otherwise. */
  readonly recordProcess: (
    fence: Fence,
    process: { readonly callId: CallId; readonly claim: string; readonly process: ProcessIdentity; readonly at: Instant }
  ) => Effect.Effect<void, LedgerError>
  /**
   * Stores a person's answer in the row, before anybody acts on it; state and claim stay as they are. Idempotent on id and
   * value: a decision other than `recorded` has written nothing. Fails with `Fenced` or a storage reason.
   */
  readonly recordResolution: (
    fence: Fence,
    answer: { readonly callId: CallId; readonly resolution: InteractionResolution }
  ) => Effect.Effect<ResolutionOutcome, LedgerError>
  /**
   * One transaction: epoch, claim, response event, asset rows, row deleted. `Conflict` when another settled it. Answers in the
   * row that the response does not know of yet are added to it.
   */
  readonly settleToolCall: (fence: Fence, settlement: CallSettlement) => Effect.Effect<void, LedgerError>
  /**
   * The event that ended a call, or undefined: tells what came of a call that has no row, also a writer whose commit reported a
   * failure whether it is durable all the same.
   */
  readonly storedResponse: (callId: CallId) => Effect.Effect<ResponseEvent | undefined, LedgerError>
  /** The call that an item of a Turn is, with its response once it is settled: what a second delivery of its start is known by. */
  readonly callOfItem: (
    item: { readonly turnId: TurnId; readonly itemId: string }
  ) => Effect.Effect<{ readonly callId: CallId; readonly response?: ToolCallResponse } | undefined, LedgerError>
  /** Bytes of all files with a row of a Session; costs in proportion to the number that were added since it was asked last. */
  readonly storedBytes: (conversationId: ConversationId) => Effect.Effect<number, LedgerError>
  /** The row of an unfinished call, or undefined. */
  readonly unfinishedCall: (callId: CallId) => Effect.Effect<UnfinishedCall | undefined, LedgerError>
  /** Unfinished calls of a Run, by creation. */
  readonly unfinishedCalls: (runId: RunId) => Effect.Effect<ReadonlyArray<UnfinishedCall>, LedgerError>
  /** How many calls of a model step are unfinished; once 0 it stays 0. */
  readonly openCallsOfStep: (
    step: { readonly conversationId: ConversationId; readonly modelStep: number }
  ) => Effect.Effect<number, LedgerError>
  /**
   * Approvals of a Session that a person gave with scope `session`, in order of their calls' ends, unfinished calls last. Reads
   * the whole log of the Session: for when a process begins with it; from then on, keep them as they are recorded.
   */
  readonly sessionApprovals: (conversationId: ConversationId) => Effect.Effect<ReadonlyArray<Interaction>, LedgerError>
}>()("@steno/ledger/CallLedger") {}

export type { Fence } from "./fence.ts"
export { Conflict, LedgerError } from "./ledger-errors.ts"
