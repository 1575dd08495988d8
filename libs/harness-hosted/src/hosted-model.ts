/**
 * A model as the loop asks it, whatever provider stands behind it.
 *
 * Owns: the shape of a request and the parts of an answer.
 * Never owns: protocols (provider-model), scripts (script-model), what an answer means for the Turn (model-answer).
 * Ordering: parts are told as they arrive, in order; `finish` is the last one of a whole answer.
 * Limits: a Thought is what the provider shows to people; the rest of its reasoning is opaque here.
 */
import type { LanguageModelV4FinishReason, LanguageModelV4Message, LanguageModelV4ReasoningPart, SharedV4ProviderMetadata } from "@ai-sdk/provider"
import type { ItemId, OfferedTool } from "@steno/harness-seam"
import type { Effect } from "effect"
import type { Effort } from "./model-name.ts"
import type { ProviderFault } from "./provider-fault.ts"

export type ModelMessage = LanguageModelV4Message

/** What a provider wants to get back with the block of its message that it stood in front of; never stored, never shown. */
export interface KeptReasoning {
  readonly before: ItemId
  readonly part: LanguageModelV4ReasoningPart
}

export interface ModelRequest {
  readonly instructions: string
  /** Oldest first; every call has its result in the message behind it. */
  readonly messages: ReadonlyArray<ModelMessage>
  readonly tools: ReadonlyArray<OfferedTool>
  /** Absent: what the provider does by default. */
  readonly effort?: Effort
}

export interface AnswerUsage {
  readonly inputTokens?: number
  readonly outputTokens?: number
}

export type AnswerPart =
  /** `block` names the text inside this answer. */
  | { readonly type: "text"; readonly block: string; readonly delta: string }
  | { readonly type: "thought"; readonly block: string; readonly delta: string }
  /** Belongs to the Thought `block`, also to one without words. */
  | { readonly type: "seal"; readonly block: string; readonly metadata: SharedV4ProviderMetadata }
  | { readonly type: "call-begins"; readonly id: string; readonly tool: string }
  | { readonly type: "arguments"; readonly id: string; readonly delta: string }
  /** Whole; `argumentsText` as the model gave it. */
  | { readonly type: "call"; readonly id: string; readonly tool: string; readonly argumentsText: string }
  | {
    readonly type: "finish"
    readonly reason: LanguageModelV4FinishReason["unified"]
    /** The provider's own word. */
    readonly word?: string
    readonly usage: AnswerUsage
  }

export interface HostedModel {
  /** With the provider, as a person names it. */
  readonly name: string
  /**
   * Resolves when the answer is over; that is no proof that it is whole. `tell` must not wait. Interrupting it leaves
   * the connection, and nothing is told after that.
   */
  readonly ask: (request: ModelRequest, tell: (part: AnswerPart) => void) => Effect.Effect<void, ProviderFault>
}
