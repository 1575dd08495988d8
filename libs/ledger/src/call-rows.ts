/** Inserts the row of a call that begins. */
import type { CallId, CallOrigin, CallState, ConversationId, Instant, Supervision, TurnId } from "@steno/contracts"
import type { Fence } from "./fence.ts"
import type { SqliteClient } from "./sqlite-client.ts"
import { conflict } from "./write-transaction.ts"

export const jsonOrNull = (value: unknown): string | null => value === undefined ? null : JSON.stringify(value)

export interface CallRow {
  readonly conversationId: ConversationId
  readonly turnId: TurnId
  readonly itemId: string
  readonly firstSeen: number
  readonly callId: CallId
  readonly origin: CallOrigin
  readonly tool: string
  readonly state: CallState
  readonly supervision?: Supervision
  readonly claim?: string
  /** Of the event that starts the call. */
  readonly startSequence: number
  readonly contentIndex?: number
  readonly at: Instant
}

/** Throws `Conflict` when the id belongs to a call already, unfinished or settled. Only inside a write transaction. */
export const insertCall = (client: SqliteClient, fence: Fence, call: CallRow): void => {
  const settled = client.value("SELECT 1 FROM event WHERE call_id = ?").get(call.callId)
  const inserted = settled !== undefined ? undefined : client.statement(
    `INSERT INTO tool_call (call_id, run_id, conversation_id, turn_id, item_id, first_seen,
       origin, tool, state, supervision, claim, started_at, updated_at, start_sequence, content_index)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (call_id) DO NOTHING`
  ).run(
    call.callId,
    fence.runId,
    call.conversationId,
    call.turnId,
    call.itemId,
    call.firstSeen,
    call.origin,
    call.tool,
    call.state,
    jsonOrNull(call.supervision),
    call.claim ?? null,
    call.state === "running" ? call.at : null,
    call.at,
    call.startSequence,
    call.contentIndex ?? null
  )
  if (inserted?.changes !== 1) throw conflict(`Call ${call.callId}`)
}
