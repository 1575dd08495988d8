/**
 * A Session's events as the messages that a model is sent.
 *
 * Owns: which event says what to a model; that every call has exactly one result, right behind its message.
 * Never owns: reading images (the caller), shortening results (result-projection).
 * Ordering: each event is taken once; what a request then costs does not depend on taking.
 * Limits: deterministic, without I/O; equal events give equal messages however they are divided. Calls and results are
 * paired by the provider's id where it is unique and fits every provider, else by ours. Reasoning is only what was kept
 * for this model. Images stand in a message behind the result, because not every protocol has them in results.
 */
import {
  type AssistantMessage,
  type CallBlock,
  type ImageReference,
  startedInput,
  type StoredEvent,
  type ToolCallResponse,
  type TurnId
} from "@steno/contracts"
import type { LanguageModelV4FilePart, LanguageModelV4ReasoningPart, LanguageModelV4TextPart, LanguageModelV4ToolCallPart, LanguageModelV4ToolResultPart } from "@ai-sdk/provider"
import type { KeptReasoning, ModelMessage } from "./hosted-model.ts"

type Output = LanguageModelV4ToolResultPart["output"]
type Answer = LanguageModelV4TextPart | LanguageModelV4ToolCallPart | LanguageModelV4ReasoningPart
type Say = LanguageModelV4TextPart | LanguageModelV4FilePart

/** Bytes of an image; undefined: they are gone or damaged. */
export type ImageLookup = (reference: ImageReference) => Uint8Array | undefined

interface OpenCall {
  readonly turnId: TurnId
  readonly results: Array<LanguageModelV4ToolResultPart>
  readonly index: number
}

const pairable = /^[A-Za-z0-9_-]{1,64}$/
const unrecorded = "No result of this call was recorded."

const words = (text: string, otherwise: string): string => (text.trim() === "" ? otherwise : text.toWellFormed())

const toolName = (name: string): string => name.replaceAll(/[^A-Za-z0-9_-]/g, "_").slice(0, 64) || "unknown"

const argumentsOf = (block: CallBlock): unknown => "arguments" in block ? block.arguments : { invalidArguments: block.rawArguments.toWellFormed() }

const endWords = ({ outcome, reason }: ToolCallResponse): string =>
  `The call ended as ${outcome}${reason === undefined ? "" : `: ${reason.text}`}. Its result could not be shown.`

const outputOf = (response: ToolCallResponse): Output => ({
  type: response.outcome === "completed" ? "text" : "error-text",
  value: words(response.agentProjection ?? endWords(response), "(nothing)")
})

const imageWords = (tool: string, { mediaType }: ImageReference, data: Uint8Array | undefined): ReadonlyArray<Say> =>
  data === undefined
    ? [{ type: "text", text: `[An image of ${tool} is not available.]` }]
    : [{ type: "text", text: `[An image of ${tool}:]` }, { type: "file", mediaType, data: { type: "data", data } }]

/** The images that `events` refer to, in order. */
export const imagesIn = (events: ReadonlyArray<StoredEvent>): ReadonlyArray<ImageReference> =>
  events.flatMap((event) => (event.type === "tool-call-response" ? event.payload.agentImages ?? [] : []))

export class Conversation {
  readonly #messages: Array<ModelMessage> = []
  readonly #open = new Map<string, OpenCall>()
  readonly #pairs = new Set<string>()
  readonly #known = new Set<string>()
  readonly #commands = new Map<string, string>()
  readonly #steers = new Set<string>()
  readonly #kept = new Map<string, Array<LanguageModelV4ReasoningPart>>()
  #taken = 0
  #last: StoredEvent | undefined

  get messages(): ReadonlyArray<ModelMessage> {
    return this.#messages
  }

  /** Those of `events` that were not taken yet; undefined where `events` are not a continuation of those that were. */
  rest(events: ReadonlyArray<StoredEvent>): ReadonlyArray<StoredEvent> | undefined {
    const last = events[this.#taken - 1]
    const continued = last?.sequence === this.#last?.sequence && last?.conversationId === this.#last?.conversationId
    return continued && events.length >= this.#taken ? events.slice(this.#taken) : undefined
  }

  /** What goes in front of blocks of a message that this Turn is about to store. */
  keep(turnId: TurnId, reasoning: ReadonlyArray<KeptReasoning>): void {
    for (const { before, part } of reasoning) {
      const key = `${turnId} ${before}`
      this.#kept.set(key, [...(this.#kept.get(key) ?? []), part])
    }
  }

  take(events: ReadonlyArray<StoredEvent>, image: ImageLookup): void {
    for (const event of events) {
      this.#takeOne(event, image)
      this.#last = event
    }
    this.#taken += events.length
  }

  /** Whether a call of this Turn has no result yet. */
  awaits(turnId: TurnId): boolean {
    return [...this.#open.values()].some((call) => call.turnId === turnId)
  }

  /** Whether nothing came behind what the model said last, in this Turn. */
  isAnswered(turnId: TurnId): boolean {
    return this.#messages.at(-1)?.role === "assistant" && this.#last?.turnId === turnId
  }

  hasSteer(steerId: string): boolean {
    return this.#steers.has(steerId)
  }

  #takeOne(event: StoredEvent, image: ImageLookup): void {
    switch (event.type) {
      case "turn-admitted":
        if (event.payload.harness.id !== "command") this.#say(words(event.payload.input, "(an empty message)"))
        break
      case "assistant-message":
        this.#answer(event.payload, event.turnId)
        break
      case "tool-call-started":
        this.#commands.set(event.payload.callId, startedInput(event.payload).input)
        break
      case "tool-call-response":
        this.#result(event.payload, image)
        break
      case "steer":
        if (event.payload.settlement.state !== "delivered" || this.#steers.has(event.payload.steerId)) break
        this.#steers.add(event.payload.steerId)
        this.#say(words(event.payload.text, "(an empty message)"))
        break
      case "turn-settled":
      case "assistant-content":
      case "thought":
      case "model":
      case "request-raised":
      case "request-answered":
      case "request-expired":
      case "elicitation-declined":
      case "agent-call":
      case "agent-call-expired":
      case "provider-retry":
      case "turn-diff":
        break
    }
  }

  #answer(message: AssistantMessage, turnId: TurnId): void {
    const results: Array<LanguageModelV4ToolResultPart> = []
    const content = message.blocks.flatMap((block): ReadonlyArray<Answer> => {
      if (block.type === "reasoning-summary") return []
      const key = `${turnId} ${block.itemId}`
      const reasoning = this.#kept.get(key) ?? []
      this.#kept.delete(key)
      if (block.type === "text") {
        return block.content.trim() === "" ? [] : [...reasoning, { type: "text", text: block.content.toWellFormed() }]
      }
      if (this.#known.has(block.callId)) return []
      this.#known.add(block.callId)
      const pair = { toolCallId: this.#pairOf(block), toolName: toolName(block.tool) }
      this.#open.set(block.callId, { turnId, results, index: results.length })
      results.push({ type: "tool-result", ...pair, output: { type: "error-text", value: unrecorded } })
      return [...reasoning, { type: "tool-call", ...pair, input: argumentsOf(block) }]
    })
    if (content.length > 0) this.#messages.push({ role: "assistant", content })
    if (results.length > 0) this.#messages.push({ role: "tool", content: results })
  }

  #pairOf({ callId, providerCallId }: CallBlock): string {
    const fits = providerCallId !== undefined && pairable.test(providerCallId) && !this.#pairs.has(providerCallId)
    const pair = fits ? providerCallId : callId
    this.#pairs.add(pair)
    return pair
  }

  #result(response: ToolCallResponse, image: ImageLookup): void {
    const call = this.#open.get(response.callId)
    if (call !== undefined) {
      this.#open.delete(response.callId)
      const result = call.results[call.index]
      if (result !== undefined) call.results[call.index] = { ...result, output: outputOf(response) }
    } else if (this.#known.has(response.callId)) return
    else this.#command(response)
    const images = (response.agentImages ?? []).flatMap((reference) => imageWords(response.tool, reference, image(reference)))
    if (images.length > 0) this.#messages.push({ role: "user", content: images })
  }

  /** A command that a person ran: its projection names it. */
  #command(response: ToolCallResponse): void {
    const command = this.#commands.get(response.callId)
    this.#known.add(response.callId)
    if (response.agentProjection !== undefined) this.#say(words(response.agentProjection, "(nothing)"))
    else if (command !== undefined) this.#say(words(`${command}\n${endWords(response)}`, "(nothing)"))
  }

  #say(text: string): void {
    this.#messages.push({ role: "user", content: [{ type: "text", text }] })
  }
}
