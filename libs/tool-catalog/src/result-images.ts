/** Where the image of a result is kept: a port, provided by the composition layer. */
import type { CallId, ConversationId, ImageReference } from "@steno/contracts"
import { Context, type Effect, Schema } from "effect"

/** Nothing was kept. */
export class ImageNotKept extends Schema.TaggedError<ImageNotKept>()("ImageNotKept", { explanation: Schema.String }) {
  override get message() {
    return this.explanation
  }
}

export class ResultImages extends Context.Service<ResultImages, {
  /** Resolves when the bytes are durable as a file of the call. */
  readonly keep: (
    image: { readonly conversationId: ConversationId; readonly callId: CallId; readonly bytes: Uint8Array }
  ) => Effect.Effect<ImageReference, ImageNotKept>
}>()("@steno/tool-catalog/ResultImages") {}
