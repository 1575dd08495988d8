/**
 * What a Turn asks of Steno while it runs. The application implements it, adapters call it through the producer.
 *
 * Owns: when each call resolves and what a refusal means.
 * Never owns: native words: no value here names a native id.
 * Ordering: `request` and `agentCall` take their place among the events at the moment they are called.
 */
import type { CallId, CallOutcome, HarnessName, StoredEvent } from "@steno/contracts"
import type { Effect, Schema } from "effect"
import type { ModelChoice } from "./control-receipt.ts"
import type { ItemId } from "./item-id.ts"
import type { TurnDiffValue } from "./turn-event.ts"
import type { CheckpointReceipt } from "./turn-result.ts"

/** `fenced`: another owner has the Run by now. `unrecordable`: it could not be stored. Nothing was stored. */
export type HostRefusal =
  | { readonly kind: "refused"; readonly reason: "fenced" }
  | { readonly kind: "refused"; readonly reason: "unrecordable"; readonly explanation: string }

export interface TurnAdmission {
  /** Absent where the native session shows it only during the Turn. */
  readonly coordinate?: string
  readonly harness: HarnessName
  readonly model?: ModelChoice
}

export type AdmissionAnswer = { readonly kind: "admitted" } | HostRefusal

/** A tool as a model is told of it. */
export interface OfferedTool {
  readonly name: string
  readonly description: string
  /** JSON Schema of its arguments. */
  readonly inputSchema: Schema.Json
}

export interface ModelContext {
  /** Those of the Session that the model may see, by `sequence`: inputs, agent projections, delivered Steers. */
  readonly events: ReadonlyArray<StoredEvent>
  readonly tools: ReadonlyArray<OfferedTool>
}

export type ProposedBlock =
  | { readonly type: "text"; readonly messageId: ItemId; readonly content: string }
  | { readonly type: "reasoning-summary"; readonly summaryId: ItemId; readonly content: string }
  | ProposedCall

/** `arguments` as the model gave them; `rawArguments` where they are not JSON. */
export type ProposedCall =
  & {
    readonly type: "call"
    readonly itemId: ItemId
    readonly tool: string
    /** Pairs the call with its result at the provider; stored, never shown. */
    readonly providerCallId?: string
  }
  & ({ readonly arguments: Schema.Json } | { readonly rawArguments: string })

export interface ProposedMessage {
  readonly messageId: ItemId
  /** In content order. */
  readonly blocks: ReadonlyArray<ProposedBlock>
}

export interface ProposedCallResult {
  readonly itemId: ItemId
  readonly callId: CallId
  readonly outcome: CallOutcome
  /** What the model sees of the result; absent where it could not be prepared. */
  readonly agentProjection?: string
}

export type ProposalAnswer =
  | { readonly kind: "settled"; readonly results: ReadonlyArray<ProposedCallResult> }
  | HostRefusal

export interface ExecutionEnd {
  readonly outcome: CallOutcome
  readonly exitCode?: number
  readonly signal?: string
  /** Why it did not complete, in words. */
  readonly reason?: string
  /** What a tool returned that answers with a value, whole, in the tool's own form; absent: a command, or nothing was returned. */
  readonly value?: unknown
}

/** A tool that Steno runs for an outside agent. */
export interface ClientExecution {
  readonly kind: "started"
  readonly callId: CallId
  /** What is kept of its output now. */
  readonly output: () => { readonly text: string; readonly dropped?: true }
  /** Resolves when the ending was asked for, not when it happened. Idempotent. */
  readonly cancel: Effect.Effect<void>
  /** Resolves when the call's response is stored. */
  readonly settled: Effect.Effect<ExecutionEnd>
}

export type ExecutionAnswer =
  | ClientExecution
  /** A value the agent is told; nothing ran. */
  | { readonly kind: "denied"; readonly reason: string }
  | { readonly kind: "fenced" }

/** Where the output of an observed call goes. No method waits, and none fails: what goes wrong is diagnosed. */
export interface OutputSink {
  readonly append: (text: string) => void
  /** All that came before gives way to `text`. */
  readonly replace: (text: string) => void
  /** Idempotent. */
  readonly close: () => void
}

/** `allow-always` and `deny` as the harness means them; `option` is an answer to a question. */
export interface RequestDecision {
  readonly id: string
  readonly kind: "allow" | "allow-always" | "deny" | "option"
  readonly label: string
}

export interface HarnessRequest {
  readonly kind: "approval" | "clarification"
  /** The call it is about. */
  readonly itemId?: ItemId
  readonly description: string
  readonly decisions: ReadonlyArray<RequestDecision>
}

export type RequestAnswer =
  | {
    readonly kind: "answered"
    /** `id` of one of the decisions. */
    readonly decision: string
    readonly by: "person" | "client-policy"
    readonly text?: string
  }
  /** Nobody answered and nobody will: the protocol's own form of "cancelled" is the answer. */
  | { readonly kind: "expired" }

export interface AgentCall {
  /** Unique in the Turn. */
  readonly id: string
  readonly call: "run_done" | "run_failed"
  readonly reason: string
}

export type AgentCallReply =
  | { readonly kind: "accepted" }
  | { readonly kind: "held-for-review" }
  | { readonly kind: "refused"; readonly reason: string }

export interface TurnHost {
  /**
   * Resolves when `turn-admitted` is committed and the Session is open with the coordinate. Before that no byte of the
   * input reaches a harness or a model. A refusal makes the result `not-started`. At once for a continued Turn.
   */
  readonly admit: (admission: TurnAdmission) => Effect.Effect<AdmissionAnswer>
  /** Resolves when the coordinate lies on the Session's row, or could not. Never changes a result. */
  readonly checkpoint: (coordinate: string) => Effect.Effect<CheckpointReceipt>
  /**
   * For a hosted Turn, before each model request. Resolves when no call of the Turn is unsettled: for a continued Turn,
   * whose calls another owner created, that is how their results are waited for. A refusal fails the Turn.
   */
  readonly context: Effect.Effect<({ readonly kind: "context" } & ModelContext) | HostRefusal>
  /**
   * For a hosted Turn, a message that is complete. One transaction stores it and creates its calls, which then go on
   * apart from each other. Resolves when all of them are settled, with results in content order; without calls at the
   * commit. Refused: nothing is stored and no call exists; `fenced`: the next owner settles the Turn.
   */
  readonly propose: (message: ProposedMessage) => Effect.Effect<ProposalAnswer>
  /**
   * For a hosted Turn, once, when it makes no further request: what its calls made of files, from before the first change of each
   * to after the last one. Calls that are open are ended first, and none begins any more. Undefined: nothing, or this process has
   * let go of the Turn.
   */
  readonly turnDiff: Effect.Effect<TurnDiffValue | undefined>
  /** A tool that an outside agent asks its client to run. Resolves when its start is stored and supervision has decided. */
  readonly execute: (tool: string, input: Schema.Json, itemId?: ItemId) => Effect.Effect<ExecutionAnswer>
  /** At once. One sink per observed call. */
  readonly outputSink: (itemId: ItemId) => OutputSink
  /**
   * Stored first; resolves when a person or the client's policy answered. Interrupting it withdraws the request: the
   * interruption is over when its expiry is stored.
   */
  readonly request: (request: HarnessRequest) => Effect.Effect<RequestAnswer>
  /** Stored first, then answered. Interrupting it stores that it expired unanswered. */
  readonly agentCall: (call: AgentCall) => Effect.Effect<AgentCallReply>
}
