/**
 * Domain writes and reads of tool calls. Exported as `@steno/ledger/calls`, for tool-call-service alone.
 *
 * Owns: the `tool_call` rows, `tool-call-started` and `tool-call-response` events, asset rows.
 * Never owns: which change is legal (tool-call-service).
 */
import type {
  Asset,
  CallId,
  CallState,
  ConversationId,
  Instant,
  ProcessIdentity,
  RunId,
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

export interface CallAdvance {
  readonly callId: CallId
  readonly from: { readonly state: CallState; readonly claim: string | undefined }
  readonly to: { readonly state: CallState; readonly claim: string | undefined }
  readonly supervision?: Supervision
  readonly at: Instant
}

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
  /** Compare-and-set of state and claim. `Conflict` when the row is gone or differs. */
  readonly advanceToolCall: (fence: Fence, advance: CallAdvance) => Effect.Effect<void, LedgerError>
  /** Writes the identity of the call's process into a row that still holds `claim`. `Conflict` otherwise. */
  readonly recordProcess: (
    fence: Fence,
    process: { readonly callId: CallId; readonly claim: string; readonly process: ProcessIdentity; readonly at: Instant }
  ) => Effect.Effect<void, LedgerError>
  /** One transaction: epoch, claim, response event, asset rows, row deleted. `Conflict` when another settled it. */
  readonly settleToolCall: (fence: Fence, settlement: CallSettlement) => Effect.Effect<void, LedgerError>
  /**
   * The response that is on record of a call of a Session, or undefined: tells a writer whose commit reported a failure whether
   * it is durable all the same. Reads the Session's log from its end.
   */
  readonly storedResponse: (
    call: { readonly conversationId: ConversationId; readonly callId: CallId }
  ) => Effect.Effect<ToolCallResponse | undefined, LedgerError>
  /** Bytes of all files with a row of a Session; costs in proportion to their number. */
  readonly storedBytes: (conversationId: ConversationId) => Effect.Effect<number, LedgerError>
  /** The row of an unfinished call, or undefined. */
  readonly unfinishedCall: (callId: CallId) => Effect.Effect<UnfinishedCall | undefined, LedgerError>
  /** Unfinished calls of a Run, by creation. */
  readonly unfinishedCalls: (runId: RunId) => Effect.Effect<ReadonlyArray<UnfinishedCall>, LedgerError>
}>()("@steno/ledger/CallLedger") {}

export type { Fence } from "./fence.ts"
export { LedgerError } from "./ledger-errors.ts"
