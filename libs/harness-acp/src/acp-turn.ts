/**
 * One Turn of an agent: admitted, prompted, read to its end.
 *
 * Owns: when the Turn is over and how, the cancel and its ladder.
 * Never owns: reading updates (session-reader), answers to the agent's requests (turn-requests).
 * Ordering: session → model → admit → prompt. An interrupt before the prompt sends none. The prompt's answer ends the reading
 * while it is read: what comes behind it is of no Turn.
 */
import {
  accepted,
  climbInterruptLadder,
  type ControlReceipt,
  type Diagnostics,
  type HostRefusal,
  type ModelChoice,
  type NativeControls,
  rejected,
  turnFailure,
  type TurnFailure,
  type TurnProducer,
  type TurnRequest,
  type TurnResult
} from "@steno/harness-seam"
import { Deferred, Effect, Fiber, Queue } from "effect"
import { errorCodes, type NativeAnswer } from "./acp-message.ts"
import type { AcpProgram, ProgramEnd } from "./acp-program.ts"
import type { AcpSession } from "./acp-session.ts"
import { ClientTerminals } from "./client-terminals.ts"
import { SessionReader, type TurnReading } from "./session-reader.ts"
import { endedBy } from "./stop-reason.ts"
import { TurnRequests } from "./turn-requests.ts"

export interface AcpTurnSetup {
  readonly session: AcpSession
  readonly program: AcpProgram
  readonly reading: TurnReading
  readonly request: TurnRequest
  readonly diagnostics: Diagnostics
  /** Why the session that the harness was prepared for is not there. */
  readonly unreached: TurnResult | undefined
  /** Resolves when the harness is closed. */
  readonly closing: Effect.Effect<void>
}

type SessionAvailability = "detached" | "unusable"

const refusalOf = (refusal: HostRefusal) =>
  refusal.reason === "fenced"
    ? turnFailure("fenced", "Another owner has the Run by now")
    : turnFailure("unrecordable", refusal.explanation)

export class AcpTurn {
  readonly #setup: AcpTurnSetup
  readonly #interrupt = Deferred.makeUnsafe<void>()
  readonly #answer = Deferred.makeUnsafe<NativeAnswer>()
  #reader: SessionReader | undefined
  #requests: TurnRequests | undefined
  #serving: Fiber.Fiber<never> | undefined
  #cancelWritten = false

  constructor(setup: AcpTurnSetup) {
    this.#setup = setup
  }

  /** The agent was prompted and has not answered. */
  get isPlaying(): boolean {
    return this.#requests !== undefined && !Deferred.isDoneUnsafe(this.#answer)
  }

  /** Resolves when every permission that the Turn left open was answered. */
  readonly answered: Effect.Effect<void> = Effect.suspend(() => this.#requests?.answered ?? Effect.void)

  readonly controls: NativeControls = {
    steer: () => Effect.succeed(rejected("unsupported")),
    interrupt: Effect.suspend(() =>
      Deferred.isDoneUnsafe(this.#answer) && !this.#cancelWritten
        ? Effect.succeed(rejected("already-settled"))
        : Effect.as(Deferred.succeed(this.#interrupt, undefined), accepted)
    ),
    changeModel: (choice: ModelChoice) =>
      Effect.map(this.#setup.session.choose(choice), (failure): ControlReceipt =>
        failure === undefined ? accepted : rejected("shape-mismatch"))
  }

  readonly drive = (turn: TurnProducer): Effect.Effect<TurnResult> => {
    const { closing, program } = this.#setup
    const cutOff = Effect.raceFirst(
      Effect.flatMap(program.gone, (end) => this.#lost(end)),
      Effect.as(closing, this.#unknown("completion", "It was closed in mid-Turn"))
    )
    return Effect.ensuring(Effect.raceFirst(this.#begin(turn), cutOff), this.#over)
  }

  #begin(turn: TurnProducer): Effect.Effect<TurnResult> {
    return Effect.gen({ self: this }, function*() {
      const { program, session, unreached } = this.#setup
      if (unreached !== undefined) return unreached
      if (!program.serves()) return notStarted(turnFailure("process-exited", "The agent is not running any more"))
      const interrupted = Deferred.await(this.#interrupt)
      const missing = yield* Effect.raceFirst(this.#reach, Effect.as(interrupted, interruptedBefore))
      if (missing !== undefined) return notStarted(missing)
      const { choice, coordinate } = session
      const admission = yield* turn.admit({
        ...(coordinate === undefined ? {} : { coordinate }),
        ...(choice === undefined ? {} : { model: choice })
      })
      if (admission.kind === "refused") return notStarted(refusalOf(admission))
      return Deferred.isDoneUnsafe(this.#interrupt) ? notStarted(interruptedBefore) : yield* this.#play(turn)
    })
  }

  /** The session and the model that the Turn asks for. Undefined: they are set; else why not. */
  get #reach(): Effect.Effect<TurnFailure | undefined> {
    return Effect.gen({ self: this }, function*() {
      const { request, session } = this.#setup
      const missing = request.coordinate === undefined ? undefined : yield* session.load(request.coordinate)
      if (missing !== undefined || request.model === undefined) return missing
      return yield* session.choose(request.model)
    })
  }

  #play(turn: TurnProducer): Effect.Effect<TurnResult> {
    return Effect.gen({ self: this }, function*() {
      const { diagnostics, reading, request, session } = this.#setup
      const terminals = new ClientTerminals(turn)
      const reader = new SessionReader(reading, {
        ids: turn.ids,
        report: (report) => turn.report(report),
        odd: (code, text) => diagnostics.note(code, text),
        isTerminal: (terminalId) => terminals.isOurs(terminalId),
        join: (itemId) => turn.joinExecuted(itemId),
        past: session.pastCalls
      })
      const work = yield* Queue.unbounded<Effect.Effect<void>>()
      const { offered } = reading
      const requests = new TurnRequests({ turn, peer: session.peer, reader, terminals, offered, diagnostics, work })
      this.#reader = reader
      this.#requests = requests
      this.#serving = yield* Effect.forkDetach(requests.serve, { startImmediately: true })
      this.#tellSession(turn)
      session.listen({
        update: (update) => reader.update(update),
        request: (asked) => requests.take(asked),
        withdrawn: (requestId) => requests.withdraw(requestId),
        choice: (choice) => turn.report({ type: "model", ...choice })
      })
      session.prompt(request.input, (answer) => {
        session.unlisten()
        reader.close(endedBy(answer) === "end_turn")
        Deferred.doneUnsafe(this.#answer, Effect.succeed(answer))
      })
      return yield* Effect.raceFirst(
        Effect.map(this.#uncancelled, (answer) => this.#resultOf(answer)),
        this.#interrupted(requests, reader)
      )
    })
  }

  /** However it ended: nothing is read for it any more, and what it was asked was begun to be answered. */
  readonly #over: Effect.Effect<void> = Effect.gen({ self: this }, function*() {
    this.#setup.session.unlisten()
    this.#reader?.close(false)
    if (this.#requests !== undefined) yield* this.#requests.begun
    if (this.#serving !== undefined) yield* Fiber.interrupt(this.#serving)
  })

  /** The prompt's answer, where no cancel was written before it. */
  get #uncancelled(): Effect.Effect<NativeAnswer> {
    return Effect.flatMap(Deferred.await(this.#answer), (answer) => this.#cancelWritten ? Effect.never : Effect.succeed(answer))
  }

  #tellSession(turn: TurnProducer): void {
    const { agent, choice, commandWords } = this.#setup.session
    turn.report({
      type: "session",
      availability: "open",
      facts: {
        ...(agent.version === undefined ? {} : { version: agent.version }),
        ...(commandWords === undefined ? {} : { commandWords })
      }
    })
    if (choice !== undefined) turn.report({ type: "model", ...choice })
  }

  #resultOf(answer: NativeAnswer): TurnResult {
    const model = this.#setup.session.choice?.model
    const failed = (reason: "native" | "auth", text: string): TurnResult => ({
      kind: "failed",
      failure: turnFailure(reason, text),
      availability: "open",
      ...(model === undefined ? {} : { model })
    })
    if (answer.kind === "error") {
      return failed(answer.error.code === errorCodes.authRequired ? "auth" : "native", answer.error.message)
    }
    const reason = endedBy(answer)
    if (reason === "end_turn") return { kind: "completed", availability: "open", ...(model === undefined ? {} : { model }) }
    return failed("native", `The agent stopped: ${reason}`)
  }

  /** Once it is asked for: the cancel, and how far the ladder had to be climbed. */
  #interrupted(requests: TurnRequests, reader: SessionReader): Effect.Effect<TurnResult> {
    const { program, session } = this.#setup
    return Effect.gen({ self: this }, function*() {
      yield* Deferred.await(this.#interrupt)
      yield* requests.cancelPermissions
      if (Deferred.isDoneUnsafe(this.#answer)) return yield* Effect.never
      this.#cancelWritten = true
      reader.calls.cancelled()
      session.cancel()
      const answer = Deferred.await(this.#answer)
      const confirmedBy = yield* climbInterruptLadder({
        interrupt: Effect.flatMap(answer, ({ kind }) => kind === "error" ? Effect.succeed(rejected("expired")) : Effect.never),
        nativeEnd: Effect.flatMap(answer, ({ kind }) => kind === "error" ? Effect.never : Effect.void),
        stop: program.stop,
        processEnd: program.ended,
        kill: program.kill
      })
      if (confirmedBy === "active-turn") {
        return { kind: "interrupted", confirmedBy, availability: program.serves() ? "open" : this.#detached } as const
      }
      yield* program.kill
      if (confirmedBy === undefined) return this.#unknown("interruption", "The agent did not confirm the interrupt")
      return { kind: "interrupted", confirmedBy, availability: this.#detached } as const
    })
  }

  /** Its tree is ended before the result is known. While a cancel is climbed, that decides. */
  #lost(end: ProgramEnd): Effect.Effect<TurnResult> {
    return Effect.gen({ self: this }, function*() {
      if (this.#cancelWritten) return yield* Effect.never
      if (Deferred.isDoneUnsafe(this.#answer)) return yield* Effect.never
      yield* this.#setup.program.kill
      if (end.kind === "unreadable") {
        return { kind: "failed", failure: turnFailure(end.reason, end.explanation), availability: this.#detached } as const
      }
      const failure = end.kind === "exited" ? processExited : outputClosed
      return { ...this.#unknown("completion", failure.text), failure } as const
    })
  }

  get #detached(): SessionAvailability {
    return this.#setup.session.agent.loads ? "detached" : "unusable"
  }

  #unknown(unknown: "completion" | "interruption", lastObservation: string) {
    return { kind: "lost", unknown, lastObservation, availability: this.#detached } as const
  }
}

const notStarted = (failure: TurnFailure): TurnResult => ({ kind: "not-started", failure })

const processExited = turnFailure("process-exited", "The agent's process ended")
const outputClosed = turnFailure("protocol", "The agent closed its output")
const interruptedBefore = turnFailure("native", "Interrupted before the input was sent")
