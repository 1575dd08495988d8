/** Where the files of a call lie. */
import type { CallId, ConversationId } from "../ids/ids.schema.ts"

/** Folder of a call's files, relative to the home, with `/`. */
export const callFolder = (conversationId: ConversationId, callId: CallId): string =>
  `data/conversations/${conversationId}/tool-calls/${callId}`
