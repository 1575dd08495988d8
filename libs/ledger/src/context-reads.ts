/**
 * Reads a Session's events as a model may see them.
 *
 * Owns: which events these are and which fields of a response stay.
 * Limits: one page holds the thread for at most `largestContextPage` events.
 */
import type { ConversationId, EventType, LoggedEvent } from "@steno/contracts"
import { toLoggedEvent } from "./event-reading.ts"
import type { SqliteClient } from "./sqlite-client.ts"
import type { EventColumns } from "./stored-rows.ts"
import type { ContextPage, TurnLedger } from "./turns.ts"

const defaultContextPage = 100
const largestContextPage = 500

/** Facts that no model is told of; those of an outside agent among them, which keeps its conversation itself. */
const unseenTypes = ([
  "turn-settled",
  "tool-call-started",
  "provider-retry",
  "turn-diff",
  "assistant-content",
  "thought",
  "model",
  "request-raised",
  "request-answered",
  "request-expired",
  "elicitation-declined",
  "agent-call",
  "agent-call-expired"
] satisfies ReadonlyArray<EventType>).map((type) => `'${type}'`).join(", ")

/** What people and scripts read of a response is left out. */
const asModelSees = (event: LoggedEvent): ReadonlyArray<LoggedEvent> => {
  if (event.type === "steer") return event.payload.settlement.state === "delivered" ? [event] : []
  if (event.type !== "tool-call-response") return [event]
  const { capture: _, cardProjection: __, interactions: ___, retainedOutput: ____, supervision: _____, ...payload } = event.payload
  return [{ ...event, payload }]
}

const selectPage = (client: SqliteClient, conversationId: ConversationId, after: number, limit: number): ContextPage => {
  const rows = client.statement<EventColumns>(
    `SELECT * FROM event WHERE conversation_id = ? AND sequence > ?
       AND type NOT IN (${unseenTypes})
     ORDER BY sequence LIMIT ?`
  ).all(conversationId, after, limit)
  const last = rows.at(-1)
  return {
    events: rows.map(toLoggedEvent).flatMap(asModelSees),
    readTo: last?.sequence ?? after,
    isComplete: rows.length < limit
  }
}

export const makeContextReads = (client: SqliteClient): Pick<TurnLedger["Service"], "sessionContext"> => ({
  sessionContext: ({ conversationId, after = 0, limit = defaultContextPage }) =>
    client.attempt("sessionContext", () =>
      selectPage(client, conversationId, after, Math.min(largestContextPage, Math.max(1, limit))))
})
