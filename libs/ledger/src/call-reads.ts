/**
 * Reads unfinished calls with their arguments, and the responses of settled ones.
 *
 * Owns: joining a row with the event that starts its call: arguments are stored there alone.
 * Limits: an event that starts several calls is parsed once per reading.
 */
import type {
  AssistantMessage,
  CallArguments,
  CallId,
  ConversationId,
  Interaction,
  LoggedEvent,
  RunId,
  UnfinishedCall
} from "@steno/contracts"
import type { CallLedger, ResponseEvent } from "./calls.ts"
import { toLoggedEvent } from "./event-reading.ts"
import type { SqliteClient } from "./sqlite-client.ts"
import { type CallColumns, type EventColumns, toInteractions, toUnfinishedCall } from "./stored-rows.ts"

export const selectCall = (client: SqliteClient, callId: CallId): CallColumns | undefined =>
  client.statement<CallColumns>("SELECT * FROM tool_call WHERE call_id = ?").get(callId)

const argumentsIn = (event: LoggedEvent, call: CallColumns): CallArguments | undefined => {
  if (event.type === "tool-call-started") return event.payload.arguments
  if (event.type !== "assistant-message" || call.content_index === null) return undefined
  const block: AssistantMessage["blocks"][number] | undefined = event.payload.blocks[call.content_index]
  return block?.type === "call" && "arguments" in block ? block.arguments : undefined
}

/** Rows become calls; only inside an attempt. */
const withArguments = (client: SqliteClient) => {
  const starts = new Map<string, LoggedEvent | undefined>()
  const startOf = (call: CallColumns): LoggedEvent | undefined => {
    if (call.start_sequence === null) return undefined
    const key = `${call.conversation_id} ${call.start_sequence}`
    if (!starts.has(key)) {
      const row = client.statement<EventColumns>("SELECT * FROM event WHERE conversation_id = ? AND sequence = ?")
        .get(call.conversation_id, call.start_sequence)
      starts.set(key, row && toLoggedEvent(row))
    }
    return starts.get(key)
  }
  return (call: CallColumns): UnfinishedCall => {
    const start = startOf(call)
    return toUnfinishedCall(call, start && argumentsIn(start, call))
  }
}

/** Unfinished calls of a Run, by creation. Only inside an attempt. */
export const selectUnfinished = (client: SqliteClient, runId: RunId): ReadonlyArray<UnfinishedCall> =>
  client.statement<CallColumns>("SELECT * FROM tool_call WHERE run_id = ? ORDER BY creation").all(runId)
    .map(withArguments(client))

/** The event that ended a call. Only inside an attempt. */
export const selectResponse = (client: SqliteClient, callId: CallId): ResponseEvent | undefined => {
  const row = client.statement<EventColumns>("SELECT * FROM event WHERE call_id = ?").get(callId)
  const event = row && toLoggedEvent(row)
  return event?.type === "tool-call-response" ? event : undefined
}

/** Answers are found by what their text holds before they are parsed: few have a scope. Only inside an attempt. */
const selectSessionApprovals = (client: SqliteClient, conversationId: ConversationId): ReadonlyArray<Interaction> => {
  const settled = client.statement<EventColumns>(
    `SELECT * FROM event WHERE conversation_id = ? AND type = 'tool-call-response' AND payload LIKE '%"scope":"session"%'
     ORDER BY sequence`
  ).all(conversationId).map(toLoggedEvent)
  const open = client.statement<CallColumns>(
    "SELECT * FROM tool_call WHERE conversation_id = ? AND interactions LIKE '%\"scope\":\"session\"%' ORDER BY start_sequence, creation"
  ).all(conversationId)
  const interactions = [
    ...settled.flatMap((event) => event.type === "tool-call-response" ? event.payload.interactions ?? [] : []),
    ...open.flatMap(toInteractions)
  ]
  return interactions.filter(({ resolution }) =>
    resolution !== undefined && "approval" in resolution.value && resolution.value.approval.scope === "session")
}

interface CountedBytes {
  readonly bytes: number
  /** `creation` of the newest row that is in it. */
  readonly newest: number
}

/** Rows of files are added one by one and go with their whole Session, so what was counted stays so. */
const makeStoredBytes = (client: SqliteClient): CallLedger["Service"]["storedBytes"] => {
  const counted = new Map<ConversationId, CountedBytes>()
  return (conversationId) => client.attempt("storedBytes", () => {
    const before = counted.get(conversationId) ?? { bytes: 0, newest: 0 }
    const added = client.statement<CountedBytes>(
      "SELECT coalesce(sum(size_bytes), 0) AS bytes, coalesce(max(creation), 0) AS newest FROM asset WHERE conversation_id = ? AND creation > ?"
    ).get(conversationId, before.newest)
    if (added === undefined || added.newest === 0) return before.bytes
    const now = { bytes: before.bytes + added.bytes, newest: added.newest }
    counted.set(conversationId, now)
    return now.bytes
  })
}

export const makeCallReads = (
  client: SqliteClient
): Pick<CallLedger["Service"], "unfinishedCall" | "unfinishedCalls" | "storedResponse" | "callOfItem" | "storedBytes" | "openCallsOfStep" | "sessionApprovals"> => ({
  unfinishedCall: (callId) =>
    client.attempt("unfinishedCall", () => {
      const call = selectCall(client, callId)
      return call && withArguments(client)(call)
    }),

  unfinishedCalls: (runId) => client.attempt("unfinishedCalls", () => selectUnfinished(client, runId)),

  storedResponse: (callId) => client.attempt("storedResponse", () => selectResponse(client, callId)),

  callOfItem: ({ itemId, turnId }) =>
    client.attempt("callOfItem", () => {
      const callId = client.value<CallId>(
        `SELECT call_id FROM tool_call WHERE turn_id = ? AND item_id = ?
         UNION ALL SELECT call_id FROM event WHERE turn_id = ? AND item_id = ? AND type = 'tool-call-response'`
      ).get(turnId, itemId, turnId, itemId)
      if (callId === undefined) return undefined
      const response = selectResponse(client, callId)?.payload
      return { callId, ...(response === undefined ? {} : { response }) }
    }),

  storedBytes: makeStoredBytes(client),

  openCallsOfStep: ({ conversationId, modelStep }) =>
    client.attempt("openCallsOfStep", () =>
      client.value<number>("SELECT count(*) FROM tool_call WHERE conversation_id = ? AND start_sequence = ?")
        .get(conversationId, modelStep) ?? 0),

  sessionApprovals: (conversationId) =>
    client.attempt("sessionApprovals", () => selectSessionApprovals(client, conversationId))
})
