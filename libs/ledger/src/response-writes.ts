/**
 * Writes the one response of a call: the same rows, whoever settles it.
 *
 * Owns: `tool-call-response` events, `asset` rows, the end of a `tool_call` row.
 * Ordering: response, assets, row deleted, in the transaction of the caller. An answer that was stored while the response was
 * prepared stands in it.
 */
import type { Asset, Instant, Interaction, StoredEvent, ToolCallResponse } from "@steno/contracts"
import { encodeFact, type EncodedFact, type EventLog } from "./event-log.ts"
import { awaitsPerson, showPending } from "./pending-calls.ts"
import type { SqliteClient } from "./sqlite-client.ts"
import { type CallColumns, toInteractions } from "./stored-rows.ts"

/** @param statement prepares, or finds, the statement of a text */
export const insertAsset = (statement: SqliteClient["statement"], conversationId: string, asset: Asset): void => {
  statement(
    `INSERT INTO asset (asset_id, call_id, conversation_id, category, path, digest, size_bytes, stream, capture)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`
  ).run(
    asset.assetId,
    asset.callId,
    conversationId,
    asset.category,
    asset.path,
    asset.digest,
    asset.sizeBytes,
    asset.stream ?? null,
    asset.capture === undefined ? null : JSON.stringify(asset.capture)
  )
}

export interface PreparedResponse {
  readonly response: ToolCallResponse
  readonly fact: EncodedFact
  readonly assets: ReadonlyArray<Asset>
  readonly at: Instant
}

/** Throws, as a defect of the caller, when the response does not fit its schema: outside a transaction, so that none is held up. */
export const prepareResponse = (response: ToolCallResponse, assets: ReadonlyArray<Asset>, at: Instant): PreparedResponse =>
  ({ response, fact: encodeFact("tool-call-response", response), assets, at })

const answersIn = (interactions: ReadonlyArray<Interaction> = []): number =>
  interactions.filter(({ resolution }) => resolution !== undefined).length

const withStoredAnswers = (call: CallColumns, { fact, response }: PreparedResponse): EncodedFact => {
  const interactions = toInteractions(call)
  return answersIn(interactions) > answersIn(response.interactions)
    ? encodeFact("tool-call-response", { ...response, interactions })
    : fact
}

/** Ends `call`, whose row the caller has just read in the same transaction. */
export const writeResponse = (
  client: SqliteClient,
  log: EventLog,
  committed: Array<StoredEvent>,
  call: CallColumns,
  prepared: PreparedResponse
): void => {
  const { assets, at } = prepared
  log.append(committed, withStoredAnswers(call, prepared), {
    conversationId: call.conversation_id,
    turnId: call.turn_id,
    item: { itemId: call.item_id, firstSeen: call.first_seen },
    endedCall: call.call_id,
    at
  })
  for (const asset of assets) insertAsset(client.statement, call.conversation_id, asset)
  client.statement("DELETE FROM tool_call WHERE call_id = ?").run(call.call_id)
  if (awaitsPerson(call.state)) showPending(client, call.run_id)
}
