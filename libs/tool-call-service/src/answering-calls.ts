/**
 * Takes answers to what calls await.
 *
 * Owns: what becomes of an answer: refused, stored, passed to whoever carries the call.
 * Never owns: what an answer does to its call (supervising-calls, running-calls).
 * Ordering: stored before anybody acts on it. Of several at once the first one stored counts; the others are told so.
 */
import { type CallId, type InteractionResolution, suspendedOn, type UnfinishedCall } from "@steno/contracts"
import { CallLedger, type Fence, type ResolutionOutcome } from "@steno/ledger/calls"
import { Deferred, Effect } from "effect"
import { type AnswerFault, answerFault, keptRules } from "./answer-rules.ts"
import type { AnswerOutcome, CallAnswer } from "./call-requests.ts"
import type { LiveCall, LiveCalls } from "./live-calls.ts"
import { notSettled, nowInstant, untilWritten } from "./row-changes.ts"
import type { SessionRules } from "./session-rules.ts"

/** Why an answer that nothing else speaks against may not be stored. */
const faultOf = (row: UnfinishedCall | undefined, fence: Fence, { id, value }: CallAnswer): AnswerFault | undefined => {
  if (row === undefined || row.runId !== fence.runId) return undefined
  const waiting = suspendedOn(row)
  if (waiting === undefined || waiting.resolution !== undefined) return undefined
  if (row.interactions?.some(({ resolution }) => resolution?.id === id) === true) return undefined
  return answerFault(waiting.request, value)
}

/** A commit may report a failure and be durable all the same; repeated, the answer is then one that was given before. */
const isStored = ({ decision }: ResolutionOutcome): boolean => decision === "recorded" || decision === "repeated"

export const makeAnswering = Effect.fnUntraced(function*(lives: LiveCalls, sessionRules: SessionRules) {
  const ledger = yield* CallLedger

  const deliver = (live: LiveCall | undefined, outcome: ResolutionOutcome, resolution: InteractionResolution): void => {
    const question = live?.question
    if (question === undefined || !isStored(outcome)) return
    if (answerFault(question.request, resolution.value) === undefined) Deferred.doneUnsafe(question.answered, Effect.succeed(resolution))
  }

  const record = Effect.fnUntraced(function*(fence: Fence, callId: CallId, resolution: InteractionResolution) {
    const live = lives.find(callId)
    const question = live?.question
    if (question !== undefined) question.storing += 1
    const stored = ledger.recordResolution(fence, { callId, resolution }).pipe(
      Effect.tap((outcome) => Effect.sync(() => deliver(live, outcome, resolution))),
      Effect.uninterruptible
    )
    return yield* untilWritten(stored).pipe(
      Effect.ensuring(Effect.sync(() => {
        if (question !== undefined) question.storing -= 1
        if (live !== undefined) lives.tell(live.call.turnId)
      }))
    )
  })

  const answer = Effect.fn("ToolCallService.answer")(function*(
    fence: Fence,
    { callId, resolution: given }: { readonly callId: CallId; readonly resolution: CallAnswer }
  ): Effect.fn.Return<AnswerOutcome, Effect.Error<ReturnType<typeof record>>> {
    const row = yield* untilWritten(ledger.unfinishedCall(callId))
    const fault = faultOf(row, fence, given)
    if (fault !== undefined) return fault
    const resolution: InteractionResolution = { id: given.id, value: given.value, by: given.by, at: yield* nowInstant }
    const outcome = yield* record(fence, callId, resolution)
    const waiting = row === undefined ? undefined : suspendedOn(row)
    const request = waiting?.resolution === undefined ? waiting?.request : undefined
    if (isStored(outcome) && row !== undefined && request?.kind === "approval" && "approval" in given.value) {
      const { approval } = given.value
      if (approval.scope === "session") sessionRules.keep(fence, row.conversationId, keptRules(request, approval))
    }
    return outcome
  }, (effect, _fence, { callId }) => Effect.mapError(effect, notSettled(callId)))

  return { answer }
})
export type Answering = Effect.Success<ReturnType<typeof makeAnswering>>
