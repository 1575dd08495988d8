/**
 * Rows of files that are lost while the response that names them is not.
 *
 * Owns: which files those are, writing their rows anew.
 * Never owns: reading the files (asset-store, process-capture).
 */
import type { Asset, CallId, CaptureFacts, ConversationId } from "@steno/contracts"
import type Database from "better-sqlite3"
import { toLoggedEvent } from "../event-reading.ts"
import { insertAsset } from "../response-writes.ts"
import type { EventColumns } from "../stored-rows.ts"

/** The files of a call of which at least one row is lost. */
export interface LostFiles {
  readonly conversationId: ConversationId
  readonly callId: CallId
  /** Every file of the call, in the order the response names them. */
  readonly assetIds: ReadonlyArray<Asset["assetId"]>
  readonly capture: CaptureFacts
}

/** Only of Sessions whose own row is there. */
export const lostFiles = (database: Database.Database): ReadonlyArray<LostFiles> => {
  const isKnown = database.prepare<[string], 1>("SELECT 1 FROM asset WHERE asset_id = ?").pluck()
  const found: Array<LostFiles> = []
  const responses = database.prepare<[], EventColumns>(
    "SELECT event.* FROM event JOIN session USING (conversation_id) WHERE type = 'tool-call-response' ORDER BY conversation_id, sequence"
  ).iterate()
  for (const row of responses) {
    const event = toLoggedEvent(row)
    if (event.type !== "tool-call-response" || event.payload.capture === undefined) continue
    const { assetIds, callId, capture } = event.payload
    if (assetIds.some((id) => isKnown.get(id) === undefined)) found.push({ conversationId: event.conversationId, callId, assetIds, capture })
  }
  return found
}

/** Writes those of `assets` that a call of `lost` names and that have no row; gives what was written. */
export const restoreAssets = (
  database: Database.Database,
  lost: ReadonlyArray<LostFiles>,
  assets: ReadonlyArray<Asset>
): ReadonlyArray<Asset> => {
  const owners = new Map(lost.flatMap((files) => files.assetIds.map((id) => [id, files] as const)))
  const isKnown = database.prepare<[string], 1>("SELECT 1 FROM asset WHERE asset_id = ?").pluck()
  return database.transaction(() =>
    assets.filter((asset) => {
      const owner = owners.get(asset.assetId)
      if (owner?.callId !== asset.callId || isKnown.get(asset.assetId) !== undefined) return false
      insertAsset((sql) => database.prepare(sql), owner.conversationId, asset)
      return true
    })
  )()
}
