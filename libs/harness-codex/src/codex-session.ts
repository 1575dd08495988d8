/**
 * One thread of Codex in one running program, over its Turns.
 *
 * Owns: opening the thread or reattaching to it, requests of the program that wait for an answer, ending what lasts.
 * Never owns: a Turn (codex-drive), the profile and the program's start (codex-harness).
 * Ordering: a new thread may be asked for while its first Turn is still being admitted. What the program says until that Turn listens,
 * also of a thread that is reattached, is heard by nobody.
 * Limits: one thread; it is opened within `threadMs` or not at all.
 */
import { harnessLimits } from "@steno/contracts"
import { type ModelChoice, type TurnFailure, turnFailure } from "@steno/harness-seam"
import { Deferred, Effect, Fiber, Schema } from "effect"
import { type CodexAnswer, type CodexConnection, endFailure } from "./codex-connection.ts"
import type { LastingWork } from "./codex-turn.ts"

export interface OpenThread {
  readonly threadId: string
}

export interface ThreadPlan {
  readonly workspace: string
  readonly coordinate: string | undefined
  readonly model: ModelChoice | undefined
  /** Settings over the person's own, by dotted name. */
  readonly config: Readonly<Record<string, unknown>>
}

/** A long history is read from the disk first. */
const threadMs = 60_000
/** Half of the time in which a Turn of an idle thread is settled. */
const historyMs = harnessLimits.idleSettleMs / 2

const isOpened = Schema.is(Schema.Struct({
  thread: Schema.Struct({ id: Schema.NonEmptyString }),
  model: Schema.optionalKey(Schema.Unknown)
}))

const isRead = Schema.is(Schema.Struct({ thread: Schema.Struct({ turns: Schema.Array(Schema.Unknown) }) }))

export class CodexSession {
  readonly connection: CodexConnection
  readonly #plan: ThreadPlan
  readonly #answering = new Set<Fiber.Fiber<unknown>>()
  readonly #closing = Deferred.makeUnsafe<void>()
  #thread: OpenThread | undefined
  #askedAhead: Fiber.Fiber<CodexAnswer> | undefined
  /** For the next Turn. */
  chosenModel: ModelChoice | undefined
  /** As Codex said it last. */
  effectiveModel: string | undefined

  constructor(connection: CodexConnection, plan: ThreadPlan) {
    this.connection = connection
    this.#plan = plan
    this.chosenModel = plan.model
  }

  /** Asks for a new thread, so that it is open by the time the first Turn begins. Sends no input. */
  readonly askAhead = Effect.suspend(() =>
    Effect.map(Effect.forkDetach(this.#ask(undefined), { startImmediately: true }), (asked) => {
      this.#askedAhead = asked
    }))

  /** The thread, opened at the first asking. Fails where it cannot be had; never another one than was asked for. Sends no input. */
  readonly open = (coordinate: string | undefined): Effect.Effect<OpenThread, TurnFailure> =>
    Effect.gen({ self: this }, function*() {
      const { end } = this.connection
      if (end !== undefined) return yield* Effect.fail(endFailure(end))
      if (this.#thread !== undefined) return this.#thread
      const wanted = this.#plan.coordinate ?? coordinate
      const ahead = wanted === undefined ? this.#askedAhead : undefined
      this.#askedAhead = undefined
      const inTime = yield* Effect.timeoutOption(ahead === undefined ? this.#ask(wanted) : Fiber.join(ahead), threadMs)
      if (inTime._tag === "None") return yield* Effect.fail(turnFailure("protocol", "Codex did not open its thread in time"))
      const answer = inTime.value
      if (answer.kind === "ended") return yield* Effect.fail(endFailure(answer.end))
      if (answer.kind === "refusal") return yield* Effect.fail(turnFailure("native", answer.message))
      if (!isOpened(answer.result)) return yield* Effect.fail(turnFailure("protocol", "Codex opened no thread"))
      const { model, thread } = answer.result
      if (wanted !== undefined && thread.id !== wanted) {
        return yield* Effect.fail(turnFailure("protocol", "Codex opened another thread than the one that was asked for"))
      }
      this.#thread = { threadId: thread.id }
      if (typeof model === "string") this.effectiveModel = model
      return this.#thread
    })

  #ask(coordinate: string | undefined): Effect.Effect<CodexAnswer> {
    const { config, workspace } = this.#plan
    const settings = { cwd: workspace, ...(Object.keys(config).length === 0 ? {} : { config }) }
    return coordinate === undefined
      ? this.connection.request("thread/start", settings)
      : this.connection.request("thread/resume", { threadId: coordinate, excludeTurns: true, ...settings })
  }

  /** Resolves when the session is being closed. */
  readonly closing: Effect.Effect<void> = Effect.suspend(() => Deferred.await(this.#closing))

  /** Idempotent. */
  close(): void {
    Deferred.doneUnsafe(this.#closing, Effect.void)
  }

  /** Has begun when it resolves, and runs on beside the Turn; `answered` waits for it. */
  readonly beside = (work: Effect.Effect<void>): Effect.Effect<void> =>
    Effect.map(Effect.forkDetach(work, { startImmediately: true }), (fiber) => {
      this.#answering.add(fiber)
      fiber.addObserver(() => this.#answering.delete(fiber))
    })

  /** Resolves when every request of the program that was being answered has its answer. */
  readonly answered: Effect.Effect<void> = Effect.suspend(() =>
    Effect.asVoid(Fiber.awaitAll([...this.#answering])))

  /** Ends what an interrupt leaves at work, first who may begin more; false: the program did not say of all that it does. */
  readonly endLasting = ({ terminals, turns }: LastingWork): Effect.Effect<boolean> =>
    Effect.gen({ self: this }, function*() {
      const stopped = yield* this.#doesAll(turns, ({ threadId, turnId }) =>
        turnId === undefined ? undefined : this.connection.request("turn/interrupt", { threadId, turnId }))
      const ended = yield* this.#doesAll(terminals, (threadId) => this.connection.request("thread/backgroundTerminals/clean", { threadId }))
      return stopped && ended
    })

  /** The Turns of the open thread as its history has them; none where it cannot be read in time. */
  readonly turns: Effect.Effect<ReadonlyArray<unknown>> = Effect.suspend(() =>
    this.connection.request("thread/read", { threadId: this.#thread?.threadId, includeTurns: true }).pipe(
      Effect.timeoutOption(historyMs),
      Effect.map((answer) =>
        answer._tag === "Some" && answer.value.kind === "answer" && isRead(answer.value.result) ? answer.value.result.thread.turns : []
      )
    ))

  /** Ends the program with its whole tree. Idempotent. */
  readonly kill: Effect.Effect<void> = Effect.suspend(() => Effect.asVoid(this.connection.program.terminate({ grace: false })))

  #doesAll<One>(all: ReadonlyArray<One>, ask: (one: One) => Effect.Effect<CodexAnswer> | undefined): Effect.Effect<boolean> {
    const answers = all.map((one) => ask(one)?.pipe(Effect.timeoutOption(harnessLimits.interruptStopMs)) ?? Effect.succeedNone)
    return Effect.map(Effect.all(answers, { concurrency: "unbounded" }), (said) =>
      said.every((answer) => answer._tag === "Some" && answer.value.kind === "answer"))
  }
}
