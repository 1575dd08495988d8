/**
 * Where a conversation stands in its script.
 *
 * Owns: which step comes next, also for a conversation that is met in the middle.
 * Limits: a conversation met in the middle is placed by the answers it holds, so errors and steps that left nothing in
 * it count as played only where an answer follows them.
 */
import type { ModelScript, ScriptReply, ScriptStep } from "@steno/contracts"
import { answersHeld, type RequestFacts } from "./request-facts.ts"

export interface ScriptPlace {
  /** Of the step that answers next, from 0. */
  readonly index: number
  /** How often that step has answered. */
  readonly rounds: number
  /** Requests that were answered. */
  readonly played: number
}

export const firstPlace: ScriptPlace = { index: 0, rounds: 0, played: 0 }

export const repliesOf = (step: ScriptStep): ReadonlyArray<ScriptReply> => ("oneOf" in step ? step.oneOf : [step])

export const placeAfter = (step: ScriptStep, { index, played, rounds }: ScriptPlace): ScriptPlace =>
  step.times === "always" || rounds + 1 < (step.times ?? 1)
    ? { index, rounds: rounds + 1, played: played + 1 }
    : { index: index + 1, rounds: 0, played: played + 1 }

const leavesAnswer = (reply: ScriptReply): boolean =>
  "answer" in reply && reply.answer.content.some((block) => block.type === "call" || (block.type === "text" && block.text !== ""))

/** The place of a conversation that no player has met before. */
export const placeOf = ({ steps }: ModelScript, facts: RequestFacts): ScriptPlace => {
  let place = firstPlace
  let left = answersHeld(facts)
  for (let step = steps[0]; step !== undefined && left > 0; step = steps[place.index]) {
    if (repliesOf(step).some(leavesAnswer)) left -= 1
    else if (step.times === "always") return place
    place = placeAfter(step, place)
  }
  return place
}
