/**
 * Creates, advances and settles tool calls.
 *
 * Owns: `tool_call` rows and the compare-and-set of state and claim.
 * Never owns: which change is legal (tool-call-service).
 */
import { Effect } from "effect"
import { makeCallReads, selectCall } from "./call-reads.ts"
import { insertCall, jsonOrNull } from "./call-rows.ts"
import type { CallLedger } from "./calls.ts"
import { encodeFact, type EventLog } from "./event-log.ts"
import { awaitsPerson, showPending } from "./pending-calls.ts"
import { makeProposalWrites } from "./proposal-writes.ts"
import { makeResolutionWrites } from "./resolution-writes.ts"
import { prepareResponse, writeResponse } from "./response-writes.ts"
import type { SqliteClient } from "./sqlite-client.ts"
import { isUnsettled } from "./turn-writes.ts"
import { conflict, requireOwner, type Write } from "./write-transaction.ts"

type CallChanges = Pick<
  CallLedger["Service"],
  "createToolCalls" | "advanceToolCall" | "recordProcess" | "settleToolCall"
>

const makeCallChanges = (client: SqliteClient, write: Write, log: EventLog): CallChanges => ({
  createToolCalls: (fence, calls) =>
    Effect.suspend(() => {
      const encoded = calls.map((call) => ({ call, fact: encodeFact("tool-call-started", call.started) }))
      return write("createToolCalls", (committed) => {
        requireOwner(client, fence)
        for (const { call: { started, ...call }, fact } of encoded) {
          const { conversationId, turnId, itemId, firstSeen, at } = call
          if (!isUnsettled(client, { runId: fence.runId, conversationId, turnId })) throw conflict(`Turn ${turnId}`)
          const { sequence } = log.append(committed, fact, { conversationId, turnId, item: { itemId, firstSeen }, at })
          const { callId, origin, tool } = started
          insertCall(client, fence, { ...call, callId, origin, tool, startSequence: sequence })
        }
      })
    }),

  advanceToolCall: (fence, { callId, from, to, supervision, interaction, at }) =>
    write("advanceToolCall", () => {
      requireOwner(client, fence)
      const asked = interaction === undefined ? null : JSON.stringify({ request: interaction, raisedAt: at })
      const advanced = client.statement(
        `UPDATE tool_call SET state = ?, claim = ?, supervision = coalesce(?, supervision), updated_at = ?,
           started_at = coalesce(started_at, ?),
           interactions = CASE WHEN ? IS NULL THEN interactions
             ELSE json_insert(CASE WHEN json_valid(interactions) THEN interactions ELSE '[]' END, '$[#]', json(?)) END
         WHERE call_id = ? AND run_id = ? AND state = ? AND claim IS ?`
      ).run(
        to.state,
        to.claim ?? null,
        jsonOrNull(supervision),
        at,
        to.state === "running" ? at : null,
        asked,
        asked,
        callId,
        fence.runId,
        from.state,
        from.claim ?? null
      )
      if (advanced.changes !== 1) throw conflict(`Call ${callId}`)
      if (awaitsPerson(from.state) !== awaitsPerson(to.state)) showPending(client, fence.runId)
    }),

  recordProcess: (fence, { callId, claim, process, at }) =>
    write("recordProcess", () => {
      requireOwner(client, fence)
      const recorded = client.statement(
        "UPDATE tool_call SET process = ?, updated_at = ? WHERE call_id = ? AND run_id = ? AND claim = ?"
      ).run(JSON.stringify(process), at, callId, fence.runId, claim)
      if (recorded.changes !== 1) throw conflict(`Call ${callId}`)
    }),

  settleToolCall: (fence, { callId, from, response, assets, at }) =>
    Effect.suspend(() => {
      const prepared = prepareResponse(response, assets, at)
      return write("settleToolCall", (committed) => {
        requireOwner(client, fence)
        const call = selectCall(client, callId)
        const expected = call !== undefined && call.run_id === fence.runId && response.callId === callId &&
          call.state === from.state && call.claim === (from.claim ?? null)
        if (!expected) throw conflict(`Call ${callId}`)
        writeResponse(client, log, committed, call, prepared)
      })
    })
})

export const makeCallWrites = (client: SqliteClient, write: Write, log: EventLog): CallLedger["Service"] => ({
  ...makeCallChanges(client, write, log),
  ...makeProposalWrites(client, write, log),
  ...makeResolutionWrites(client, write),
  ...makeCallReads(client)
})
