/**
 * What a Run asks of a person now.
 *
 * Owns: how a suspended call is shown as something to answer; pure.
 */
import { CallId, type InteractionRequest, type PendingInteraction, suspendedOn } from "@steno/contracts"
import { callInput } from "@steno/history-projection"
import { Schema } from "effect"
import type { HeldAgentCall } from "./agent-calls.ts"
import type { RecordedCall } from "./recorded-calls.ts"

const isCallId = Schema.is(CallId)

const asked = (request: InteractionRequest): Omit<PendingInteraction, "callId" | "session"> => {
  if (request.kind === "approval") {
    const { reason, segments, suggestedRules } = request
    return { kind: "approval", reason, options: ["allow", "deny"], segments, suggestedRules }
  }
  const [first, second] = request.questions
  const options = second === undefined && first !== undefined ? first.options.map(({ id }) => id) : []
  return {
    kind: "question",
    reason: first?.prompt ?? "",
    ...(options.length === 0 ? {} : { options }),
    questions: request.questions
  }
}

/** In order of the calls. */
export const pendingInteractions = (
  calls: ReadonlyArray<RecordedCall>,
  nameOf: (conversationId: RecordedCall["conversationId"]) => string
): ReadonlyArray<PendingInteraction> =>
  calls.flatMap((call) => {
    const interaction = call.unfinished === undefined ? undefined : suspendedOn(call.unfinished)
    if (interaction === undefined) return []
    const input = callInput(call)
    return [{
      ...asked(interaction.request),
      callId: call.callId,
      session: nameOf(call.conversationId),
      turnId: call.turnId,
      tool: call.tool,
      ...(input === undefined ? {} : { input }),
      ...(interaction.resolution === undefined ? {} : { answered: true as const })
    }]
  })

/** A held Agent call, with the agent's reason for it. */
export const pendingReview = (
  { call, conversationId, id, reason: given, turnId }: HeldAgentCall,
  calls: ReadonlyArray<RecordedCall>,
  nameOf: (conversationId: RecordedCall["conversationId"]) => string
): ReadonlyArray<PendingInteraction> => {
  const asked = calls.find(({ callId }) => callId === id)?.asked
  const reason = given ?? (asked !== undefined && "arguments" in asked ? asked.arguments["reason"] : undefined)
  return [{
    kind: "review",
    reason: typeof reason === "string" ? `${call}: ${reason}` : call,
    options: ["continue", "stop"],
    ...(isCallId(id) ? { callId: id } : { requestId: id }),
    session: nameOf(conversationId),
    turnId,
    tool: call
  }]
}
