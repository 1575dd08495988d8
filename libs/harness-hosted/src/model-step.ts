/**
 * One request to a model, made again where that may help.
 *
 * Owns: how often and after which waits; that nothing is asked again once something of an answer was shown.
 * Ordering: a `provider-retry` is told before the wait.
 */
import { modelRequestLimits } from "@steno/contracts"
import type { ProposedMessage, TurnProducer } from "@steno/harness-seam"
import { Effect, Result } from "effect"
import type { AnswerUsage, HostedModel, KeptReasoning, ModelRequest } from "./hosted-model.ts"
import { ModelAnswer } from "./model-answer.ts"
import { mayPass, ProviderFault } from "./provider-fault.ts"

const reportUsage = (turn: TurnProducer, { inputTokens, outputTokens }: AnswerUsage): void => {
  if (inputTokens !== undefined) turn.report({ type: "context", report: { usedTokens: inputTokens } })
  const told = [
    ...(inputTokens === undefined ? [] : [`${inputTokens} tokens in`]),
    ...(outputTokens === undefined ? [] : [`${outputTokens} tokens out`])
  ]
  if (told.length > 0) turn.report({ type: "usage", report: { summary: told.join(", ") } })
}

interface Answered {
  readonly message: ProposedMessage
  readonly reasoning: ReadonlyArray<KeptReasoning>
}

/** What the model answered with. */
export const askModel = Effect.fnUntraced(function*(
  turn: TurnProducer,
  model: HostedModel,
  request: ModelRequest
): Effect.fn.Return<Answered, ProviderFault> {
  for (let attempt = 1;; attempt++) {
    const answer = new ModelAnswer(turn)
    const asked = yield* Effect.result(model.ask(request, (part) => answer.tell(part)))
    if (Result.isSuccess(asked)) {
      reportUsage(turn, answer.usage)
      const message = answer.message()
      return message instanceof ProviderFault ? yield* message : { message, reasoning: answer.reasoning }
    }
    const fault = asked.failure
    if (answer.begun || !mayPass(fault) || attempt === modelRequestLimits.attempts) return yield* fault
    const delayMs = modelRequestLimits.firstRetryMs * 2 ** (attempt - 1)
    turn.report({ type: "provider-retry", attempt, delayMs, reason: fault.explanation })
    yield* Effect.sleep(delayMs)
  }
})
