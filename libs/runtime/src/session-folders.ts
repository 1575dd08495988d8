/**
 * Folders of Sessions in a home, read without its database.
 *
 * Limits: names only; what lies in them is asset-store's.
 */
import { ConversationId } from "@steno/contracts"
import { Schema } from "effect"
import { readdirSync, statSync } from "node:fs"
import { join } from "node:path"
import { databaseFile } from "./database-file.ts"

const isConversationId = Schema.is(ConversationId)

export const sessionFolderOf = (home: string, conversationId: string): string => join(home, "data", "conversations", conversationId)

/** Ids of the Sessions that have a folder; none where there is no such folder or it cannot be read. */
export const sessionFolders = (home: string): ReadonlyArray<string> => {
  try {
    return readdirSync(join(home, "data", "conversations")).filter(isConversationId).sort()
  } catch {
    return []
  }
}

const isEmptyFile = (path: string): boolean => (statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0

/**
 * Whether Sessions have folders while the database holds nothing at all. Folders are looked for first: rows of a Session are
 * older than its folder, so a new home that others are filling is never taken for an emptied one.
 */
export const isEmptied = (home: string): boolean => {
  const isBlank = () => isEmptyFile(databaseFile(home)) && isEmptyFile(`${databaseFile(home)}-wal`)
  return isBlank() && sessionFolders(home).length > 0 && isBlank()
}
