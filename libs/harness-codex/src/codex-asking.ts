/**
 * Answers the requests that Codex makes in one Turn.
 *
 * Owns: that each has one answer: the host's, the form for an expired one, or that nobody knows it.
 * Never owns: what is asked and in which words (codex-request).
 * Ordering: a request takes its place among the Turn's facts where it was read; others go on while it is open.
 * Limits: what Codex itself has resolved is withdrawn from the host and answered no more.
 */
import type { RequestAnswer, TurnProducer } from "@steno/harness-seam"
import { Deferred, Effect } from "effect"
import type { CodexAsked } from "./codex-connection.ts"
import type { CodexNotification, RequestId } from "./codex-frame.ts"
import { agentCallServerName } from "./codex-launch.ts"
import { isOfThread, isResolved } from "./codex-notification.ts"
import { codexQuestion, type CodexQuestion } from "./codex-request.ts"
import type { CodexSession } from "./codex-session.ts"
import type { CodexTurn } from "./codex-turn.ts"

interface Asking {
  readonly turn: TurnProducer
  readonly reader: CodexTurn
  readonly session: CodexSession
}

type Asked = Extract<CodexQuestion, { readonly kind: "ask" }>

export class CodexAsking {
  readonly #asking: Asking
  readonly #open = new Map<RequestId, Deferred.Deferred<void>>()

  constructor(asking: Asking) {
    this.#asking = asking
  }

  /** Resolves when the request is with the host, or has its answer. */
  readonly ask = ({ id, method, params }: CodexAsked): Effect.Effect<void> =>
    Effect.suspend(() => {
      const { reader, session: { connection }, turn } = this.#asking
      const question = codexQuestion(method, params, {
        agentCallServer: agentCallServerName,
        callId: (threadId, itemId) => reader.callId(threadId, itemId),
        runningMcpCall: (server, tool) => reader.runningMcpCall(server, tool)
      })
      switch (question.kind) {
        case "unknown":
          return Effect.sync(() => connection.refuse(id, method))
        case "answer":
          if (question.report !== undefined) turn.report(question.report)
          return Effect.sync(() => connection.answer(id, question.result))
        case "ask":
          if (isOfThread(params) && !reader.hasThread(params.threadId)) {
            return Effect.sync(() => connection.answer(id, question.result([{ kind: "expired" }])))
          }
          return this.#askHost(id, question)
      }
    })

  noteResolved({ method, params }: CodexNotification): void {
    if (method !== "serverRequest/resolved" || !isResolved(params)) return
    const open = this.#open.get(params.requestId)
    if (open !== undefined) Deferred.doneUnsafe(open, Effect.void)
  }

  #askHost(id: RequestId, question: Asked): Effect.Effect<void> {
    const { session, turn } = this.#asking
    const resolved = Deferred.makeUnsafe<void>()
    this.#open.set(id, resolved)
    const asked = Effect.gen(function*() {
      const answers: Array<RequestAnswer> = []
      for (const request of question.requests) {
        const answer = yield* turn.request(request)
        answers.push(answer)
        if (answer.kind === "expired") break
      }
      return answers
    })
    return session.beside(
      Effect.raceFirst(asked, Effect.as(Deferred.await(resolved), undefined)).pipe(
        Effect.map((answers) => {
          this.#open.delete(id)
          if (answers !== undefined) session.connection.answer(id, question.result(answers))
        })
      )
    )
  }
}
