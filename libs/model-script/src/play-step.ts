/**
 * Plays a script: a place and the facts of a request give the reply and the next place. Pure.
 *
 * Owns: which reply is chosen, its texts filled in, its ids and defaults.
 * Never owns: places of several conversations, frames, waiting (the players).
 * Ordering: a reply counts as played when it is chosen, also if it then breaks on its way.
 */
import type { ModelScript, ScriptBlock, ScriptError, ScriptFault, ScriptPace, ScriptReply, ScriptStop, ScriptUsage } from "@steno/contracts"
import { Result } from "effect"
import { lastResultText, type RequestFacts } from "./request-facts.ts"
import { ScriptMismatch } from "./script-errors.ts"
import { placeAfter, repliesOf, type ScriptPlace } from "./script-place.ts"
import { filledJson, filledText, type TemplateValues } from "./template.ts"
import { unmetExpectations } from "./unmet-expectations.ts"

export interface PlayedText {
  readonly type: "text"
  readonly text: string
}

export interface PlayedThought {
  readonly type: "thought"
  readonly text: string
}

export interface PlayedCall {
  readonly type: "call"
  readonly id: string
  readonly tool: string
  /** JSON, unless the script wants broken arguments. */
  readonly argumentsText: string
}

export type PlayedBlock = PlayedText | PlayedThought | PlayedCall

export interface PlayedAnswer {
  readonly kind: "answer"
  /** The step's number and name, for people. */
  readonly step: string
  readonly content: ReadonlyArray<PlayedBlock>
  readonly stop: ScriptStop
  readonly usage: Required<ScriptUsage>
  readonly pace: ScriptPace
  readonly fault?: ScriptFault
}

export interface PlayedError {
  readonly kind: "error"
  readonly step: string
  readonly error: ScriptError
  readonly pace: ScriptPace
}

export type PlayedReply = PlayedAnswer | PlayedError

export interface PlayedStep {
  readonly reply: PlayedReply
  readonly next: ScriptPlace
}

const named = (words: string, name: string | undefined): string => (name === undefined ? words : `${words} (${name})`)

const playedBlock = (block: ScriptBlock, index: number, values: TemplateValues): PlayedBlock => {
  if (block.type !== "call") return { type: block.type, text: filledText(block.text, values) }
  return {
    type: "call",
    id: block.id === undefined ? `call_${values.step}_${index}` : filledText(block.id, values),
    tool: block.tool,
    argumentsText: "argumentsText" in block ? filledText(block.argumentsText, values) : JSON.stringify(filledJson(block.arguments, values))
  }
}

const played = (reply: ScriptReply, step: string, values: TemplateValues): PlayedReply => {
  const pace = reply.pace ?? {}
  if ("error" in reply) return { kind: "error", step, error: reply.error, pace }
  const content = reply.answer.content.map((block, index) => playedBlock(block, index, values))
  return {
    kind: "answer",
    step,
    content,
    stop: reply.answer.stop ?? (content.some(({ type }) => type === "call") ? "calls" : "end"),
    usage: { inputTokens: 100, outputTokens: 10, cachedInputTokens: 0, thoughtTokens: 0, ...reply.answer.usage },
    pace,
    ...(reply.fault === undefined ? {} : { fault: reply.fault })
  }
}

/** Refuses with `ScriptMismatch`; the place then stays. */
export const playStep = (script: ModelScript, place: ScriptPlace, facts: RequestFacts): Result.Result<PlayedStep, ScriptMismatch> => {
  const values = { step: place.played + 1, round: place.rounds + 1, result: lastResultText(facts) }

  for (const [index, aside] of (script.asides ?? []).entries()) {
    if (unmetExpectations(aside.expect, facts).length > 0) continue
    return Result.succeed({ reply: played(aside, named(`aside ${index + 1}`, aside.name), values), next: place })
  }

  const step = script.steps[place.index]
  if (step === undefined) {
    return Result.fail(new ScriptMismatch({ step: `the end, after step ${script.steps.length}`, faults: ["no step is left for a further request"] }))
  }
  const words = named(`step ${place.index + 1}`, step.name)
  const faults: Array<string> = []
  for (const [index, reply] of repliesOf(step).entries()) {
    const unmet = unmetExpectations(reply.expect ?? {}, facts)
    const which = "oneOf" in step ? `${words}, ${named(`alternative ${index + 1}`, reply.name)}` : words
    if (unmet.length === 0) return Result.succeed({ reply: played(reply, which, values), next: placeAfter(step, place) })
    faults.push(...("oneOf" in step ? unmet.map((fault) => `${named(`alternative ${index + 1}`, reply.name)}: ${fault}`) : unmet))
  }
  return Result.fail(new ScriptMismatch({ step: words, faults }))
}
