/**
 * Writes the one response of a call: the same rows, whoever settles it.
 *
 * Owns: `tool-call-response` events, `asset` rows, the end of a `tool_call` row.
 * Ordering: response, assets, row deleted, in the transaction of the caller.
 */
import type { Asset, Instant, StoredEvent } from "@steno/contracts"
import type { EncodedFact, EventLog } from "./event-log.ts"
import { awaitsPerson, showPending } from "./pending-calls.ts"
import type { SqliteClient } from "./sqlite-client.ts"
import type { CallColumns } from "./stored-rows.ts"

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
  readonly fact: EncodedFact
  readonly assets: ReadonlyArray<Asset>
  readonly at: Instant
}

/** Ends `call`, whose row the caller has just read in the same transaction. */
export const writeResponse = (
  client: SqliteClient,
  log: EventLog,
  committed: Array<StoredEvent>,
  call: CallColumns,
  { fact, assets, at }: PreparedResponse
): void => {
  log.append(committed, fact, {
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
