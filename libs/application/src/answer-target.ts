/**
 * Finds what an answer is for.
 *
 * Owns: which call, review or request an answer without a name means, what the answer to the only question of a call is; pure.
 * Never owns: what an answer does (tool-call-service), which answer fits a question in detail (tool-call-service).
 * Ordering: an answer that is on record is found again by the id of its Operation, whatever is asked by now.
 */
import {
  type AnswerInput,
  type CallId,
  type ConversationId,
  type Interaction,
  type InteractionAnswer,
  type OperationId,
  type Question,
  type QuestionAnswer,
  RequestId,
  suspendedOn,
  type TurnId
} from "@steno/contracts"
import type { RunRecord } from "@steno/ledger"
import type { PortProblem } from "@steno/projection-port"
import { Equal, Result, Schema } from "effect"
import { heldAgentCall, type HeldAgentCall } from "./agent-calls.ts"
import { openRequests } from "./open-requests.ts"
import { optionMeant } from "./option-meant.ts"
import { makeProblem } from "./problems.ts"
import { type RecordedCall, recordedCalls } from "./recorded-calls.ts"

export type AnswerTarget =
  /** The call is open: its row takes or refuses the answer. */
  | { readonly kind: "call"; readonly callId: CallId; readonly conversationId: ConversationId; readonly turnId: TurnId; readonly value: InteractionAnswer }
  /** What an outside agent asks: its live Turn takes or refuses the answer. */
  | { readonly kind: "request"; readonly requestId: RequestId }
  /** This very answer was given before, and its call is settled. */
  | { readonly kind: "repeated" }
  | { readonly kind: "review"; readonly held: HeldAgentCall; readonly decision: "continue" | "stop" }

/** What an answer can be for, by the id it is shown with. */
type Answerable = CallId | RequestId

const isRequestId = Schema.is(RequestId)

type Decided<A> = Result.Result<A, PortProblem>

const runDetails = ({ run }: RunRecord) => ({ run: run.runId })

const interactionsOf = ({ response, unfinished }: RecordedCall): ReadonlyArray<Interaction> =>
  response?.interactions ?? unfinished?.interactions ?? []

const stale = (record: RunRecord, call: RecordedCall) =>
  Result.fail(makeProblem(
    "interaction-stale",
    `Call ${call.callId} does not wait for an answer any more: it ${
      interactionsOf(call).some(({ resolution }) => resolution !== undefined) ? "was answered before" : "has ended"
    }.`,
    `Look at the Run with \`steno run show ${record.run.runId}\`.`,
    { details: { ...runDetails(record), call: call.callId } }
  ))

const mismatch = (record: RunRecord, callId: Answerable, explanation: string) =>
  Result.fail(makeProblem(
    "answer-shape-mismatch",
    explanation,
    `\`steno run show ${record.run.runId}\` says what is asked and how it is answered.`,
    { details: { ...runDetails(record), call: callId } }
  ))

const notFound = (record: RunRecord, explanation: string, callId?: Answerable) =>
  Result.fail(makeProblem(
    "call-not-found",
    explanation,
    `Look at the Run with \`steno run show ${record.run.runId}\`.`,
    { details: { ...runDetails(record), ...(callId === undefined ? {} : { call: callId }) } }
  ))

const waits = ({ unfinished }: RecordedCall): boolean => {
  const interaction = unfinished && suspendedOn(unfinished)
  return interaction !== undefined && interaction.resolution === undefined
}

/** Ids of what waits for a person who has not answered, also while the Run rests: calls, then a review. */
export const awaitedAnswers = (record: RunRecord): ReadonlyArray<Answerable> => {
  const held = heldAgentCall(record)
  return [
    ...recordedCalls(record).filter(waits).map(({ callId }) => callId),
    ...(held === undefined ? [] : [held.id])
  ]
}

/** What an answer names, or was given to before, or that alone waits. */
const askedOf = (record: RunRecord, operationId: OperationId, { callId, requestId }: AnswerInput): Decided<Answerable> => {
  const named = callId ?? requestId
  if (named !== undefined) return Result.succeed(named)
  const before = recordedCalls(record).find((call) => interactionsOf(call).some(({ resolution }) => resolution?.id === operationId))
  if (before !== undefined) return Result.succeed(before.callId)
  const [first, ...others] = [...awaitedAnswers(record), ...openRequests(record).map(({ raised }) => raised.requestId)]
  if (first === undefined) return notFound(record, "Nothing of this Run waits for an answer.")
  if (others.length === 0) return Result.succeed(first)
  const calls = [first, ...others].join(" ")
  return Result.fail(makeProblem(
    "id-ambiguous",
    `${others.length + 1} calls wait for an answer: ${calls.replaceAll(" ", ", ")}.`,
    "Name one with --call.",
    { details: { ...runDetails(record), calls } }
  ))
}

const meantBy = (question: Question, answer: QuestionAnswer): QuestionAnswer => ({
  ...answer,
  options: answer.options.map((typed) => optionMeant(question.options, typed))
})

/** The value that is stored: an answer to the only question gets that question's id, an option goes by its id. */
const valueOf = (record: RunRecord, call: RecordedCall, operationId: OperationId, answer: AnswerInput["answer"]): Decided<InteractionAnswer> => {
  if ("review" in answer) return mismatch(record, call.callId, `Call ${call.callId} is not held for review.`)
  if (!("only" in answer) && !("answers" in answer)) return Result.succeed(answer)
  const interactions = interactionsOf(call)
  const { request } = interactions.find(({ resolution }) => resolution?.id === operationId) ?? interactions.at(-1) ?? {}
  if (request === undefined) {
    return call.unfinished === undefined ? stale(record, call) : mismatch(record, call.callId, `Call ${call.callId} asks nothing.`)
  }
  if (request.kind !== "user-input") return mismatch(record, call.callId, `Call ${call.callId} asks no question; it is allowed or denied.`)
  const { questions } = request
  if ("answers" in answer) {
    const meant = Object.entries(answer.answers).map(([id, given]) => {
      const question = questions.find((one) => one.id === id)
      return [id, question === undefined ? given : meantBy(question, given)] as const
    })
    return Result.succeed({ answers: Object.fromEntries(meant) })
  }
  const [only, ...others] = questions
  if (only === undefined || others.length > 0) {
    const ids = questions.map(({ id }) => JSON.stringify(id)).join(", ")
    return mismatch(record, call.callId, `Call ${call.callId} asks several questions (${ids}); each is answered by its name.`)
  }
  return Result.succeed({ answers: { [only.id]: meantBy(only, answer.only) } })
}

const ofCall = (record: RunRecord, call: RecordedCall, operationId: OperationId, answer: AnswerInput["answer"]): Decided<AnswerTarget> =>
  Result.flatMap(valueOf(record, call, operationId, answer), (value): Decided<AnswerTarget> => {
    const { callId, conversationId, turnId } = call
    if (call.unfinished !== undefined) return Result.succeed({ kind: "call", callId, conversationId, turnId, value })
    const same = interactionsOf(call).find(({ resolution }) => resolution?.id === operationId)?.resolution
    return same !== undefined && Equal.equals(same.value, value) ? Result.succeed({ kind: "repeated" }) : stale(record, call)
  })

export const answerTarget = (
  record: RunRecord,
  { input, operationId }: { readonly operationId: OperationId; readonly input: AnswerInput }
): Decided<AnswerTarget> =>
  Result.flatMap(askedOf(record, operationId, input), (id): Decided<AnswerTarget> => {
    const held = heldAgentCall(record)
    if (held?.id === id) {
      return "review" in input.answer
        ? Result.succeed({ kind: "review", held, decision: input.answer.review })
        : mismatch(record, id, `Call ${id} is held for review: the Run goes on, or rests as the call says.`)
    }
    if (isRequestId(id)) return Result.succeed({ kind: "request", requestId: id })
    const call = recordedCalls(record).find((one) => one.callId === id)
    return call === undefined
      ? notFound(record, `Run ${record.run.runId} has no call ${id}.`, id)
      : ofCall(record, call, operationId, input.answer)
  })
