/**
 * Settles a Turn: once, with everything it leaves open.
 *
 * Owns: `turn-settled`, the Turn's result, the Session's availability.
 * Ordering: responses before `turn-settled`; a Turn with a call left open and no response for it is not settled.
 */
import type { ConversationId, RunId, TurnId } from "@steno/contracts"
import { Effect } from "effect"
import { encodeFact, type EventLog } from "./event-log.ts"
import { selectCall, writeResponse } from "./response-writes.ts"
import { putToRest } from "./run-writes.ts"
import type { SqliteClient } from "./sqlite-client.ts"
import type { TurnLedger } from "./turns.ts"
import { conflict, fenced, requireEpoch, type Write } from "./write-transaction.ts"

/** Whether the Turn of this Run and Session waits for its result. */
export const isUnsettled = (
  client: SqliteClient,
  { runId, conversationId, turnId }: {
    readonly runId: RunId
    readonly conversationId: ConversationId
    readonly turnId: TurnId
  }
): boolean => {
  const unsettled = client.value<1>(
    `SELECT 1 FROM turn CROSS JOIN session USING (conversation_id)
     WHERE turn_id = ? AND conversation_id = ? AND run_id = ? AND result IS NULL`
  ).get(turnId, conversationId, runId)
  return unsettled === 1
}

export const makeTurnWrites = (client: SqliteClient, write: Write, log: EventLog): TurnLedger["Service"] => ({
  settleTurn: (fence, { conversationId, turnId, settled, responses, rest, at }) =>
    Effect.suspend(() => {
      const fact = encodeFact("turn-settled", settled)
      const left = responses.map(({ response, assets }) => ({
        callId: response.callId,
        prepared: { fact: encodeFact("tool-call-response", response), assets, at }
      }))
      return write("settleTurn", (committed) => {
        const { owned } = requireEpoch(client, fence)
        if (!isUnsettled(client, { runId: fence.runId, conversationId, turnId })) return false
        if (!owned) throw fenced(fence)
        for (const { callId, prepared } of left) {
          const call = selectCall(client, callId)
          if (call === undefined) continue
          if (call.turn_id !== turnId) throw conflict(`Call ${callId}`)
          writeResponse(client, log, committed, call, prepared)
        }
        const open = client.value("SELECT 1 FROM tool_call WHERE turn_id = ? LIMIT 1").get(turnId)
        if (open !== undefined) throw conflict(`Turn ${turnId}`)
        log.append(committed, fact, { conversationId, turnId, at })
        client.statement("UPDATE turn SET result = ?, settled_at = ? WHERE turn_id = ?").run(settled.result, at, turnId)
        client.statement("UPDATE session SET availability = ? WHERE conversation_id = ?")
          .run(settled.availability, conversationId)
        if (rest !== undefined) putToRest(client, fence.runId, rest, at)
        return true
      })
    })
})
