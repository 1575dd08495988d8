/**
 * Plays one Turn with the program, from its admission to its result.
 *
 * Owns: the order of a Turn, its controls, what its result says.
 * Never owns: frames (live-turn), requests to people (request-errand), starting and ending the program (claude-harness).
 * Ordering: admission → model → input → the native end, the program's end, or the interrupt ladder. Once an interrupt was
 * asked for, only the ladder says how the Turn ended.
 */
import {
  accepted,
  climbInterruptLadder,
  type ControlReceipt,
  type NativeControls,
  rejected,
  type SeamAvailability,
  type TurnFailure,
  turnFailure,
  type TurnProducer,
  type TurnRequest,
  type TurnResult
} from "@steno/harness-seam"
import type { ShellExit } from "@steno/process-host"
import { Deferred, Effect, Fiber, Queue } from "effect"
import { type ConnectionEnd, endFailure } from "./claude-connection.ts"
import type { ClaudeSession } from "./claude-session.ts"
import { LiveTurn, userMessage } from "./live-turn.ts"
import type { NativeEnd } from "./native-end.ts"
import { type TurnErrand, TurnErrands } from "./turn-errands.ts"

export interface DrivenTurn {
  readonly session: ClaudeSession
  readonly request: TurnRequest
  /** The program takes no Turn after this one. */
  readonly lastOfProgram: boolean
  readonly agentCallServer?: string
}

type Ended =
  | { readonly kind: "native"; readonly end: NativeEnd }
  | { readonly kind: "program"; readonly end: ConnectionEnd }
  | { readonly kind: "interrupt" }

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

  /** A session that is closed in mid-Turn leaves the Turn lost. */
  readonly play = (turn: TurnProducer): Effect.Effect<TurnResult> =>
    Effect.raceFirst(
      this.#admit(turn),
      Effect.as(this.#driven.session.closing, lost("completion", "Closed in mid-Turn"))
    )

  #admit(turn: TurnProducer): Effect.Effect<TurnResult> {
    return Effect.gen({ self: this }, function*() {
      const { request, session } = this.#driven
      const refusal = session.refusal
      if (refusal !== undefined) return notStarted(refusal)
      const admission = yield* turn.admit({
        ...(session.coordinate === undefined ? {} : { coordinate: session.coordinate }),
        ...(request.model === undefined ? {} : { model: request.model })
      })
      if (admission.kind === "refused") return notStarted(turnFailure(admission.reason, "The Turn was not admitted"))
      const asked = request.model?.model
      if (asked !== undefined && asked !== session.model) {
        const changed = yield* Effect.raceFirst(this.#setModel(asked), Effect.as(Deferred.await(this.#interrupt), accepted))
        if (changed.kind === "rejected") return notStarted(turnFailure("native", "The program does not take this model"))
      }
      if (Deferred.isDoneUnsafe(this.#interrupt)) {
        return notStarted(turnFailure("native", "Interrupted before the input was sent"))
      }
      return yield* this.#begin(turn)
    })
  }

  #begin(turn: TurnProducer): Effect.Effect<TurnResult> {
    return Effect.gen({ self: this }, function*() {
      const { agentCallServer, request, session } = this.#driven
      const queue = yield* Queue.unbounded<TurnErrand>()
      const inputId = crypto.randomUUID()
      const live = new LiveTurn({
        session,
        turn,
        inputId,
        errands: queue,
        ...(agentCallServer === undefined ? {} : { agentCallServer })
      })
      const errands = new TurnErrands({ session, turn, live, queue })
      const running = yield* Effect.forkChild(errands.run)
      const playing = Effect.suspend(() => {
        session.begin(live)
        session.connection.send(userMessage(request.input, inputId))
        Deferred.doneUnsafe(this.#begun, Effect.succeed(live))
        return this.#toTheEnd(live)
      })
      const result = yield* Effect.ensuring(playing, Effect.sync(() => session.leave(live)))
      yield* Fiber.interrupt(running)
      yield* errands.runLeft
      return result.kind === "completed" ? yield* errands.withCheckpoint(result) : result
    })
  }

  #toTheEnd(live: LiveTurn): Effect.Effect<TurnResult> {
    const { connection } = this.#driven.session
    const ended = Effect.raceFirst(
      Effect.raceFirst(
        Effect.map(live.nativeEnd, (end): Ended => ({ kind: "native", end })),
        Effect.map(connection.ended, (end): Ended => ({ kind: "program", end }))
      ),
      Effect.map(Deferred.await(this.#interrupt), (): Ended => ({ kind: "interrupt" }))
    )
    return Effect.flatMap(ended, (how) => {
      switch (how.kind) {
        case "native":
          return this.#nativelyEnded(live, how.end)
        case "program":
          return this.#programEnded(live, how.end)
        case "interrupt":
          return this.#interrupted(live)
      }
    })
  }

  /** A program whose native session is given up goes no further. */
  #nativelyEnded(live: LiveTurn, end: NativeEnd): Effect.Effect<TurnResult> {
    const { connection, gone } = this.#driven.session
    const result = this.#ended(live, end)
    return gone === undefined ? Effect.succeed(result) : Effect.as(connection.terminate({ grace: false }), result)
  }

  /** Which model is asked is not known until the program has answered. */
  #setModel(model: string): Effect.Effect<ControlReceipt> {
    const { session } = this.#driven
    return Effect.suspend(() => {
      const before = session.model
      session.model = undefined
      return Effect.map(session.connection.control({ subtype: "set_model", model }), (answer) => {
        session.model = answer.kind === "answered" ? model : before
        return answer.kind === "answered" ? accepted : rejected(answer.kind === "gone" ? "expired" : "shape-mismatch")
      })
    })
  }

  /**
   * Messages that wait are taken back first: the program would begin a native Turn with them. Where the input itself is
   * one of them, that is all there is to interrupt.
   */
  #interrupted(live: LiveTurn): Effect.Effect<TurnResult> {
    const { session } = this.#driven
    const { connection } = session
    const interrupt = Effect.suspend(() => {
      live.interrupting = true
      const taken = live.waitingMessages.map((messageId) =>
        connection.control({ subtype: "cancel_async_message", message_uuid: messageId })
      )
      const answer = (live.ours ? undefined : taken[0]) ?? connection.control({ subtype: "interrupt" })
      return Effect.map(answer, ({ kind }) => kind === "answered" ? accepted : rejected("expired"))
    })
    return Effect.gen({ self: this }, function*() {
      const evidence = yield* climbInterruptLadder({
        interrupt,
        nativeEnd: Effect.asVoid(live.nativeEnd),
        stop: Effect.suspend(() => {
          session.gone = turnFailure("process-exited", "The program was ended to interrupt a Turn")
          connection.closeInput()
          return Effect.asVoid(Effect.forkDetach(connection.terminate({ grace: true })))
        }),
        processEnd: Effect.asVoid(connection.ended),
        kill: Effect.asVoid(connection.terminate({ grace: false }))
      })
      if (evidence === "active-turn") return this.#ended(live, yield* live.nativeEnd)
      session.gone ??= turnFailure("process-exited", "The program ended while a Turn was interrupted")
      yield* connection.terminate({ grace: false })
      return evidence === undefined || wasKilled(connection.exit)
        ? lost("interruption", "The program did not confirm the interruption")
        : { kind: "interrupted", confirmedBy: evidence, availability: "detached" } satisfies TurnResult
    })
  }

  #ended(live: LiveTurn, end: NativeEnd): TurnResult {
    const { lastOfProgram, session } = this.#driven
    const availability: SeamAvailability = lastOfProgram || session.refusal !== undefined ? "detached" : "open"
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

  /** Its commands may outlive it: they are ended too. */
  #programEnded(live: LiveTurn, end: ConnectionEnd): Effect.Effect<TurnResult> {
    const { session } = this.#driven
    const failure = endFailure(end)
    session.gone = failure
    const { heldEnd } = live
    const result: TurnResult = heldEnd !== undefined
      ? this.#ended(live, heldEnd)
      : end.kind === "fault"
      ? { kind: "failed", failure, availability: "detached" }
      : lost(live.observed ? "completion" : "acceptance", failure.text, failure)
    return Effect.as(session.connection.terminate({ grace: false }), result)
  }
}

/** The ending of a process goes on to SIGKILL by itself; that proves nothing. */
const wasKilled = (exit: ShellExit | undefined): boolean => exit?.kind === "signalled" && exit.signal === "SIGKILL"

const notStarted = (failure: TurnFailure): TurnResult => ({ kind: "not-started", failure })

const lost = (
  unknown: "acceptance" | "completion" | "interruption",
  lastObservation: string,
  failure?: TurnFailure
): TurnResult => ({
  kind: "lost",
  unknown,
  lastObservation,
  availability: "detached",
  ...(failure === undefined ? {} : { failure })
})
