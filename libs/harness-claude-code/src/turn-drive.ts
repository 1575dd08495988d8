/**
 * Plays one Turn with the program, from its admission to its result.
 *
 * Owns: the order of a Turn, its controls, what its result says.
 * Never owns: frames (live-turn), starting and ending the program (claude-harness).
 * Ordering: admission → model → input → the native end, the program's end, or the interrupt ladder.
 * Limits: a Turn whose program ends is settled within `harnessLimits.exitSettleMs`.
 */
import { harnessLimits } from "@steno/contracts"
import {
  accepted,
  type CheckpointReceipt,
  climbInterruptLadder,
  type ControlReceipt,
  type NativeControls,
  rejected,
  type SeamAvailability,
  turnFailure,
  type TurnProducer,
  type TurnRequest,
  type TurnResult
} from "@steno/harness-seam"
import { Deferred, Effect, Fiber, Queue } from "effect"
import type { ConnectionEnd } from "./claude-connection.ts"
import type { ClaudeSession } from "./claude-session.ts"
import { LiveTurn, type TurnErrand, userMessage } from "./live-turn.ts"
import type { NativeEnd } from "./native-end.ts"
import {
  approvalRequest,
  approvalResponse,
  questionAnswer,
  questionsOf,
  questionsResponse,
  unansweredResponse
} from "./permission-answer.ts"
import type { NativePermission } from "./turn-fact.ts"

export interface DrivenTurn {
  readonly session: ClaudeSession
  readonly request: TurnRequest
  /** After this Turn: whether the program takes another one. */
  readonly lastOfProgram: boolean
  readonly agentCallServer?: string
}

const expired = "Nobody answered this request in time."

export class TurnDrive {
  readonly #driven: DrivenTurn
  readonly #begun = Deferred.makeUnsafe<LiveTurn>()
  readonly #interrupt = Deferred.makeUnsafe<void>()

  constructor(driven: DrivenTurn) {
    this.#driven = driven
  }

  readonly controls: NativeControls = {
    steer: (steer) =>
      Effect.flatMap(Deferred.await(this.#begun), (live) => Effect.suspend(() => live.sendSteer(steer, crypto.randomUUID()))),
    interrupt: Effect.suspend(() => Effect.as(Deferred.succeed(this.#interrupt, undefined), accepted)),
    changeModel: ({ model }) => Effect.andThen(Deferred.await(this.#begun), Effect.suspend(() => this.#setModel(model)))
  }

  readonly play = (turn: TurnProducer): Effect.Effect<TurnResult> =>
    Effect.gen({ self: this }, function*() {
      const { request, session } = this.#driven
      if (session.gone !== undefined) return { kind: "not-started", failure: session.gone } satisfies TurnResult
      const admission = yield* turn.admit({
        ...(session.coordinate === undefined ? {} : { coordinate: session.coordinate }),
        ...(request.model === undefined ? {} : { model: request.model })
      })
      if (admission.kind === "refused") return notStarted(turnFailure(admission.reason, "The Turn was not admitted"))
      const asked = request.model?.model
      if (asked !== undefined && asked !== session.model) {
        const changed = yield* this.#setModel(asked)
        if (changed.kind === "rejected") return notStarted(turnFailure("native", "The program does not take this model"))
      }
      if (Deferred.isDoneUnsafe(this.#interrupt)) return notStarted(turnFailure("native", "Interrupted before the input was sent"))
      return yield* this.#playBegun(turn)
    })

  #playBegun(turn: TurnProducer): Effect.Effect<TurnResult> {
    return Effect.gen({ self: this }, function*() {
      const { agentCallServer, request, session } = this.#driven
      const errands = yield* Queue.unbounded<TurnErrand>()
      const inputId = crypto.randomUUID()
      const live = new LiveTurn({ session, turn, inputId, errands, ...(agentCallServer === undefined ? {} : { agentCallServer }) })
      const checkpoints: Array<Fiber.Fiber<CheckpointReceipt>> = []
      const running = yield* Effect.forkChild(this.#runErrands(turn, live, errands, checkpoints))
      session.begin(live)
      session.connection.send(userMessage(request.input, inputId))
      yield* Deferred.succeed(this.#begun, live)
      const result = yield* Effect.raceFirst(
        Effect.raceFirst(
          Effect.map(live.nativeEnd, (end) => this.#ended(live, end)),
          Effect.flatMap(session.connection.ended, (end) => this.#lostProgram(live, end))
        ),
        Effect.andThen(Deferred.await(this.#interrupt), this.#interrupted(live))
      )
      session.leave(live)
      yield* Fiber.interrupt(running)
      return result.kind === "completed" ? yield* this.#withCheckpoint(result, checkpoints) : result
    })
  }

  #withCheckpoint(
    result: Extract<TurnResult, { readonly kind: "completed" }>,
    checkpoints: ReadonlyArray<Fiber.Fiber<CheckpointReceipt>>
  ): Effect.Effect<TurnResult> {
    const last = checkpoints.at(-1)
    return last === undefined
      ? Effect.succeed(result)
      : Effect.map(Fiber.join(last), (checkpoint) => ({ ...result, checkpoint }))
  }

  #runErrands(
    turn: TurnProducer,
    live: LiveTurn,
    errands: Queue.Queue<TurnErrand>,
    checkpoints: Array<Fiber.Fiber<CheckpointReceipt>>
  ): Effect.Effect<never> {
    return Effect.gen({ self: this }, function*() {
      const errand = yield* Queue.take(errands)
      switch (errand.kind) {
        case "checkpoint":
          checkpoints.push(yield* Effect.forkDetach(turn.checkpoint(errand.coordinate), { startImmediately: true }))
          break
        case "permission":
          yield* this.#driven.session.answerApart(this.#answer(turn, errand.permission, errand.withdrawn))
          break
        case "held":
          yield* Effect.forkChild(Effect.andThen(Effect.sleep(harnessLimits.idleSettleMs), Effect.sync(() => live.settleHeld())))
      }
    }).pipe(Effect.forever)
  }

  /** A withdrawn request is answered by nobody. */
  #answer(turn: TurnProducer, permission: NativePermission, withdrawn: Effect.Effect<void>): Effect.Effect<void> {
    const { connection } = this.#driven.session
    const answering = permission.question
      ? this.#answerQuestions(turn, permission)
      : Effect.map(turn.request(approvalRequest(permission)), (answer) => approvalResponse(permission, answer))
    return Effect.raceFirst(
      Effect.map(answering, (response) => {
        if (response === undefined) connection.refuse(permission.requestId, expired)
        else connection.answer(permission.requestId, response)
      }),
      withdrawn
    )
  }

  #answerQuestions(turn: TurnProducer, permission: NativePermission) {
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

  #setModel(model: string): Effect.Effect<ControlReceipt> {
    const { session } = this.#driven
    return Effect.map(Effect.suspend(() => session.connection.control({ subtype: "set_model", model })), (answer) => {
      if (answer.kind === "answered") session.model = model
      return answer.kind === "answered" ? accepted : rejected(answer.kind === "gone" ? "expired" : "shape-mismatch")
    })
  }

  /** Steers that wait are taken back first: the program would begin a native Turn with them. */
  #interrupted(live: LiveTurn): Effect.Effect<TurnResult> {
    const { connection } = this.#driven.session
    const interrupt = Effect.suspend(() => {
      live.interrupting = true
      for (const messageId of live.pendingSteers) connection.control({ subtype: "cancel_async_message", message_uuid: messageId })
      return Effect.map(connection.control({ subtype: "interrupt" }), ({ kind }) => kind === "answered" ? accepted : rejected("expired"))
    })
    return Effect.gen({ self: this }, function*() {
      const evidence = yield* climbInterruptLadder({
        interrupt,
        nativeEnd: Effect.asVoid(live.nativeEnd),
        stop: Effect.suspend(() => {
          connection.closeInput()
          return Effect.asVoid(Effect.forkDetach(connection.terminate({ grace: true })))
        }),
        processEnd: Effect.asVoid(connection.ended),
        kill: Effect.asVoid(connection.terminate({ grace: false }))
      })
      if (evidence === "active-turn") return this.#ended(live, yield* live.nativeEnd)
      const failure = turnFailure("process-exited", "The program was ended to interrupt the Turn")
      this.#driven.session.gone = failure
      yield* connection.terminate({ grace: false })
      if (evidence === "process-only") return { kind: "interrupted", confirmedBy: evidence, availability: "detached" } satisfies TurnResult
      return {
        kind: "lost",
        unknown: "interruption",
        lastObservation: "The program did not confirm the interruption",
        availability: "detached",
        failure
      } satisfies TurnResult
    })
  }

  #ended(live: LiveTurn, end: NativeEnd): TurnResult {
    const { lastOfProgram, session } = this.#driven
    const availability: SeamAvailability = lastOfProgram || session.gone !== undefined ? "detached" : "open"
    const model = live.reader.model === undefined ? {} : { model: live.reader.model }
    switch (end.kind) {
      case "completed":
        return { kind: "completed", availability, ...model }
      case "failed":
        return { kind: "failed", failure: end.failure, availability, ...model }
      case "aborted":
        return live.interrupting
          ? { kind: "interrupted", confirmedBy: "active-turn", availability }
          : { kind: "failed", failure: turnFailure("native", "The program broke the Turn off"), availability, ...model }
    }
  }

  /** Its commands may outlive it. */
  #lostProgram(live: LiveTurn, end: ConnectionEnd): Effect.Effect<TurnResult> {
    const { connection } = this.#driven.session
    const failure = programFailure(end)
    this.#driven.session.gone = failure
    const result: TurnResult = end.kind === "fault"
      ? { kind: "failed", failure, availability: "detached" }
      : {
        kind: "lost",
        unknown: live.observed ? "completion" : "acceptance",
        lastObservation: failure.text,
        availability: "detached",
        failure
      }
    return Effect.as(connection.terminate({ grace: false }), result)
  }
}

const notStarted = (failure: ReturnType<typeof turnFailure>): TurnResult => ({ kind: "not-started", failure })

export const programFailure = (end: ConnectionEnd): ReturnType<typeof turnFailure> => {
  switch (end.kind) {
    case "fault":
      return turnFailure(end.reason === "line-too-long" ? "line-too-long" : "protocol", end.explanation)
    case "silent":
      return turnFailure("protocol", "The program closed its output")
    case "exited":
      return turnFailure(
        "process-exited",
        end.exit.kind === "exited" ? `The program ended with exit code ${end.exit.code}` : `The program was ended by ${end.exit.signal}`
      )
  }
}
