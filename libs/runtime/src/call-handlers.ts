/**
 * Answers the calls that are no tool of the host: questions to a person, Agent calls.
 *
 * Owns: the form a model's questions are asked in, what an answer is as a result, the reply to an Agent call.
 * Never owns: whether a Run takes Agent calls and what one makes of it (application).
 */
import { AgentCalls, type AgentCallVerdict } from "@steno/application"
import type { CallReason, Question, UserInputAnswer } from "@steno/contracts"
import type { AgentControlResult, AskUserResult } from "@steno/result-projection"
import { type CallHandler, CallHandlers, type HandlerAnswer, type HostCall } from "@steno/tool-call-service"
import { type CheckedCall, checkCall } from "@steno/tool-catalog"
import { Effect, Layer, Result } from "effect"

const refused = (reason: CallReason): HandlerAnswer => ({ kind: "refused", reason })

type AskedQuestion = CheckedCall<"ask_user">["arguments"]["questions"][number]

/** Options are numbered from 1, as a person names them. */
const questionOf = ({ allowText, header, id, multiSelect, options, prompt }: AskedQuestion): Question => ({
  id,
  prompt,
  ...(header === undefined ? {} : { header }),
  options: options.map(({ description, label }, at) => ({ id: String(at + 1), label, ...(description === undefined ? {} : { description }) })),
  ...(multiSelect === true ? { multiSelect } : {}),
  ...(allowText === true ? { allowText } : {})
})

const resultOf = (questions: ReadonlyArray<Question>, answer: UserInputAnswer): AskUserResult =>
  "dismissed" in answer ? { dismissed: true } : {
    answers: questions.map(({ header, id, options }) => {
      const given = answer.answers[id]
      return {
        key: header ?? id,
        options: options.filter((option) => given?.options.includes(option.id) === true).map(({ label }) => label),
        ...(given?.text === undefined ? {} : { text: given.text })
      }
    })
  }

const askUser: CallHandler = {
  handle: ({ arguments: sent, tool }) =>
    Effect.sync(() => {
      const checked = checkCall(tool, sent)
      if (Result.isFailure(checked)) return refused({ code: checked.failure.code, text: checked.failure.message })
      const { success: call } = checked
      return call.tool === "ask_user"
        ? { kind: "awaiting-input", questions: call.arguments.questions.map(questionOf) }
        : refused({ code: "unknown-tool", text: `${tool} asks nothing` })
    }),
  answered: (_, { answer, questions }) => Effect.succeed(resultOf(questions, answer))
}

const takesNone: CallReason = { code: "agent-calls-off", text: "This Run takes no calls for its control; only the person ends it." }

const replyOf = (verdict: Exclude<AgentCallVerdict, "refused">): AgentControlResult => ({ reply: verdict === "accepted" ? "accepted" : "held" })

const notKnown: CallReason = { code: "storage-failed", text: "What this Run takes could not be read; the call has no effect." }

const agentCall = (calls: AgentCalls["Service"]): CallHandler => ({
  handle: ({ runId }: HostCall) =>
    calls.verdict(runId).pipe(
      Effect.map((verdict): HandlerAnswer => verdict === "refused" ? refused(takesNone) : { kind: "completed", value: replyOf(verdict) }),
      Effect.catch((error) => Effect.as(Effect.logWarning(`What a Run takes could not be read: ${error.message}`), refused(notKnown)))
    ),
  answered: () => Effect.die(new Error("An Agent call asks nobody"))
})

export const callHandlersLayer = Layer.effect(
  CallHandlers,
  Effect.gen(function*() {
    const control = agentCall(yield* AgentCalls)
    const handlers: ReadonlyMap<string, CallHandler> = new Map([["ask_user", askUser], ["run_done", control], ["run_failed", control]])
    return CallHandlers.of({ find: (tool) => handlers.get(tool) })
  })
)
