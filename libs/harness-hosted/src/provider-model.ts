/**
 * Models of real providers, through their libraries.
 *
 * Owns: what a request looks like to such a library and how its stream is read.
 * Never owns: retries and what an answer means (hosted-loop, model-answer).
 * Limits: keys and addresses come from the options alone, never from the environment; no request is kept at a provider;
 * reasoning goes back only to the model that it came from.
 */
import { createAnthropic } from "@ai-sdk/anthropic"
import { createOpenAI } from "@ai-sdk/openai"
import { createOpenAICompatible } from "@ai-sdk/openai-compatible"
import type { JSONSchema7, LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4StreamPart, SharedV4ProviderMetadata } from "@ai-sdk/provider"
import { Effect } from "effect"
import type { AnswerPart, HostedModel, ModelRequest } from "./hosted-model.ts"
import type { Effort, ProviderName } from "./model-name.ts"
import { streamedFault, thrownFault } from "./provider-fault.ts"

/** How one provider is reached. */
export interface ProviderAccess {
  /** Needed by `anthropic` and `openai`. */
  readonly apiKey?: string
  /** With the version, as in `https://host/v1`; needed by `openai-compatible`, default of the others: the provider's own. */
  readonly baseUrl?: string
  /** Of one answer; default: the library's for the model. */
  readonly maxOutputTokens?: number
}

const addresses = { anthropic: "https://api.anthropic.com/v1", openai: "https://api.openai.com/v1" } as const

const modelOf = (provider: ProviderName, model: string, access: ProviderAccess): LanguageModelV4 => {
  const apiKey = access.apiKey ?? ""
  switch (provider) {
    case "anthropic":
      return createAnthropic({ apiKey, baseURL: access.baseUrl ?? addresses.anthropic })(model)
    case "openai":
      return createOpenAI({ apiKey, baseURL: access.baseUrl ?? addresses.openai }).responses(model)
    case "openai-compatible":
      return createOpenAICompatible({
        name: provider,
        baseURL: access.baseUrl ?? "",
        includeUsage: true,
        ...(apiKey === "" ? {} : { apiKey })
      }).chatModel(model)
  }
}

/** An effort of Anthropic is told by itself: the general form would switch thinking on, which wants its thoughts back. */
const optionsOf = (provider: ProviderName, effort: Effort | undefined): Pick<LanguageModelV4CallOptions, "providerOptions" | "reasoning"> => {
  const reasoning = effort === undefined ? {} : { reasoning: effort }
  switch (provider) {
    case "anthropic":
      return { providerOptions: { anthropic: { cacheControl: { type: "ephemeral" }, ...(effort === undefined ? {} : { effort }) } } }
    case "openai":
      return { providerOptions: { openai: { store: false } }, ...reasoning }
    case "openai-compatible":
      return reasoning
  }
}

type Prompt = LanguageModelV4CallOptions["prompt"]

/** A result whose text stands for itself, as every other does. */
const plainResults = (message: Prompt[number]): Prompt[number] =>
  message.role === "tool"
    ? {
      ...message,
      content: message.content.map((part) =>
        part.type === "tool-result" && part.output.type === "error-text" ? { ...part, output: { type: "text", value: part.output.value } } : part
      )
    }
    : message

/** OpenAI's protocol has no mark of a failed call; its library would wrap the text into JSON instead, every line of it escaped. */
const promptOf = (provider: ProviderName, { instructions, messages }: ModelRequest): Prompt => [
  { role: "system", content: instructions },
  ...(provider === "openai" ? messages.map(plainResults) : messages)
]

const callOptions = (
  provider: ProviderName,
  { maxOutputTokens }: ProviderAccess,
  request: ModelRequest,
  abortSignal: AbortSignal
): LanguageModelV4CallOptions => ({
  prompt: promptOf(provider, request),
  abortSignal,
  ...optionsOf(provider, request.effort),
  ...(request.tools.length === 0 ? {} : {
    tools: request.tools.map(({ description, inputSchema, name }) => ({
      type: "function",
      name,
      description,
      inputSchema: inputSchema as JSONSchema7
    }))
  }),
  ...(maxOutputTokens === undefined ? {} : { maxOutputTokens })
})

const sealOf = (part: { readonly id: string; readonly providerMetadata?: SharedV4ProviderMetadata }): AnswerPart | undefined =>
  part.providerMetadata === undefined ? undefined : { type: "seal", block: part.id, metadata: part.providerMetadata }

/** Undefined: nothing that the loop has a use for. Throws what the provider declares as its error. */
const partOf = (part: LanguageModelV4StreamPart): AnswerPart | undefined => {
  switch (part.type) {
    case "reasoning-start":
    case "reasoning-end":
      return sealOf(part)
    case "text-delta":
      return { type: "text", block: part.id, delta: part.delta }
    case "reasoning-delta":
      return part.delta === "" ? sealOf(part) : { type: "thought", block: part.id, delta: part.delta }
    case "tool-input-start":
      return { type: "call-begins", id: part.id, tool: part.toolName }
    case "tool-input-delta":
      return { type: "arguments", id: part.id, delta: part.delta }
    case "tool-call":
      return { type: "call", id: part.toolCallId, tool: part.toolName, argumentsText: part.input }
    case "finish": {
      const { finishReason: { raw, unified }, usage: { inputTokens, outputTokens } } = part
      return {
        type: "finish",
        reason: unified,
        ...(raw === undefined ? {} : { word: raw }),
        usage: {
          ...(inputTokens.total === undefined ? {} : { inputTokens: inputTokens.total }),
          ...(outputTokens.total === undefined ? {} : { outputTokens: outputTokens.total })
        }
      }
    }
    case "error":
      throw streamedFault(part.error)
    default:
      return undefined
  }
}

/** `access` has what the provider needs. */
export const makeProviderModel = (provider: ProviderName, model: string, access: ProviderAccess): HostedModel => {
  const language = modelOf(provider, model, access)
  return {
    name: `${provider}/${model}`,
    ask: (request, tell) =>
      Effect.tryPromise({
        try: async (signal) => {
          const { stream } = await language.doStream(callOptions(provider, access, request, signal))
          for await (const streamed of stream) {
            if (signal.aborted) return
            const part = partOf(streamed)
            if (part !== undefined) tell(part)
          }
        },
        catch: thrownFault
      })
  }
}
