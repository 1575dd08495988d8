/**
 * What an outside agent asks of a person now.
 *
 * Owns: which requests of a Run are open, how one is shown; pure.
 * Limits: an approval is answered by the client's policy and waits for nobody.
 */
import type { ConversationId, PendingInteraction, RequestId, RequestRaised, TurnId } from "@steno/contracts"
import type { RunRecord } from "@steno/ledger"

export interface OpenHarnessRequest {
  readonly raised: RequestRaised
  readonly conversationId: ConversationId
  readonly turnId: TurnId
}

/** In the order in which they were raised. */
export const openRequests = ({ events, turns }: Pick<RunRecord, "events" | "turns">): ReadonlyArray<OpenHarnessRequest> => {
  const live = new Set(turns.filter(({ result }) => result === undefined).map(({ turnId }) => turnId))
  const open = new Map<RequestId, OpenHarnessRequest>()
  for (const event of events) {
    if (event.type === "request-raised") {
      const { conversationId, payload: raised, turnId } = event
      if (raised.kind === "clarification" && live.has(turnId)) open.set(raised.requestId, { raised, conversationId, turnId })
    } else if (event.type === "request-answered" || event.type === "request-expired") open.delete(event.payload.requestId)
  }
  return [...open.values()]
}

/** A question with its options; one without any is answered in words. */
export const pendingRequests = (
  requests: ReadonlyArray<OpenHarnessRequest>,
  nameOf: (conversationId: ConversationId) => string
): ReadonlyArray<PendingInteraction> =>
  requests.map(({ conversationId, raised: { decisions, description, requestId }, turnId }) => ({
    kind: "question",
    requestId,
    session: nameOf(conversationId),
    turnId,
    reason: description,
    options: decisions.map(({ id }) => id),
    questions: [{ id: requestId, prompt: description, options: decisions.map(({ id, label }) => ({ id, label })) }]
  }))
