/**
 * Applies answers of people: to calls that wait, to Agent calls that are held.
 *
 * Owns: what an answer means for a Run that is live here or rests.
 * Never owns: finding what it is for (answer-target), what it does to a call (tool-call-service).
 */
import type { AnswerInput, OperationId, RequestId, RunId } from "@steno/contracts"
import { type LedgerError, RunLedger, type RunRecord } from "@steno/ledger"
import { ProcessHost } from "@steno/process-host"
import type { PortProblem } from "@steno/projection-port"
import { type AnswerOutcome, type ToolCallError, ToolCallService } from "@steno/tool-call-service"
import { Context, DateTime, Effect, Layer } from "effect"
import { appliedState } from "./agent-calls.ts"
import { type AnswerTarget, answerTarget } from "./answer-target.ts"
import { LiveRuns, type LiveTurn } from "./live-runs.ts"
import { turnIdOf } from "./operation-ids.ts"
import { makeProblem } from "./problems.ts"
import { reviewedInput } from "./resume-input.ts"
import { runNotFound } from "./run-reference.ts"
import { TurnStarts } from "./turn-starts.ts"

type Failure = LedgerError | PortProblem | ToolCallError

export interface AnswerOperation {
  readonly operationId: OperationId
  readonly admittedAt: string
  readonly input: AnswerInput
}

type CallTarget = Extract<AnswerTarget, { readonly kind: "call" }>
type ReviewTarget = Extract<AnswerTarget, { readonly kind: "review" }>

const refusals: Readonly<Record<Exclude<AnswerOutcome["decision"], "recorded" | "repeated" | "not-suspended">, {
  readonly code: "interaction-stale" | "answer-shape-mismatch" | "call-not-found"
  readonly words: string
}>> = {
  "stale": { code: "interaction-stale", words: "does not wait for this answer: it was answered before or has ended" },
  "shape-mismatch": { code: "answer-shape-mismatch", words: "does not take this answer" },
  "no-suggested-rule": { code: "answer-shape-mismatch", words: "does not take this answer" },
  "call-not-found": { code: "call-not-found", words: "is none of this Run" }
}

/** The Problem of an answer that was not taken; a call that waits for nobody takes it without effect. */
const refused = (runId: RunId, callId: string, { decision, explanation }: AnswerOutcome): Effect.Effect<void, PortProblem> => {
  if (decision === "recorded" || decision === "repeated" || decision === "not-suspended") return Effect.void
  const { code, words } = refusals[decision]
  return Effect.fail(makeProblem(
    code,
    [`${callId.startsWith("req_") ? "Request" : "Call"} ${callId} ${words}.`, ...(explanation === undefined ? [] : [explanation])].join(" "),
    `\`steno run show ${runId}\` says what is asked and how it is answered.`,
    { details: { run: runId, call: callId } }
  ))
}

const answerNotStored = (runId: RunId, requestId: RequestId) =>
  makeProblem(
    "storage-failed",
    `The answer to ${requestId} could not be stored, and the agent was told that nobody answers.`,
    "`steno doctor` says what is wrong with the home.",
    { details: { run: runId, request: requestId } }
  )

export class Answering extends Context.Service<Answering, {
  /** To a Run that is live here; `undefined`, and nothing done, where it is not. */
  readonly live: (operation: AnswerOperation) => Effect.Effect<true | undefined, Failure>
  /** To a Run at rest, which is then driven on. */
  readonly resting: (operation: AnswerOperation) => Effect.Effect<void, Failure>
}>()("@steno/application/Answering") {
  static readonly layerNoDeps = Layer.effect(
    Answering,
    Effect.gen(function*() {
      const runs = yield* RunLedger
      const host = yield* ProcessHost
      const toolCalls = yield* ToolCallService
      const liveRuns = yield* LiveRuns
      const starts = yield* TurnStarts

      const now = Effect.map(DateTime.now, DateTime.formatIso)

      const find = Effect.fnUntraced(function*(operation: AnswerOperation) {
        const { runId } = operation.input
        const record = yield* runs.readRun(runId)
        if (record === undefined) return yield* runNotFound(runId)
        return { record, target: yield* Effect.fromResult(answerTarget(record, operation)) }
      })

      const resolutionOf = ({ input: { by }, operationId }: AnswerOperation, { value }: CallTarget) => ({ id: operationId, value, by })

      const answerRequest = Effect.fnUntraced(function*(operation: AnswerOperation, requestId: RequestId, turn: LiveTurn | undefined) {
        const { input: { answer: value, runId }, operationId } = operation
        const outcome = yield* turn?.answerRequest?.({ operationId, requestId, value }) ?? Effect.succeed("stale" as const)
        if (outcome === "not-stored") return yield* answerNotStored(runId, requestId)
        if (outcome !== "recorded" && outcome !== "repeated") yield* refused(runId, requestId, { decision: outcome })
      })

      const live = Effect.fn("Answering.live")(function*(operation: AnswerOperation) {
        const { runId } = operation.input
        return yield* liveRuns.control(runId, (turn, fence) =>
          Effect.gen(function*() {
            const { target } = yield* find(operation)
            if (target.kind === "call") {
              const answer = { callId: target.callId, resolution: resolutionOf(operation, target) }
              yield* refused(runId, target.callId, yield* toolCalls.answer(fence, answer))
            }
            if (target.kind === "request") yield* answerRequest(operation, target.requestId, turn)
            return true as const
          }))
      })

      const decideReview = Effect.fnUntraced(function*(record: RunRecord, operation: AnswerOperation, { decision, held }: ReviewTarget) {
        const { run: { epoch, runId } } = record
        if (decision === "continue") {
          return yield* starts.start(record, {
            turnId: turnIdOf({ ...operation, runId }),
            conversationId: held.conversationId,
            origin: "managed",
            input: reviewedInput(held.call)
          })
        }
        const state = appliedState(held.call)
        const fence = yield* runs.takeOver({ runId, epoch, owner: yield* host.self, at: yield* now })
        yield* runs.restRun(fence, { state, at: yield* now })
      })

      /** An answer that is stored already is acted on by carrying the Turn on. */
      const answerCall = Effect.fnUntraced(function*(record: RunRecord, operation: AnswerOperation, target: CallTarget) {
        const { run: { runId }, turns } = record
        const turn = turns.find(({ turnId }) => turnId === target.turnId)
        if (turn === undefined) return yield* runNotFound(runId)
        const resolution = resolutionOf(operation, target)
        const outcome = yield* starts.goOn(record, turn, { callId: target.callId, resolution })
        if (outcome !== undefined) yield* refused(runId, target.callId, outcome)
      })

      const resting = Effect.fn("Answering.resting")(function*(operation: AnswerOperation) {
        const { record, target } = yield* find(operation)
        switch (target.kind) {
          case "repeated":
            return
          case "request":
            return yield* refused(operation.input.runId, target.requestId, { decision: "stale" })
          case "review":
            return yield* decideReview(record, operation, target)
          case "call":
            return yield* answerCall(record, operation, target)
        }
      })

      return Answering.of({ live, resting })
    })
  )
}
