/** Opaque references to a Session's transcript. */
import type { ConversationId, RunId } from "@steno/contracts"
import { Base64Url } from "effect/encoding"

/** base64url of version, kind, Run and Session; stable for one Session. */
export const transcriptReference = (
  kind: "page" | "export",
  session: { readonly runId: RunId; readonly conversationId: ConversationId }
): string => Base64Url.encode(JSON.stringify([1, kind, session.runId, session.conversationId]))
