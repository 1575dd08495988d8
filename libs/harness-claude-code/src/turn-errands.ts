/**
 * What a Turn has to do that waits for somebody: permissions and questions, checkpoints, a result that is held.
 *
 * Owns: that each of them is begun in the order of the frames, and none waits for another.
 * Never owns: the words of requests and answers (permission-answer).
 * Ordering: answers to the program may come after the Turn's end: a request that expired is answered then.
 */
import { harnessLimits } from "@steno/contracts"
import type { CheckpointReceipt, TurnProducer, TurnResult } from "@steno/harness-seam"
import { Effect, Exit, Fiber, Queue } from "effect"
import type { ClaudeSession } from "./claude-session.ts"
import type { Fields } from "./frame-fields.ts"
import {
  approvalRequest,
  approvalResponse,
  questionAnswer,
  questionsOf,
  questionsResponse,
  unansweredResponse
} from "./permission-answer.ts"
import type { NativeEnd } from "./native-end.ts"
import type { NativePermission } from "./turn-fact.ts"

export type TurnErrand =
  | { readonly kind: "permission"; readonly permission: NativePermission; readonly withdrawn: Effect.Effect<void> }
  | { readonly kind: "checkpoint"; readonly coordinate: string }
  /** A result came while a Steer was under way. */
  | { readonly kind: "held"; readonly end: NativeEnd }

export interface TurnErrandsOptions {
  readonly session: ClaudeSession
  readonly turn: TurnProducer
  readonly live: { readonly settleHeld: (end: NativeEnd) => void }
  readonly queue: Queue.Queue<TurnErrand>
}

const expired = "Nobody answered this request in time."

export class TurnErrands {
  readonly #options: TurnErrandsOptions
  #checkpoint: Fiber.Fiber<CheckpointReceipt> | undefined

  constructor(options: TurnErrandsOptions) {
    this.#options = options
  }

  readonly run: Effect.Effect<never> = Effect.suspend(() =>
    Effect.forever(Effect.flatMap(Queue.take(this.#options.queue), (errand) => this.#runOne(errand)))
  )

  /** Those that were not begun when the Turn ended. */
  readonly runLeft: Effect.Effect<void> = Effect.suspend(() => {
    const left: Array<TurnErrand> = []
    let taken = Queue.takeUnsafe(this.#options.queue)
    while (taken !== undefined && Exit.isSuccess(taken)) {
      left.push(taken.value)
      taken = Queue.takeUnsafe(this.#options.queue)
    }
    return Effect.forEach(left, (errand) => this.#runOne(errand), { discard: true })
  })

  /** Waits until the last coordinate is stored, or could not be. */
  readonly withCheckpoint = (result: Extract<TurnResult, { readonly kind: "completed" }>): Effect.Effect<TurnResult> =>
    this.#checkpoint === undefined
      ? Effect.succeed(result)
      : Effect.map(Fiber.join(this.#checkpoint), (checkpoint) => ({ ...result, checkpoint }))

  #runOne(errand: TurnErrand): Effect.Effect<unknown> {
    const { live, session, turn } = this.#options
    switch (errand.kind) {
      case "checkpoint":
        return Effect.forkDetach(turn.checkpoint(errand.coordinate), { startImmediately: true }).pipe(
          Effect.tap((fiber) => Effect.sync(() => {
            this.#checkpoint = fiber
          }))
        )
      case "permission":
        return session.answerApart(this.#answer(errand.permission, errand.withdrawn))
      case "held":
        return Effect.forkChild(Effect.andThen(Effect.sleep(harnessLimits.idleSettleMs), Effect.sync(() => live.settleHeld(errand.end))))
    }
  }

  /** A withdrawn request is answered by nobody. */
  #answer(permission: NativePermission, withdrawn: Effect.Effect<void>): Effect.Effect<void> {
    const { session: { connection }, turn } = this.#options
    const answering = permission.question
      ? this.#askQuestions(permission)
      : Effect.map(turn.request(approvalRequest(permission)), (answer) => approvalResponse(permission, answer))
    return Effect.raceFirst(
      Effect.map(answering, (response) => {
        if (response === undefined) connection.refuse(permission.requestId, expired)
        else connection.answer(permission.requestId, response)
      }),
      withdrawn
    )
  }

  #askQuestions(permission: NativePermission): Effect.Effect<Fields | undefined> {
    const { turn } = this.#options
    return Effect.gen(function*() {
      const answers = new Map<string, string>()
      for (const question of questionsOf(permission)) {
        const answer = yield* turn.request(question.request)
        if (answer.kind === "expired") return undefined
        const said = questionAnswer(question, answer)
        if (said === undefined) return unansweredResponse
        answers.set(question.text, said)
      }
      return questionsResponse(permission, answers)
    })
  }
}
