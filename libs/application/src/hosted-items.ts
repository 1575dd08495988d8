/**
 * Texts of the built-in loop, whose messages are proposed when they are whole.
 *
 * Owns: what is kept of a message that the Turn ended in the middle of.
 * Never owns: whole messages and their calls (turn-host).
 */
import type { CallTurn, ToolCallService } from "@steno/tool-call-service"
import { Effect } from "effect"
import { type IncompleteText, incompleteMessage } from "./proposal.ts"
import type { TurnItems } from "./turn-items.ts"
import type { TurnRecording } from "./turn-recording.ts"

export const makeHostedItems = (
  calls: CallTurn,
  toolCalls: ToolCallService["Service"],
  recording: TurnRecording
): TurnItems => {
  const texts = new Map<string, IncompleteText>()
  return {
    observe: (event) => {
      if (event.type === "assistant-content") texts.set(event.messageId, event)
      else if (event.type === "thought") texts.set(event.summaryId, event)
    },
    /** Its calls are executed here. */
    outputSink: () => ({ append: () => {}, replace: () => {}, close: () => {} }),
    leave: Effect.fnUntraced(function*() {
      const left = [...texts.values()].filter(({ content }) => content.trim() !== "")
      const proposal = incompleteMessage(left, recording.places, recording.model)
      if (proposal === undefined) return []
      yield* toolCalls.propose({ ...calls, proposal }).pipe(
        Effect.catch((error) => Effect.logWarning(`What a Turn ended in the middle of was not stored: ${error.message}`))
      )
      return []
    })
  }
}
