/**
 * Port to the calls that Steno answers itself instead of running a tool: questions, Agent calls.
 *
 * Owns: what a handler is asked and may answer.
 * Never owns: what an answer means for a Run (the handlers).
 * Ordering: a handler is asked after the call's claim is durable. A handler registered for a name wins over a host tool.
 */
import type { CallReason, Question, UserInputAnswer } from "@steno/contracts"
import { Context, type Effect } from "effect"
import type { HostCall } from "./host-tools.ts"

export type HandlerAnswer =
  /** `value`: the whole result, as `ResultPreparation` takes it. */
  | { readonly kind: "completed"; readonly value: unknown }
  /** The call settles `failed` with this reason. */
  | { readonly kind: "refused"; readonly reason: CallReason }
  /** The call waits for a person; then `answered` is asked, perhaps by another owner of the Run. */
  | { readonly kind: "awaiting-input"; readonly questions: ReadonlyArray<Question> }

/** A handler that dies makes its call `failed`. */
export interface CallHandler {
  readonly handle: (call: HostCall) => Effect.Effect<HandlerAnswer>
  /** The whole result that an answer means. `answer` fits `questions`. */
  readonly answered: (
    call: HostCall,
    given: { readonly questions: ReadonlyArray<Question>; readonly answer: UserInputAnswer }
  ) => Effect.Effect<unknown>
}

export class CallHandlers extends Context.Service<CallHandlers, {
  /** By the name of the tool; undefined: it is a host tool. */
  readonly find: (tool: string) => CallHandler | undefined
}>()("@steno/tool-call-service/CallHandlers") {}
