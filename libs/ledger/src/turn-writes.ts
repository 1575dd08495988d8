/**
 * Admits a Turn, takes its facts, settles it: once, with everything it leaves open.
 *
 * Owns: `turn` rows, `turn-admitted` of further Turns, `turn-settled`, the Session's availability and coordinate.
 * Ordering: responses before `turn-settled`; a Turn with a call left open and no response for it is not settled.
 */
import type { ConversationId, RunId, TurnId } from "@steno/contracts"
import { Effect } from "effect"
import { makeContextReads } from "./context-reads.ts"
import { encodeFact, type EventLog } from "./event-log.ts"
import { selectCall } from "./call-reads.ts"
import { prepareResponse, writeResponse } from "./response-writes.ts"
import { putToRest } from "./run-writes.ts"
import type { SqliteClient } from "./sqlite-client.ts"
import type { TurnAdmission, TurnEvent, TurnLedger } from "./turns.ts"
import { conflict, fenced, requireEpoch, requireOwner, type Write } from "./write-transaction.ts"

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

const isAdmitted = (client: SqliteClient, { conversationId, turnId }: TurnAdmission): boolean =>
  client.value("SELECT 1 FROM turn WHERE turn_id = ? AND conversation_id = ?").get(turnId, conversationId) !== undefined

/** Whether the Session is an open one of the Run and waits for no Turn's result. */
const isFree = (client: SqliteClient, runId: RunId, conversationId: ConversationId): boolean =>
  client.value(
    `SELECT 1 FROM session WHERE conversation_id = ? AND run_id = ? AND availability <> 'ended'
       AND NOT EXISTS (SELECT 1 FROM turn WHERE turn.conversation_id = session.conversation_id AND result IS NULL)`
  ).get(conversationId, runId) !== undefined

/** Whether the Turn holds a fact that this one would only repeat. */
const isRepeated = (client: SqliteClient, { fact, item, turnId }: TurnEvent): boolean => {
  const itemId = item?.itemId ?? null
  const isStored = () =>
    client.value("SELECT 1 FROM event WHERE turn_id = ? AND item_id = ? AND type = ?").get(turnId, itemId, fact.type) !== undefined
  switch (fact.type) {
    case "turn-diff":
    case "thought":
      return isStored()
    case "assistant-content":
      return fact.payload.parentItemId === undefined && isStored()
    case "steer":
      return fact.payload.settlement.state === "delivered" && client.value(
        `SELECT 1 FROM event WHERE turn_id = ? AND item_id = ? AND type = 'steer'
           AND CASE WHEN json_valid(payload) THEN payload ->> '$.settlement.state' END = 'delivered'`
      ).get(turnId, itemId) !== undefined
    default:
      return false
  }
}

export const makeTurnWrites = (client: SqliteClient, write: Write, log: EventLog): TurnLedger["Service"] => ({
  ...makeContextReads(client),

  admitTurn: (fence, admission) =>
    Effect.suspend(() => {
      const { conversationId, turnId, admitted, at } = admission
      const fact = encodeFact("turn-admitted", admitted)
      return write("admitTurn", (committed) => {
        requireOwner(client, fence)
        if (isAdmitted(client, admission)) return false
        if (!isFree(client, fence.runId, conversationId)) throw conflict(`Session ${conversationId}`)
        const inserted = client.statement(
          `INSERT INTO turn (turn_id, conversation_id, origin, entry, admitted_at) VALUES (?, ?, ?, ?, ?)
           ON CONFLICT (turn_id) DO NOTHING`
        ).run(turnId, conversationId, admitted.origin, admitted.entry === true ? 1 : 0, at)
        if (inserted.changes !== 1) throw conflict(`Turn ${turnId}`)
        client.statement("UPDATE run SET state = 'running', settled_at = NULL WHERE run_id = ?").run(fence.runId)
        log.append(committed, fact, { conversationId, turnId, at })
        return true
      })
    }),

  appendTurnEvent: (fence, event) =>
    Effect.suspend(() => {
      const { conversationId, turnId, item, fact, at } = event
      const encoded = encodeFact(fact.type, fact.payload)
      return write("appendTurnEvent", (committed) => {
        requireOwner(client, fence)
        if (!isUnsettled(client, { runId: fence.runId, conversationId, turnId })) throw conflict(`Turn ${turnId}`)
        if (isRepeated(client, event)) return undefined
        return log.append(committed, encoded, { conversationId, turnId, ...(item === undefined ? {} : { item }), at })
      })
    }),

  keepCoordinate: (fence, { conversationId, turnId, coordinate }) =>
    write("keepCoordinate", () => {
      requireOwner(client, fence)
      if (!isUnsettled(client, { runId: fence.runId, conversationId, turnId })) throw conflict(`Turn ${turnId}`)
      client.statement("UPDATE session SET recovery_coordinate = ?, availability = 'open' WHERE conversation_id = ?")
        .run(coordinate, conversationId)
    }),

  settleTurn: (fence, { conversationId, turnId, settled, responses, rest, at }) =>
    Effect.suspend(() => {
      const fact = encodeFact("turn-settled", settled)
      const left = responses.map(({ response, assets }) => ({
        callId: response.callId,
        prepared: prepareResponse(response, assets, at)
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
