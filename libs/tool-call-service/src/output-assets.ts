/** Asset facts of the files that hold what a call printed. */
import { type Asset, callFolder, type CallId, type ConversationId, IdMinter } from "@steno/contracts"
import { Effect } from "effect"
import type { ToolFiles } from "./host-tools.ts"

export const outputAssets = Effect.fnUntraced(function*(
  { callId, conversationId }: { readonly callId: CallId; readonly conversationId: ConversationId },
  captured: ToolFiles | undefined
) {
  const ids = yield* IdMinter
  const folder = callFolder(conversationId, callId)
  return yield* Effect.forEach(captured?.files ?? [], (file) =>
    Effect.map(ids.mint("asset"), (assetId): Asset => ({
      assetId,
      callId,
      category: "output",
      path: `${folder}/${file.name}`,
      digest: file.digest,
      sizeBytes: file.sizeBytes,
      stream: file.stream,
      capture: file.facts
    })))
})
