/**
 * A message of a model, and what is left of one that never became whole, as they are stored.
 *
 * Owns: the translation of a proposed message into a stored one; pure but for the places it takes.
 * Never owns: the ids of calls (tool-call-service).
 * Limits: arguments that are no JSON object are stored as the text that they are.
 */
import type { CallArguments, MessageBlock } from "@steno/contracts"
import type { ItemId, ProposedBlock, ProposedCall, ProposedMessage, TurnEventOf } from "@steno/harness-seam"
import type { MessageToPropose } from "@steno/tool-call-service"
import { Predicate } from "effect"
import type { TurnPlaces } from "./turn-places.ts"

type Block = MessageToPropose["blocks"][number]
type TextBlock = Exclude<MessageBlock, { readonly type: "call" }>

const isObject = (value: unknown): value is CallArguments => Predicate.isObject(value) && !Array.isArray(value)

const argumentsOf = (call: ProposedCall): { readonly arguments: CallArguments } | { readonly rawArguments: string } =>
  "rawArguments" in call
    ? { rawArguments: call.rawArguments }
    : isObject(call.arguments)
    ? { arguments: call.arguments }
    : { rawArguments: JSON.stringify(call.arguments) }

const blockOf = (places: TurnPlaces, messageId: ItemId) => (block: ProposedBlock, contentIndex: number): Block => {
  switch (block.type) {
    case "text":
      return { type: "text", itemId: block.messageId, firstSeen: places.of(block.messageId), content: block.content }
    case "reasoning-summary":
      return { type: "reasoning-summary", itemId: block.summaryId, firstSeen: places.of(block.summaryId), content: block.content }
    case "call":
      return {
        type: "call",
        itemId: block.itemId,
        firstSeen: places.ofCall(block.itemId, messageId, contentIndex),
        tool: block.tool,
        ...(block.providerCallId === undefined ? {} : { providerCallId: block.providerCallId }),
        ...argumentsOf(block)
      }
  }
}

/** @param model the one that answered, as far as it is known */
export const messageToPropose = (
  { blocks, messageId }: ProposedMessage,
  places: TurnPlaces,
  model: string | undefined
): MessageToPropose => {
  const stored = blocks.map(blockOf(places, messageId))
  return {
    itemId: messageId,
    firstSeen: stored[0]?.firstSeen ?? places.of(messageId),
    blocks: stored,
    ...(model === undefined ? {} : { model })
  }
}

/** Text that was shown and whose message never became whole. */
export type IncompleteText = TurnEventOf<"assistant-content" | "thought">

const incompleteBlock = (text: IncompleteText, places: TurnPlaces): TextBlock =>
  text.type === "assistant-content"
    ? { type: "text", itemId: text.messageId, firstSeen: places.of(text.messageId), content: text.content, incomplete: true }
    : {
      type: "reasoning-summary",
      itemId: text.summaryId,
      firstSeen: places.of(text.summaryId),
      content: text.content,
      incomplete: true,
      ...(text.durationMs === undefined ? {} : { durationMs: text.durationMs })
    }

/** Undefined where nothing is left. */
export const incompleteMessage = (
  texts: ReadonlyArray<IncompleteText>,
  places: TurnPlaces,
  model: string | undefined
): MessageToPropose | undefined => {
  const blocks = texts.map((text) => incompleteBlock(text, places))
  const [first] = blocks
  return first && {
    itemId: first.itemId,
    firstSeen: first.firstSeen,
    blocks,
    ...(model === undefined ? {} : { model })
  }
}
