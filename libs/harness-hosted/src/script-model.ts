/**
 * A script as a model inside this process.
 *
 * Owns: what a request says to a script, pace and faults without a network.
 * Never owns: which step answers (model-script), the format (contracts).
 * Limits: `writeBytes` has no meaning here; `writeDelayMs` is waited after each delta; a huge frame is nothing.
 */
import type { ModelScript, ScriptFault } from "@steno/contracts"
import {
  type MessageFact,
  type PlayedAnswer,
  type PlayedBlock,
  placeOf,
  playStep,
  type RequestFacts,
  type ScriptPlace,
  textDeltas
} from "@steno/model-script"
import { Effect, Result } from "effect"
import type { AnswerPart, HostedModel, ModelMessage, ModelRequest } from "./hosted-model.ts"
import { brokenConnection, declaredFault, unreadableAnswer } from "./provider-fault.ts"

const textOf = (parts: ReadonlyArray<{ readonly type: string; readonly text?: string }>): string =>
  parts.flatMap(({ text, type }) => (type === "text" && text !== undefined ? [text] : [])).join("\n")

const messageFacts = (message: ModelMessage): ReadonlyArray<MessageFact> => {
  switch (message.role) {
    case "system":
      return []
    case "user":
      return [{ role: "user", text: textOf(message.content) }]
    case "assistant":
      return [{
        role: "assistant",
        text: textOf(message.content),
        calls: message.content.flatMap((part) => (part.type === "tool-call" ? [{ id: part.toolCallId, tool: part.toolName }] : []))
      }]
    case "tool":
      return message.content.flatMap((part) =>
        part.type === "tool-result"
          ? [{ role: "tool" as const, callId: part.toolCallId, text: "value" in part.output ? String(part.output.value) : "" }]
          : []
      )
  }
}

const factsOf = (name: string, { instructions, messages, tools }: ModelRequest): RequestFacts => ({
  model: name,
  system: instructions,
  tools: tools.map((tool) => tool.name),
  messages: messages.flatMap(messageFacts)
})

interface TimedPart {
  readonly part: AnswerPart
  readonly delta: boolean
}

const deltasOf = (text: string, size: PlayedAnswer["pace"]["deltaSize"], part: (delta: string) => AnswerPart): ReadonlyArray<TimedPart> =>
  textDeltas(text, size).map((delta) => ({ part: part(delta), delta: true }))

const blockParts = (block: PlayedBlock, index: number, size: PlayedAnswer["pace"]["deltaSize"]): ReadonlyArray<TimedPart> => {
  if (block.type !== "call") return deltasOf(block.text, size, (delta) => ({ type: block.type, block: String(index), delta }))
  const { argumentsText, id, tool } = block
  return [
    { part: { type: "call-begins", id, tool }, delta: false },
    ...deltasOf(argumentsText, size, (delta) => ({ type: "arguments", id, delta })),
    { part: { type: "call", id, tool, argumentsText }, delta: false }
  ]
}

const reasons = { end: "stop", calls: "tool-calls", length: "length", refusal: "content-filter" } as const

const partsOf = ({ content, pace, stop, usage }: PlayedAnswer): ReadonlyArray<TimedPart> => [
  ...content.flatMap((block, index) => blockParts(block, index, pace.deltaSize)),
  {
    part: {
      type: "finish",
      reason: reasons[stop],
      word: stop,
      usage: { inputTokens: usage.inputTokens, outputTokens: usage.outputTokens }
    },
    delta: false
  }
]

/** The index of the part in front of which the fault happens. */
const faultIndex = (parts: ReadonlyArray<TimedPart>, at: ScriptFault["at"]): number => {
  if (at === "start") return 0
  const deltas = parts.flatMap(({ delta }, index) => (delta ? [index] : []))
  return (typeof at === "number" ? deltas[at] : undefined) ?? parts.length - 1
}

const faulted = (fault: ScriptFault) => {
  switch (fault.type) {
    case "stall":
      return Effect.never
    case "disconnect":
      return Effect.fail(brokenConnection())
    case "malformed-frame":
      return Effect.fail(unreadableAnswer())
    case "error-frame":
      return Effect.fail(declaredFault({ status: fault.status, message: fault.message ?? `scripted error ${fault.status}` }))
    case "huge-frame":
      return Effect.void
  }
}

const waited = (ms: number | undefined) => (ms === undefined || ms === 0 ? Effect.void : Effect.sleep(ms))

const played = Effect.fnUntraced(function*(answer: PlayedAnswer, tell: (part: AnswerPart) => void) {
  const parts = partsOf(answer)
  const at = answer.fault === undefined ? -1 : faultIndex(parts, answer.fault.at)
  for (const [index, { delta, part }] of parts.entries()) {
    if (answer.fault !== undefined && index === at) yield* faulted(answer.fault)
    tell(part)
    if (delta) yield* waited(answer.pace.writeDelayMs)
  }
})

/** Plays one conversation; one that it meets in the middle goes on behind the answers it holds. */
export const makeScriptModel = (name: string, script: ModelScript): HostedModel => {
  let place: ScriptPlace | undefined
  return {
    name,
    ask: Effect.fnUntraced(function*(request, tell) {
      const facts = factsOf(name, request)
      const step = playStep(script, place ?? placeOf(script, facts), facts)
      if (Result.isFailure(step)) return yield* declaredFault({ status: 400, message: step.failure.message })
      const { next, reply } = step.success
      place = next
      yield* waited(reply.pace.firstByteDelayMs)
      if (reply.kind === "answer") return yield* played(reply, tell)
      const { message = `scripted error ${reply.error.status}`, status } = reply.error
      return yield* declaredFault({ status, message })
    })
  }
}
