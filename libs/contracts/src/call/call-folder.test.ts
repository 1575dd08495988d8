import { describe, expect, it } from "vitest"
import { CallId, ConversationId } from "../ids/ids.schema.ts"
import { callFolder } from "./call-folder.ts"

describe("callFolder", () => {
  it("is relative, with slashes, and names conversation and call", () => {
    const conversationId = ConversationId.make("conv_01JAVW4QKD7QZB2N5T8M3X9C1R")
    const callId = CallId.make("call_01JAVW4QKD7QZB2N5T8M3X9C1S")
    expect(callFolder(conversationId, callId)).toBe(`data/conversations/${conversationId}/tool-calls/${callId}`)
  })
})
