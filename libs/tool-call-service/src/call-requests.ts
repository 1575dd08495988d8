/**
 * What is asked of tool-call-service, and what it answers with.
 *
 * Owns: the shapes of its requests.
 */
import type {
  AssistantMessage,
  CallArguments,
  CallBlock,
  CallId,
  CommandArguments,
  ConversationId,
  InteractionResolution,
  MessageBlock,
  RetainedOutput,
  StartInput,
  ToolCallResponse,
  TurnId,
  UnfinishedCall
} from "@steno/contracts"
import type { CallSettlement, Fence, ResolutionOutcome } from "@steno/ledger/calls"
import type { Effect } from "effect"
import type { ToolFiles } from "./host-tools.ts"
import type { ToolCallError } from "./tool-call-errors.ts"

export interface DirectCommand {
  readonly fence: Fence
  readonly conversationId: ConversationId
  readonly turnId: TurnId
  /** The Run's Workspace, absolute. */
  readonly workspace: string
  readonly arguments: CommandArguments
}

export interface AdmittedCall {
  readonly callId: CallId
  /** Resolves when the call's response is durable. Fails with `CallNotSettled` when it could not be stored, or `CallReleased`. */
  readonly settled: Effect.Effect<ToolCallResponse, ToolCallError>
}

/** What the client of a Run does with approvals. */
export type ApprovalMode = NonNullable<StartInput["approvals"]>

/** A live Turn whose calls this process carries. */
export interface CallTurn {
  readonly fence: Fence
  readonly conversationId: ConversationId
  readonly turnId: TurnId
  /** The Run's Workspace, absolute. */
  readonly workspace: string
  /** `deny` and `allow` answer each approval at once, as client policy. Questions are never answered so. */
  readonly approvals: ApprovalMode
}

type WithoutCallId<Block> = Block extends CallBlock ? Omit<Block, "callId"> : Block

/** A message that is complete; the ids of its calls are minted here. */
export interface MessageToPropose extends Omit<AssistantMessage, "blocks"> {
  /** Opaque item id of the message inside its Turn: what a repetition is known by. */
  readonly itemId: string
  /** Order of first appearance inside the Turn, from 0; that of its first block. */
  readonly firstSeen: number
  readonly blocks: ReadonlyArray<WithoutCallId<MessageBlock>>
}

/** A model step whose message and calls are durable. */
export interface AdmittedStep {
  /** Sequence of the message. */
  readonly modelStep: number
  /** In content order. */
  readonly calls: ReadonlyArray<{ readonly contentIndex: number; readonly callId: CallId }>
  /** Resolves, with the responses in the order of `calls`, when every one is durable. Fails as `AdmittedCall.settled` does. */
  readonly settled: Effect.Effect<ReadonlyArray<ToolCallResponse>, ToolCallError>
}

/** Calls of a kept Turn that this process carries on. */
export interface AdoptedTurn {
  /** Those with an open call; their `calls` are the open ones. */
  readonly steps: ReadonlyArray<AdmittedStep>
  /** Resolves when no call of the Turn is open. */
  readonly settled: Effect.Effect<void, ToolCallError>
}

/** Where a call of an outside agent stands: its opaque item id, unique in its Turn, and the order of its first appearance there, from 0. */
interface ItemPlace {
  readonly itemId: string
  readonly firstSeen: number
}

/** A call that an outside agent runs itself, as it reports it. */
export interface ObservedStart extends ItemPlace {
  /** The kind of tool. */
  readonly tool: string
  /** A path, a pattern, a command line. */
  readonly input: string
  readonly cwd?: string
  readonly parentItemId?: string
}

/** Its end, as reported: nothing of it is inferred. */
export interface ObservedEnd extends Pick<ToolCallResponse, "exitCode" | "reason" | "reported"> {
  readonly itemId: string
  readonly outcome: "completed" | "failed" | "denied"
  /** Absent: none was supplied, which is not the same as an empty one. */
  readonly output?: RetainedOutput
  /** The files that hold it, closed. */
  readonly captured?: ToolFiles
}

/** A tool that an outside agent asks its client to run. */
export interface ClientCall extends ItemPlace {
  readonly tool: string
  readonly arguments: CallArguments
  /** The arguments in one string, for people. */
  readonly input: string
  readonly parentItemId?: string
}

export interface ExecutedCall extends AdmittedCall {
  /** Resolves when supervision has decided: `true` when the call runs, `false` when it ended without; `settled` tells why. Fails as `settled` does. */
  readonly begun: Effect.Effect<boolean, ToolCallError>
  /** The end of what it has printed by now, as it is kept with its response; empty for a call that was settled elsewhere. */
  readonly output: () => RetainedOutput
  /** What a tool that answers with a value returned, whole, once `settled` is; undefined for a command, and for a call that was settled elsewhere. */
  readonly value: () => unknown
}

/** `at` is when it is stored. */
export type CallAnswer = Omit<InteractionResolution, "at">

/** `no-suggested-rule`: a scope was given where no rule was suggested for it; nothing was written. */
export interface AnswerOutcome {
  readonly decision: ResolutionOutcome["decision"] | "no-suggested-rule"
  /** Of an answer that does not fit: what does not, and what may be said instead, in whole sentences about the call. */
  readonly explanation?: string
  readonly response?: ToolCallResponse
}

/** Responses of calls that a Turn leaves open, for the transaction that settles the Turn. */
export type OpenCallResponse = Pick<CallSettlement, "response" | "assets">

export interface AbandonedCall {
  readonly row: UnfinishedCall
  /** Undefined when the event of its start cannot be read. */
  readonly arguments: CallArguments | undefined
  /** Of an observed call that was live here: what was supplied of its output by now. Absent: its owner is gone. */
  readonly output?: RetainedOutput
  /** The files that hold it, closed. */
  readonly captured?: ToolFiles
}

export interface CallLimits {
  /** Executed calls of one Run that run at once, from 1; default 8. */
  readonly maxCalls?: number
}
