/**
 * Stores a model's message together with the calls it asks for.
 *
 * Owns: `assistant-message` events and the rows they start.
 * Ordering: the message is looked up and written under one write lock, so of equal proposals one is stored.
 */
import { type AssistantMessage, type CallBlock, callBlocks, type StoredEvent } from "@steno/contracts"
import { Effect } from "effect"
import { insertCall } from "./call-rows.ts"
import { selectResponse } from "./call-reads.ts"
import type { CallLedger, MessageProposal, ProposedStep } from "./calls.ts"
import { canonicalJson } from "./canonical-json.ts"
import { encodeFact, type EventLog } from "./event-log.ts"
import { toLoggedEvent } from "./event-reading.ts"
import type { SqliteClient } from "./sqlite-client.ts"
import type { EventColumns } from "./stored-rows.ts"
import { isUnsettled } from "./turn-writes.ts"
import { conflict, requireOwner, type Write } from "./write-transaction.ts"

type MessageEvent = Extract<StoredEvent, { readonly type: "assistant-message" }>

/** Throws `Conflict` where the message cannot be read any more: whether it said the same is not known. */
const selectMessage = (client: SqliteClient, { conversationId, turnId, itemId }: MessageProposal): MessageEvent | undefined => {
  const row = client.statement<EventColumns>(
    "SELECT * FROM event WHERE turn_id = ? AND item_id = ? AND type = 'assistant-message' AND conversation_id = ?"
  ).get(turnId, itemId, conversationId)
  if (row === undefined) return undefined
  const event = toLoggedEvent(row)
  if (event.type !== "assistant-message") throw conflict(`Message ${itemId}`)
  return event
}

const withoutCallId = ({ callId: _, ...block }: CallBlock) => block

/** Messages that say the same: the ids of their calls are minted anew with each proposal and where a block first appeared may differ. */
const saying = ({ blocks, ...message }: AssistantMessage): string =>
  canonicalJson({
    ...message,
    blocks: blocks.map((block) => {
      const { firstSeen: _, ...rest } = block.type === "call" ? withoutCallId(block) : block
      return rest
    })
  })

const stepOf = (client: SqliteClient, event: MessageEvent, repeated: boolean): ProposedStep => ({
  repeated,
  modelStep: event.sequence,
  calls: callBlocks(event.payload).map(({ block, contentIndex }) => {
    const response = repeated ? selectResponse(client, block.callId)?.payload : undefined
    return { contentIndex, block, ...(response && { response }) }
  })
})

export const makeProposalWrites = (
  client: SqliteClient,
  write: Write,
  log: EventLog
): Pick<CallLedger["Service"], "proposeToolCalls"> => ({
  proposeToolCalls: (fence, proposal) =>
    Effect.suspend(() => {
      const { conversationId, turnId, itemId, firstSeen, message, at } = proposal
      const fact = encodeFact("assistant-message", message)
      return write("proposeToolCalls", (committed) => {
        requireOwner(client, fence)
        const stored = selectMessage(client, proposal)
        if (stored !== undefined) {
          if (saying(stored.payload) !== saying(message)) throw conflict(`Message ${itemId}`)
          return stepOf(client, stored, true)
        }
        if (!isUnsettled(client, { runId: fence.runId, conversationId, turnId })) throw conflict(`Turn ${turnId}`)
        const event = log.append(committed, fact, { conversationId, turnId, item: { itemId, firstSeen }, at })
        for (const { block, contentIndex } of callBlocks(message)) {
          insertCall(client, fence, {
            conversationId,
            turnId,
            itemId: block.itemId,
            firstSeen: block.firstSeen,
            callId: block.callId,
            origin: "model",
            tool: block.tool,
            state: "supervising",
            startSequence: event.sequence,
            contentIndex,
            at
          })
        }
        return stepOf(client, event as MessageEvent, false)
      })
    })
})
