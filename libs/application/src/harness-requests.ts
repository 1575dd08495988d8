/**
 * What an outside agent asks while its Turn runs.
 *
 * Owns: which decision the client's policy takes, which one a person's answer means, that each request has one end on record.
 * Never owns: how a decision is told to the agent (its adapter).
 * Ordering: a request is stored before anybody can answer it, an answer before the agent is told.
 * Limits: a request ends with its Turn. A question is never answered by policy; one that a person dismisses expires.
 */
import { type AnswerInput, IdMinter, type OperationId, type RequestAnswered, type RequestDecision, type RequestId } from "@steno/contracts"
import type { HarnessRequest, RequestAnswer } from "@steno/harness-seam"
import type { ApprovalMode } from "@steno/tool-call-service"
import { Deferred, Effect, Equal } from "effect"
import { optionMeant } from "./option-meant.ts"
import type { TurnRecording } from "./turn-recording.ts"

/** A person's answer, by the id of the Operation that gives it. */
export interface GivenRequestAnswer {
  readonly operationId: OperationId
  readonly requestId: RequestId
  readonly value: AnswerInput["answer"]
}

/** `repeated`: this very answer was taken before. `stale`: it is none that is open, or was answered otherwise. */
export type RequestOutcome = "recorded" | "repeated" | "stale" | "shape-mismatch" | "not-stored"

export interface HarnessRequests {
  /** As `TurnHost.request`. */
  readonly ask: (request: HarnessRequest) => Effect.Effect<RequestAnswer>
  readonly answer: (given: GivenRequestAnswer) => Effect.Effect<RequestOutcome>
}

type Decided = Pick<RequestAnswered, "decision" | "text">

const ofKind = ({ decisions }: HarnessRequest, kind: RequestDecision["kind"]): Decided | undefined => {
  const decision = decisions.find((one) => one.kind === kind)
  return decision && { decision }
}

/** Undefined: nobody decides, now or later. A rule of the agent's own is never written by policy. */
const byPolicy = (request: HarnessRequest, approvals: ApprovalMode): Decided | undefined =>
  ofKind(request, approvals === "allow" ? "allow" : "deny")

/** Undefined where the answer does not fit the request. */
const byPerson = (request: HarnessRequest, { requestId, value }: GivenRequestAnswer): Decided | undefined => {
  if ("approval" in value) return request.kind === "approval" && value.approval.scope === undefined
    ? ofKind(request, value.approval.decision)
    : undefined
  const given = "only" in value ? value.only : "answers" in value ? value.answers[requestId] : undefined
  if (given === undefined || request.kind !== "clarification") return undefined
  const { options: [typed, ...others], text } = given
  const chosen = typed === undefined ? undefined : optionMeant(request.decisions, typed)
  const decision = request.decisions.find(({ id }) => id === chosen)
  return decision === undefined || others.length > 0 ? undefined : { decision, ...(text === undefined ? {} : { text }) }
}

interface OpenRequest {
  readonly request: HarnessRequest
  readonly answered: Deferred.Deferred<RequestAnswer>
}

export const makeHarnessRequests = Effect.fnUntraced(function*(
  approvals: ApprovalMode,
  recording: TurnRecording
): Effect.fn.Return<HarnessRequests> {
  const ids = yield* IdMinter
  const open = new Map<RequestId, OpenRequest>()
  const taken = new Map<OperationId, GivenRequestAnswer>()

  /** From here on nobody else ends the request. */
  const settle = Effect.fnUntraced(function*(requestId: RequestId, { answered }: OpenRequest, decided: Decided, by: RequestAnswered["by"]) {
    open.delete(requestId)
    const isStored = yield* recording.told(requestId, { type: "request-answered", payload: { requestId, ...decided, by } })
    const { decision: { id: decision }, text } = decided
    const told: RequestAnswer = isStored
      ? { kind: "answered", decision, by, ...(text === undefined ? {} : { text }) }
      : { kind: "expired" }
    yield* Deferred.succeed(answered, told)
    return isStored
  }, Effect.uninterruptible)

  const expire = (requestId: RequestId) =>
    Effect.suspend(() =>
      open.delete(requestId)
        ? Effect.asVoid(recording.told(requestId, { type: "request-expired", payload: { requestId } }))
        : Effect.void
    )

  const ask = (request: HarnessRequest) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.gen(function*() {
        const requestId = yield* ids.mint("req")
        const { decisions, description, itemId, kind } = request
        const isRaised = yield* recording.told(requestId, {
          type: "request-raised",
          payload: { requestId, kind, description, decisions, ...(itemId === undefined ? {} : { callItemId: itemId }) }
        })
        if (!isRaised) return { kind: "expired" as const }
        const raised: OpenRequest = { request, answered: Deferred.makeUnsafe() }
        open.set(requestId, raised)
        if (kind === "approval") {
          const decided = byPolicy(request, approvals)
          if (decided === undefined) {
            yield* expire(requestId)
            return { kind: "expired" as const }
          }
          yield* settle(requestId, raised, decided, "client-policy")
        }
        return yield* restore(Deferred.await(raised.answered)).pipe(Effect.onInterrupt(() => expire(requestId)))
      })
    )

  const answer = Effect.fn("HarnessRequests.answer")(function*(given: GivenRequestAnswer): Effect.fn.Return<RequestOutcome> {
    const { operationId, requestId, value } = given
    const before = taken.get(operationId)
    if (before !== undefined) return before.requestId === requestId && Equal.equals(before.value, value) ? "repeated" : "stale"
    const raised = open.get(requestId)
    if (raised === undefined) return "stale"
    if ("dismissed" in value && raised.request.kind === "clarification") {
      taken.set(operationId, given)
      yield* expire(requestId)
      yield* Deferred.succeed(raised.answered, { kind: "expired" })
      return "recorded"
    }
    const decided = byPerson(raised.request, given)
    if (decided === undefined) return "shape-mismatch"
    taken.set(operationId, given)
    return (yield* settle(requestId, raised, decided, "person")) ? "recorded" : "not-stored"
  }, Effect.uninterruptible)

  return { ask, answer }
})
