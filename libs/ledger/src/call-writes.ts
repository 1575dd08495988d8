/**
 * Creates, advances and settles tool calls; reads unfinished ones.
 *
 * Owns: `tool_call` rows and the compare-and-set of state and claim.
 * Never owns: which change is legal (tool-call-service).
 */
import { Effect } from "effect"
import type { CallLedger, NewCall } from "./calls.ts"
import { encodeFact, type EventLog } from "./event-log.ts"
import { toLoggedEvent } from "./event-reading.ts"
import type { Fence } from "./fence.ts"
import { selectCall, writeResponse } from "./response-writes.ts"
import { selectUnfinished } from "./run-reads.ts"
import type { SqliteClient } from "./sqlite-client.ts"
import { type EventColumns, toUnfinishedCall } from "./stored-rows.ts"
import { isUnsettled } from "./turn-writes.ts"
import { conflict, requireOwner, type Write } from "./write-transaction.ts"

const jsonOrNull = (value: unknown): string | null => value === undefined ? null : JSON.stringify(value)

const insertCall = (client: SqliteClient, fence: Fence, call: NewCall): void => {
  const inserted = client.statement(
    `INSERT INTO tool_call (call_id, run_id, conversation_id, turn_id, item_id, first_seen,
       origin, tool, state, supervision, claim, started_at, updated_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (call_id) DO NOTHING`
  ).run(
    call.started.callId,
    fence.runId,
    call.conversationId,
    call.turnId,
    call.itemId,
    call.firstSeen,
    call.started.origin,
    call.started.tool,
    call.state,
    jsonOrNull(call.supervision),
    call.claim ?? null,
    call.state === "running" ? call.at : null,
    call.at
  )
  if (inserted.changes !== 1) throw conflict(`Call ${call.started.callId}`)
}

export const makeCallWrites = (client: SqliteClient, write: Write, log: EventLog): CallLedger["Service"] => ({
  createToolCalls: (fence, calls) =>
    Effect.suspend(() => {
      const encoded = calls.map((call) => ({ call, fact: encodeFact("tool-call-started", call.started) }))
      return write("createToolCalls", (committed) => {
        requireOwner(client, fence)
        for (const { call, fact } of encoded) {
          const { conversationId, turnId, itemId, firstSeen, at } = call
          if (!isUnsettled(client, { runId: fence.runId, conversationId, turnId })) throw conflict(`Turn ${turnId}`)
          log.append(committed, fact, { conversationId, turnId, item: { itemId, firstSeen }, at })
          insertCall(client, fence, call)
        }
      })
    }),

  advanceToolCall: (fence, { callId, from, to, supervision, at }) =>
    write("advanceToolCall", () => {
      requireOwner(client, fence)
      const advanced = client.statement(
        `UPDATE tool_call SET state = ?, claim = ?, supervision = coalesce(?, supervision), updated_at = ?,
           started_at = coalesce(started_at, ?)
         WHERE call_id = ? AND run_id = ? AND state = ? AND claim IS ?`
      ).run(
        to.state,
        to.claim ?? null,
        jsonOrNull(supervision),
        at,
        to.state === "running" ? at : null,
        callId,
        fence.runId,
        from.state,
        from.claim ?? null
      )
      if (advanced.changes !== 1) throw conflict(`Call ${callId}`)
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
      const fact = encodeFact("tool-call-response", response)
      return write("settleToolCall", (committed) => {
        requireOwner(client, fence)
        const call = selectCall(client, callId)
        const expected = call !== undefined && call.run_id === fence.runId && response.callId === callId &&
          call.state === from.state && call.claim === (from.claim ?? null)
        if (!expected) throw conflict(`Call ${callId}`)
        writeResponse(client, log, committed, call, { fact, assets, at })
      })
    }),

  storedResponse: ({ conversationId, callId }) =>
    client.attempt("storedResponse", () => {
      const event = client.statement<EventColumns>(
        `SELECT * FROM event WHERE conversation_id = ? AND type = 'tool-call-response'
           AND CASE WHEN json_valid(payload) THEN payload ->> '$.callId' END = ?
         ORDER BY sequence DESC LIMIT 1`
      ).get(conversationId, callId)
      const stored = event && toLoggedEvent(event)
      return stored?.type === "tool-call-response" ? stored.payload : undefined
    }),

  storedBytes: (conversationId) =>
    client.attempt("storedBytes", () =>
      client.value<number>("SELECT coalesce(sum(size_bytes), 0) FROM asset WHERE conversation_id = ?").get(conversationId) ?? 0),

  unfinishedCall: (callId) =>
    client.attempt("unfinishedCall", () => {
      const call = selectCall(client, callId)
      return call && toUnfinishedCall(call)
    }),

  unfinishedCalls: (runId) =>
    client.attempt("unfinishedCalls", () => selectUnfinished(client, runId).map(toUnfinishedCall))
})
