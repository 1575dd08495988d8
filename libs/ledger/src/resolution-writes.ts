/**
 * Stores the answer to an interaction, once.
 *
 * Owns: resolutions in `tool_call` rows.
 * Ordering: the answer is durable before anybody acts on it.
 */
import type { CallId, InteractionResolution } from "@steno/contracts"
import { selectCall, selectResponse } from "./call-reads.ts"
import type { CallLedger, ResolutionOutcome } from "./calls.ts"
import type { Fence } from "./fence.ts"
import { decideResolution, decideSettledResolution } from "./resolution-rules.ts"
import type { SqliteClient } from "./sqlite-client.ts"
import { toInteractions } from "./stored-rows.ts"
import { requireOwner, type Write } from "./write-transaction.ts"

const answerOfSettled = (
  client: SqliteClient,
  fence: Fence,
  callId: CallId,
  resolution: InteractionResolution
): ResolutionOutcome => {
  const event = selectResponse(client, callId)
  const isOwn = event !== undefined &&
    client.value("SELECT 1 FROM session WHERE conversation_id = ? AND run_id = ?").get(event.conversationId, fence.runId) !== undefined
  if (!isOwn) return { decision: "call-not-found" }
  const decision = decideSettledResolution(event.payload, resolution)
  return decision === "repeated" ? { decision, response: event.payload } : { decision }
}

export const makeResolutionWrites = (client: SqliteClient, write: Write): Pick<CallLedger["Service"], "recordResolution"> => ({
  recordResolution: (fence, { callId, resolution }) =>
    write("recordResolution", () => {
      requireOwner(client, fence)
      const call = selectCall(client, callId)
      if (call === undefined || call.run_id !== fence.runId) return answerOfSettled(client, fence, callId, resolution)
      const decision = decideResolution({ state: call.state, interactions: toInteractions(call) }, resolution)
      if (decision === "recorded") {
        client.statement(
          "UPDATE tool_call SET interactions = json_set(interactions, '$[#-1].resolution', json(?)), updated_at = ? WHERE call_id = ?"
        ).run(JSON.stringify(resolution), resolution.at, callId)
      }
      return { decision }
    })
})
