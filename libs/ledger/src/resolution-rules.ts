/**
 * What becomes of an answer to an interaction.
 *
 * Owns: when an answer is new, a repetition, stale or of the wrong kind; pure.
 * Never owns: what an answer does to its call (tool-call-service).
 */
import { answersKind, type Interaction, type InteractionResolution, type ToolCallResponse, type UnfinishedCall, suspendedOn } from "@steno/contracts"
import { canonicalJson } from "./canonical-json.ts"

export type ResolutionDecision = "recorded" | "repeated" | "stale" | "not-suspended" | "shape-mismatch"

type Answer = Pick<InteractionResolution, "id" | "value">

const decideAgain = (interactions: ReadonlyArray<Interaction>, answer: Answer): "repeated" | "stale" | undefined => {
  const same = interactions.find(({ resolution }) => resolution?.id === answer.id)?.resolution
  if (same === undefined) return undefined
  return canonicalJson(same.value) === canonicalJson(answer.value) ? "repeated" : "stale"
}

export const decideSettledResolution = (
  response: Pick<ToolCallResponse, "interactions">,
  answer: Answer
): "repeated" | "stale" => decideAgain(response.interactions ?? [], answer) ?? "stale"

export const decideResolution = (
  call: Pick<UnfinishedCall, "state" | "interactions">,
  answer: Answer
): ResolutionDecision => {
  const interactions = call.interactions ?? []
  const again = decideAgain(interactions, answer)
  if (again !== undefined) return again
  const waiting = suspendedOn(call)
  if (waiting === undefined || waiting.resolution !== undefined) {
    return interactions.some(({ resolution }) => resolution !== undefined) ? "stale" : "not-suspended"
  }
  return answersKind(waiting.request, answer.value) ? "recorded" : "shape-mismatch"
}
