/**
 * One answer of a model while it comes in: shown live, and in the end a message.
 *
 * Owns: which blocks an answer has, in which order; arguments that are no JSON; when an answer is no message.
 * Never owns: previews and their merging (the Seam's producer), the calls (the host).
 * Ordering: a block has its place from its first content on; blank texts and Thoughts are none.
 */
import type { ItemId, ProposedBlock, ProposedMessage, TurnProducer } from "@steno/harness-seam"
import type { SharedV4ProviderMetadata } from "@ai-sdk/provider"
import type { Schema } from "effect"
import type { AnswerPart, AnswerUsage, KeptReasoning } from "./hosted-model.ts"
import { unreadableAnswer, ProviderFault } from "./provider-fault.ts"

interface TextBlock {
  readonly kind: "text" | "thought"
  readonly itemId: ItemId
  content: string
}

interface Reasoning {
  readonly thought: TextBlock
  metadata: SharedV4ProviderMetadata
  before?: ItemId
}

interface CallBlock {
  readonly kind: "call"
  readonly itemId: ItemId
  readonly id: string
  readonly tool: string
  argumentsText: string
  whole: boolean
}

type Block = TextBlock | CallBlock

const isBlank = (text: string): boolean => text.trim() === ""

type CallArguments = { readonly arguments: Schema.Json } | { readonly rawArguments: string }

/** None at all are none given; anything but an object of JSON stays as the model gave it. */
export const readArguments = (text: string): CallArguments => {
  if (isBlank(text)) return { arguments: {} }
  try {
    const value: Schema.Json = JSON.parse(text)
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { arguments: value } : { rawArguments: text }
  } catch {
    return { rawArguments: text }
  }
}

/** Later values win over earlier ones; one that is null says nothing. */
const merged = (earlier: SharedV4ProviderMetadata, later: SharedV4ProviderMetadata): SharedV4ProviderMetadata => ({
  ...earlier,
  ...Object.fromEntries(Object.entries(later).map(([provider, values]) => [
    provider,
    { ...earlier[provider], ...Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null)) }
  ]))
})

const stopWords = {
  "length": "it reached its limit of output",
  "content-filter": "its content was refused",
  "error": "of an error",
  "interrupted": "the answer broke off",
  "other": "of a reason that is not understood"
} as const

const proposed = (block: Block): ProposedBlock => {
  switch (block.kind) {
    case "text":
      return { type: "text", messageId: block.itemId, content: block.content }
    case "thought":
      return { type: "reasoning-summary", summaryId: block.itemId, content: block.content }
    case "call":
      return {
        type: "call",
        itemId: block.itemId,
        tool: block.tool,
        ...(block.id === "" ? {} : { providerCallId: block.id }),
        ...readArguments(block.argumentsText)
      }
  }
}

export class ModelAnswer {
  readonly #turn: TurnProducer
  readonly #messageId: ItemId
  /** In content order. */
  readonly #blocks: Array<Block> = []
  readonly #texts = new Map<string, TextBlock>()
  readonly #calls = new Map<string, CallBlock>()
  /** By Thought, in order. */
  readonly #reasoning = new Map<TextBlock, Reasoning>()
  #finish: Extract<AnswerPart, { readonly type: "finish" }> | undefined

  constructor(turn: TurnProducer) {
    this.#turn = turn
    this.#messageId = turn.ids.fresh()
  }

  /** Whether something of it was shown; then it cannot be asked for again. */
  get begun(): boolean {
    return this.#blocks.length > 0
  }

  get usage(): AnswerUsage {
    return this.#finish?.usage ?? {}
  }

  /** What the provider wants back with this message; a Thought behind its last block is not. */
  get reasoning(): ReadonlyArray<KeptReasoning> {
    return [...this.#reasoning.values()].flatMap(({ before, metadata, thought }) =>
      before === undefined || Object.keys(metadata).length === 0
        ? []
        : [{ before, part: { type: "reasoning", text: thought.content, providerOptions: metadata } }]
    )
  }

  tell(part: AnswerPart): void {
    switch (part.type) {
      case "seal": {
        const reasoning = this.#reasoningOf(this.#text("thought", part.block))
        reasoning.metadata = merged(reasoning.metadata, part.metadata)
        break
      }
      case "text":
      case "thought":
        this.#addText(part.type, part.block, part.delta)
        break
      case "call-begins":
        this.#begin(part.id, part.tool)
        break
      case "arguments": {
        const call = this.#calls.get(part.id)
        if (call !== undefined && !call.whole) this.#draft(call, part.delta)
        break
      }
      case "call": {
        const known = this.#calls.get(part.id)
        const call = known === undefined || known.whole ? this.#begin(part.id, part.tool) : known
        call.argumentsText = part.argumentsText
        call.whole = true
        break
      }
      case "finish":
        this.#finish = part
    }
  }

  /** The message, once the answer is over; a fault where it is none. */
  message(): ProposedMessage | ProviderFault {
    const finish = this.#finish
    if (finish === undefined) return unreadableAnswer()
    if (finish.reason !== "stop" && finish.reason !== "tool-calls") {
      const word = finish.word === undefined ? "" : ` (${finish.word})`
      return new ProviderFault({ kind: "status", explanation: `The model stopped because ${stopWords[finish.reason]}${word}` })
    }
    if (!this.#blocks.some(({ kind }) => kind !== "thought")) {
      return new ProviderFault({ kind: "status", explanation: "The model answered with nothing" })
    }
    return { messageId: this.#messageId, blocks: this.#blocks.map(proposed) }
  }

  #addText(kind: TextBlock["kind"], name: string, delta: string): void {
    const text = this.#text(kind, name)
    if (kind === "thought") this.#reasoningOf(text)
    const shown = !isBlank(text.content)
    text.content += delta
    if (isBlank(text.content)) return
    if (!shown) this.#place(text)
    const news = shown ? delta : text.content
    this.#turn.report(
      kind === "text"
        ? { type: "message-delta", messageId: text.itemId, delta: news }
        : { type: "thought-delta", summaryId: text.itemId, delta: news }
    )
  }

  #begin(id: string, tool: string): CallBlock {
    const call: CallBlock = { kind: "call", itemId: this.#turn.ids.fresh(), id, tool, argumentsText: "", whole: false }
    this.#calls.set(id, call)
    this.#place(call)
    return call
  }

  #text(kind: TextBlock["kind"], name: string): TextBlock {
    const key = `${kind} ${name}`
    const text = this.#texts.get(key) ?? { kind, itemId: this.#turn.ids.fresh(), content: "" }
    this.#texts.set(key, text)
    return text
  }

  #reasoningOf(thought: TextBlock): Reasoning {
    const reasoning = this.#reasoning.get(thought) ?? { thought, metadata: {} }
    this.#reasoning.set(thought, reasoning)
    return reasoning
  }

  #place(block: Block): void {
    this.#blocks.push(block)
    if (block.kind === "thought") return
    for (const reasoning of this.#reasoning.values()) reasoning.before ??= block.itemId
  }

  #draft(call: CallBlock, delta: string): void {
    call.argumentsText += delta
    this.#turn.report({
      type: "argument-delta",
      messageId: this.#messageId,
      contentIndex: this.#blocks.indexOf(call),
      tool: call.tool,
      delta
    })
  }
}
