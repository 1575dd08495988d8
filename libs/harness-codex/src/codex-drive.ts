/**
 * Plays one Turn of Codex to its result.
 *
 * Owns: the order of a Turn: thread, admission, input, facts, end; its controls.
 * Never owns: what a notification means (codex-turn), the program's requests (codex-asking), the terminal order (harness-seam).
 * Ordering: no byte of the input is written before the admission. An interrupt says `interrupted` on evidence only.
 */
import { harnessLimits } from "@steno/contracts"
import {
  accepted,
  climbInterruptLadder,
  type ControlReceipt,
  type Diagnostics,
  type ModelChoice,
  type NativeControls,
  rejected,
  type TurnFailure,
  turnFailure,
  type TurnProducer,
  type TurnRequest,
  type TurnResult
} from "@steno/harness-seam"
import { Deferred, Effect, Schema } from "effect"
import { CodexAsking } from "./codex-asking.ts"
import { type CodexAnswer, type CodexListener, type ConnectionEnd, endFailure } from "./codex-connection.ts"
import type { CodexNotification } from "./codex-frame.ts"
import { agentCallServerName } from "./codex-launch.ts"
import { isThreadStatus, isTurnNotice } from "./codex-notification.ts"
import { brokenResult, endedResult, failedResult } from "./codex-result.ts"
import type { CodexSession, OpenThread } from "./codex-session.ts"
import { CodexTurn, type NativeEnd, type TurnFact } from "./codex-turn.ts"

const isStarted = Schema.is(Schema.Struct({ turn: Schema.Struct({ id: Schema.NonEmptyString }) }))

const textInput = (text: string) => [{ type: "text", text, text_elements: [] }]

const interruptedBefore = turnFailure("native", "Interrupted before the input was sent")

const closedInMidTurn: TurnResult = {
  kind: "lost",
  unknown: "completion",
  lastObservation: "Closed in mid-Turn",
  availability: "detached"
}

/** What the Turn waits for once its input was taken. */
type Outcome =
  | { readonly kind: "ended"; readonly end: NativeEnd }
  | { readonly kind: "gone"; readonly end: ConnectionEnd }
  | { readonly kind: "idle" }
  | { readonly kind: "interrupt" }

export class CodexDrive {
  readonly #session: CodexSession
  readonly #request: TurnRequest
  readonly #diagnostics: Diagnostics
  readonly #nativeTurn = Deferred.makeUnsafe<string>()
  readonly #ended = Deferred.makeUnsafe<NativeEnd>()
  readonly #choice: ModelChoice | undefined
  readonly #interrupted = Deferred.makeUnsafe<void>()
  #idle = Deferred.makeUnsafe<void>()
  #live: { readonly turn: TurnProducer; readonly reader: CodexTurn; readonly threadId: string } | undefined

  constructor(session: CodexSession, request: TurnRequest, diagnostics: Diagnostics) {
    this.#session = session
    this.#request = request
    this.#diagnostics = diagnostics
    this.#choice = request.model ?? session.chosenModel
  }

  readonly native: NativeControls = {
    steer: ({ steerId, text }) => this.#steer(steerId, text),
    interrupt: Effect.suspend(() => Effect.as(Deferred.succeed(this.#interrupted, undefined), accepted)),
    changeModel: (choice) =>
      Effect.sync(() => {
        this.#session.chosenModel = choice
        return accepted
      })
  }

  /** A session that is closed in mid-Turn leaves the Turn lost. */
  readonly run = (turn: TurnProducer): Effect.Effect<TurnResult> => Effect.raceFirst(this.#run(turn), Effect.as(this.#session.closing, closedInMidTurn))

  #run(turn: TurnProducer): Effect.Effect<TurnResult> {
    return Effect.gen({ self: this }, function*(): Effect.fn.Return<TurnResult> {
      const begun = yield* Effect.result(this.#begin(turn))
      if (begun._tag === "Failure") return { kind: "not-started", failure: begun.failure }
      return yield* this.#play(turn, begun.success)
    })
  }

  /** The thread, once the Turn is admitted. Fails where no input may be sent, and where the program is gone meanwhile. */
  #begin(turn: TurnProducer): Effect.Effect<OpenThread, TurnFailure> {
    return Effect.gen({ self: this }, function*() {
      const opened = yield* Effect.raceFirst(
        this.#session.open(this.#request.coordinate),
        Effect.andThen(Deferred.await(this.#interrupted), Effect.fail(interruptedBefore))
      )
      const answer = yield* Effect.raceFirst(
        turn.admit({ coordinate: opened.threadId, ...(this.#choice === undefined ? {} : { model: this.#choice }) }),
        Effect.flatMap(this.#session.connection.ended, (end) => Effect.fail(endFailure(end)))
      )
      if (answer.kind === "refused") {
        const words = answer.reason === "fenced" ? "Another owner has the Run" : answer.explanation
        return yield* Effect.fail(turnFailure(answer.reason, words))
      }
      return Deferred.isDoneUnsafe(this.#interrupted) ? yield* Effect.fail(interruptedBefore) : opened
    })
  }

  #play(turn: TurnProducer, { threadId }: OpenThread): Effect.Effect<TurnResult> {
    return Effect.gen({ self: this }, function*(): Effect.fn.Return<TurnResult> {
      const reader = new CodexTurn({ ids: turn.ids, threadId, agentCallServer: agentCallServerName })
      this.#live = { turn, reader, threadId }
      this.#session.connection.listen(this.#listener(turn, reader, threadId))
      const { effectiveModel } = this.#session
      if (this.#choice === undefined && effectiveModel !== undefined) turn.report({ type: "model", model: effectiveModel })
      const started = yield* this.#start(threadId)
      if (started === undefined) return yield* this.#interrupt(undefined)
      if (started.kind === "ended") return yield* this.#broken(started.end, "acceptance")
      if (started.kind === "refusal") return failedResult("native", started.message, effectiveModel)
      if (!isStarted(started.result)) return failedResult("protocol", "Codex began no Turn", effectiveModel)
      const nativeTurnId = started.result.turn.id
      this.#take(reader.accept(nativeTurnId))
      yield* Deferred.succeed(this.#nativeTurn, nativeTurnId)
      const outcome = yield* this.#outcome
      switch (outcome.kind) {
        case "ended":
          return endedResult(outcome.end, { interruptAsked: false, availability: "open" }, this.#session.effectiveModel)
        case "gone":
          return yield* this.#broken(outcome.end, "completion")
        case "interrupt":
          return yield* this.#interrupt(nativeTurnId)
        case "idle":
          return { kind: "lost", unknown: "completion", lastObservation: "The thread is idle, the Turn without an end", availability: "open" }
      }
    })
  }

  /** Undefined: Codex did not say that it took the input, and an interrupt was asked for. */
  #start(threadId: string): Effect.Effect<CodexAnswer | undefined> {
    return Effect.raceFirst(
      this.#session.connection.request("turn/start", {
        threadId,
        input: textInput(this.#request.input),
        clientUserMessageId: this.#request.turnId,
        ...this.#choice
      }),
      Deferred.await(this.#interrupted).pipe(Effect.andThen(Effect.sleep(harnessLimits.interruptConfirmMs)), Effect.as(undefined))
    )
  }

  get #outcome(): Effect.Effect<Outcome> {
    return Effect.raceAllFirst([
      Effect.map(Deferred.await(this.#ended), (end): Outcome => ({ kind: "ended", end })),
      Effect.map(this.#session.connection.ended, (end): Outcome => ({ kind: "gone", end })),
      Effect.map(Deferred.await(this.#interrupted), (): Outcome => ({ kind: "interrupt" })),
      this.#staysIdle
    ])
  }

  /** The thread has been idle for long, and said nothing of the Turn's end: its history may tell it. */
  get #staysIdle(): Effect.Effect<Outcome> {
    return Effect.gen({ self: this }, function*(): Effect.fn.Return<Outcome> {
      for (;;) {
        const idle = this.#idle
        yield* Deferred.await(idle)
        yield* Effect.sleep(harnessLimits.idleSettleMs / 2)
        if (this.#idle !== idle) continue
        const end = this.#endOf(yield* this.#session.turns)
        return end === undefined ? { kind: "idle" } : { kind: "ended", end }
      }
    })
  }

  /** What stands in the thread's history is read as the notification that did not come. */
  #endOf(turns: ReadonlyArray<unknown>): NativeEnd | undefined {
    const { reader, threadId } = this.#live ?? {}
    for (const turn of turns) {
      const params = { threadId, turn }
      if (!isTurnNotice(params) || params.turn.status === "inProgress") continue
      const ended = reader?.read({ kind: "notification", method: "turn/completed", params }).find(({ kind }) => kind === "ended")
      if (ended?.kind === "ended") return ended.end
    }
    return undefined
  }

  /** Nothing of the program is left running. */
  #broken(end: ConnectionEnd, unknown: "acceptance" | "completion"): Effect.Effect<TurnResult> {
    return Effect.as(this.#session.kill, brokenResult(end, unknown, this.#session.effectiveModel))
  }

  #interrupt(nativeTurnId: string | undefined): Effect.Effect<TurnResult> {
    const { connection } = this.#session
    const { program } = connection
    return Effect.gen({ self: this }, function*(): Effect.fn.Return<TurnResult> {
      let stopped = false
      const evidence = yield* climbInterruptLadder({
        ...(nativeTurnId === undefined ? {} : { interrupt: this.#askInterrupt(nativeTurnId) }),
        nativeEnd: Effect.asVoid(Deferred.await(this.#ended)),
        stop: Effect.suspend(() => {
          stopped = true
          return Effect.andThen(connection.closeInput, Effect.asVoid(Effect.forkDetach(program.terminate({ grace: true }))))
        }),
        processEnd: Effect.asVoid(connection.ended),
        kill: this.#session.kill
      })
      if (Deferred.isDoneUnsafe(this.#ended)) return yield* this.#endInterrupted(yield* Deferred.await(this.#ended), stopped)
      yield* this.#session.kill
      if (evidence !== undefined) return { kind: "interrupted", confirmedBy: evidence, availability: "detached" }
      const lastObservation = "Codex did not confirm the interrupt"
      return { kind: "lost", unknown: "interruption", lastObservation, availability: "detached" }
    })
  }

  /**
   * Reported commands and sub-agents go on behind the end: they are ended, with the program if there is no other way.
   * @param stopped the program was asked to end
   */
  #endInterrupted(end: NativeEnd, stopped: boolean): Effect.Effect<TurnResult> {
    return Effect.gen({ self: this }, function*(): Effect.fn.Return<TurnResult> {
      const { effectiveModel } = this.#session
      const lasting = this.#live?.reader.lasting
      const serves = !stopped && (end.kind !== "interrupted" || lasting === undefined || (yield* this.#session.endLasting(lasting)))
      if (!serves) yield* this.#session.kill
      return endedResult(end, { interruptAsked: true, availability: serves ? "open" : "detached" }, effectiveModel)
    })
  }

  #askInterrupt(turnId: string): Effect.Effect<ControlReceipt> {
    return Effect.map(
      this.#session.connection.request("turn/interrupt", { threadId: this.#live?.threadId, turnId }),
      ({ kind }) => (kind === "answer" ? accepted : rejected("expired"))
    )
  }

  /** Waits until the input was taken: before that there is nothing to steer. */
  #steer(steerId: string, text: string): Effect.Effect<ControlReceipt> {
    return Effect.gen({ self: this }, function*(): Effect.fn.Return<ControlReceipt> {
      const expectedTurnId = yield* Deferred.await(this.#nativeTurn)
      this.#live?.reader.sendSteer(steerId)
      const answer = yield* this.#session.connection.request("turn/steer", {
        threadId: this.#live?.threadId,
        expectedTurnId,
        input: textInput(text),
        clientUserMessageId: steerId
      })
      return answer.kind === "answer" ? accepted : rejected("expired")
    })
  }

  #listener(turn: TurnProducer, reader: CodexTurn, threadId: string): CodexListener {
    const asking = new CodexAsking({ turn, reader, session: this.#session })
    return {
      notified: (notification) => {
        asking.noteResolved(notification)
        this.#noteIdle(notification, threadId)
        this.#take(reader.read(notification))
      },
      asked: asking.ask
    }
  }

  #noteIdle({ method, params }: CodexNotification, threadId: string): void {
    if (method !== "thread/status/changed" || !Deferred.isDoneUnsafe(this.#nativeTurn)) return
    if (!isThreadStatus(params) || params.threadId !== threadId) return
    if (params.status.type === "idle") Deferred.doneUnsafe(this.#idle, Effect.void)
    else if (Deferred.isDoneUnsafe(this.#idle)) this.#idle = Deferred.makeUnsafe<void>()
  }

  #take(facts: ReadonlyArray<TurnFact>): void {
    for (const fact of facts) {
      if (fact.kind === "oddity") this.#diagnostics.note(fact.code, fact.text)
      else if (fact.kind === "ended") Deferred.doneUnsafe(this.#ended, Effect.succeed(fact.end))
      else {
        if (fact.report.type === "model") this.#session.effectiveModel = fact.report.model
        this.#live?.turn.report(fact.report)
      }
    }
  }
}
