/**
 * Runs a call that may begin.
 *
 * Owns: the order of its places, its claim, its tool or handler; what a stop does to it.
 * Never owns: the tool (HostTools), what a handler answers (CallHandlers), the settlement.
 * Ordering: the row with its claim is durable before the tool starts; a call waits for its file before it waits for a slot.
 * Limits: the event loop turns between a commit and a spawn, so that their blocks do not add up.
 */
import { type CallReason, processLimits, type Question, type QuietCall, type Supervision } from "@steno/contracts"
import { CallLedger } from "@steno/ledger/calls"
import { Clock, Deferred, Effect, PubSub, Stream } from "effect"
import type { CallHandler, HandlerAnswer } from "./call-handlers.ts"
import { cancelledBeforeStart, cancelledUnanswered, decideEnd, failedBecause, stopNotConfirmed } from "./call-rules.ts"
import type { CallSlots } from "./call-slots.ts"
import { mintClaim } from "./claim.ts"
import type { EnteredCall, RunningTool, ToolEnd } from "./host-tools.ts"
import type { LiveCall, LiveCalls } from "./live-calls.ts"
import { claimLost, makeRowChanges, notSettled, nowInstant } from "./row-changes.ts"
import { type Ended, notBegun } from "./settling-calls.ts"
import { type Granted, openQuestion, type Supervising } from "./supervising-calls.ts"
import type { ToolCallError } from "./tool-call-errors.ts"

/** What carries a call out: a handler registered for its name, else a host tool that has its place. */
export type CallRunner =
  | { readonly kind: "handler"; readonly handler: CallHandler }
  | { readonly kind: "tool"; readonly entered: EnteredCall }

const endOf = (tool: ToolEnd, isStopped: boolean): Ended => ({
  end: decideEnd(tool, isStopped),
  begun: true,
  durationMs: tool.durationMs,
  ...(tool.kind === "process" ? { process: tool } : {}),
  ...(tool.kind === "result" ? { result: { value: tool.value } } : {})
})

const ended = (value: Ended) => ({ kind: "ended", ended: value }) as const

/** Where a handler's answer leads: to the end of the call, or to questions. */
const afterHandling = (handler: CallHandler, { durationMs, value }: { readonly value: HandlerAnswer; readonly durationMs: number }) => {
  switch (value.kind) {
    case "completed":
      return ended({ end: { outcome: "completed" }, begun: true, durationMs, result: { value: value.value } })
    case "refused":
      return ended({ end: { outcome: "failed", reason: value.reason }, begun: true, durationMs })
    case "awaiting-input":
      return { kind: "asks", handler, questions: value.questions } as const
  }
}

const gaveWay = failedBecause(
  "file-awaited",
  "An earlier call at the same file waits for a person. This one was not run; repeat it once that one is settled."
)

const stoppedLate: Ended = { end: stopNotConfirmed, begun: true }

const toolFailed: Ended = {
  end: {
    outcome: "indeterminate",
    reason: { code: "tool-failed", text: "The tool failed in a way it should not. Whether it took effect is not known." }
  },
  begun: true
}

const handlerFailed: Ended = { end: failedBecause("handler-failed", "The call could not be answered because of an internal fault."), begun: true }

/** How long a stop waits for the tool's own answer. */
const stopAnswerMs = processLimits.cancelConfirmMs + processLimits.pipeHoldMs

export const makeRunning = Effect.fnUntraced(function*(
  lives: LiveCalls,
  { checkRoom, quietCalls, slots, supervising }: {
    readonly slots: CallSlots
    readonly supervising: Supervising
    readonly quietCalls: PubSub.PubSub<QuietCall>
    /** Why no call of the Session may start now. */
    readonly checkRoom: (live: LiveCall) => Effect.Effect<CallReason | undefined>
  }
) {
  const ledger = yield* CallLedger
  const change = yield* makeRowChanges

  /** `effect`, or undefined when a stop was asked for and nothing came of it in time. */
  const untilStopIsLate = <A, E>(live: LiveCall, effect: Effect.Effect<A, E>): Effect.Effect<A | undefined, E> =>
    Effect.raceFirst(
      effect,
      Deferred.await(live.stopAsked).pipe(
        Effect.andThen(Effect.sleep(stopAnswerMs)),
        Effect.andThen(Effect.suspend(() => live.running?.endedByItself() === true ? Effect.never : Effect.undefined))
      )
    )

  /** Ends a tool whose call is somebody else's by now. */
  const giveUp = (running: RunningTool, error: ToolCallError) => Effect.andThen(running.stop({ grace: false }), error)

  /** Writes down which process runs; a row that is not ours any more ends it. */
  const holdOn = Effect.fnUntraced(function*(live: LiveCall, claim: string, running: RunningTool) {
    const { callId } = live.call
    if (running.process === undefined) {
      const row = yield* Effect.orElseSucceed(ledger.unfinishedCall(callId), () => live.position)
      if (row?.claim !== claim) yield* giveUp(running, claimLost(callId))
      return
    }
    yield* ledger.recordProcess(live.fence, { callId, claim, process: running.process, at: yield* nowInstant }).pipe(
      Effect.catch((error) =>
        error.isRetryable
          ? Effect.logDebug("Process identity not recorded", error)
          : giveUp(running, notSettled(callId)(error))
      )
    )
  })

  /** Of a call that holds its claim. Fails with `CallNotSettled` when the claim was lost. */
  const runTool = Effect.fnUntraced(function*(
    live: LiveCall,
    claim: string,
    entered: EnteredCall,
    judged: Pick<Granted, "judgedPaths">
  ): Effect.fn.Return<Ended, ToolCallError> {
    yield* Effect.yieldNow
    if (live.stop !== "none") return notBegun(cancelledBeforeStart)
    const started = yield* untilStopIsLate(live, Effect.result(entered.start(judged)))
    if (started === undefined) return stoppedLate
    if (started._tag === "Failure") return { end: failedBecause(started.failure.code, started.failure.explanation), begun: false }
    const running = live.running = started.success
    if (live.stop !== "none") yield* running.stop({ grace: live.stop === "graceful" })
    yield* Effect.yieldNow
    yield* holdOn(live, claim, running)
    yield* Effect.forkChild(
      Stream.runForEach(running.quiet, (quiet) =>
        PubSub.publish(quietCalls, { ...quiet, runId: live.fence.runId, callId: live.call.callId }))
    )
    const tool = yield* untilStopIsLate(live, running.ended)
    return tool === undefined ? stoppedLate : endOf(tool, live.stop !== "none")
  }, Effect.catchDefect((defect) => Effect.as(Effect.logWarning("A tool failed in a way it should not", defect), toolFailed)))

  const timed = <A>(effect: Effect.Effect<A>) =>
    Effect.gen(function*() {
      const began = yield* Clock.currentTimeMillis
      const value = yield* effect
      return { value, durationMs: (yield* Clock.currentTimeMillis) - began }
    })

  /** An answer, or the end of the call. */
  const runHandler = Effect.fnUntraced(function*(live: LiveCall, handler: CallHandler) {
    const handled = yield* live.unlessStopped(timed(Effect.suspend(() => handler.handle(live.call)))).pipe(
      Effect.catchDefect((defect) => Effect.as(Effect.logWarning(`The handler of ${live.call.tool} failed`, defect), handlerFailed))
    )
    if (handled === undefined) return ended({ end: cancelledUnanswered, begun: true })
    return "end" in handled ? ended(handled) : afterHandling(handler, handled.value)
  })

  const start = Effect.fnUntraced(function*(live: LiveCall, runner: CallRunner, granted: Granted) {
    const isSupervising = live.position.state === "supervising"
    const decided = granted.supervision === undefined ? {} : { supervision: granted.supervision }
    if (live.stop !== "none") return ended(notBegun(cancelledBeforeStart, granted.supervision))
    if (runner.kind === "tool") {
      const full = yield* checkRoom(live)
      if (full !== undefined) return ended(notBegun({ outcome: "failed", reason: full }, granted.supervision))
    }
    const claim = yield* mintClaim(live.fence.epoch)
    yield* change(live, { over: isSupervising ? ["ready", "running"] : ["running"], claim, ...decided })
    Deferred.doneUnsafe(live.begun, Effect.succeed(true))
    return runner.kind === "handler"
      ? yield* runHandler(live, runner.handler)
      : ended(yield* runTool(live, claim, runner.entered, granted))
  })

  /** Waits in `ready`, or until the call is stopped. */
  const waitFor = Effect.fnUntraced(function*(live: LiveCall, turn: Effect.Effect<void>, supervision: Supervision | undefined) {
    if (live.position.state === "supervising") {
      yield* change(live, { over: ["ready"], ...(supervision === undefined ? {} : { supervision }) })
    }
    yield* live.unlessStopped(turn)
  })

  /** Whether the call gave way to one before it at its files that awaits a person. */
  const waitBehind = Effect.fnUntraced(function*(live: LiveCall, turn: Effect.Effect<void>, supervision: Supervision | undefined) {
    if (yield* Effect.raceFirst(Effect.as(turn, true), Effect.as(Effect.yieldNow, false))) return false
    const givesWay = live.givesWay = Deferred.makeUnsafe<void>()
    lives.tell(live.call.turnId)
    yield* waitFor(live, Effect.raceFirst(turn, Deferred.await(givesWay)), supervision)
    live.givesWay = undefined
    return Deferred.isDoneUnsafe(givesWay)
  })

  const inTurn = Effect.fnUntraced(function*(live: LiveCall, runner: CallRunner, granted: Granted) {
    if (runner.kind === "tool" && runner.entered.turn !== undefined) {
      if (yield* waitBehind(live, runner.entered.turn, granted.supervision)) return ended(notBegun(gaveWay))
    }
    const slot = yield* slots.enter(live.fence.runId)
    if (!slot.isFree) yield* waitFor(live, slot.turn, granted.supervision)
    return yield* start(live, runner, granted)
  }, Effect.scoped)

  const answered = Effect.fnUntraced(function*(live: LiveCall, handler: CallHandler, questions: ReadonlyArray<Question>) {
    const { question } = live
    const resolution = question === undefined ? undefined : yield* supervising.awaitAnswer(live, question)
    if (resolution === undefined || "approval" in resolution.value) return { end: cancelledUnanswered, begun: true }
    const answer = resolution.value
    return yield* live.unlessStopped(Effect.suspend(() => handler.answered(live.call, { questions, answer }))).pipe(
      Effect.map((result): Ended => result === undefined
        ? { end: cancelledUnanswered, begun: true }
        : { end: { outcome: "completed" }, begun: true, result }),
      Effect.catchDefect((defect) => Effect.as(Effect.logWarning(`The handler of ${live.call.tool} failed`, defect), handlerFailed))
    )
  })

  /** From a grant to the end of the call. Fails with `CallNotSettled`; the call is another's then, or its row stays. */
  const run = Effect.fnUntraced(function*(live: LiveCall, runner: CallRunner, granted: Granted): Effect.fn.Return<Ended, ToolCallError> {
    const passed = yield* inTurn(live, runner, granted)
    if (passed.kind === "ended") return passed.ended
    const request = { kind: "user-input", questions: passed.questions } as const
    live.question = openQuestion(request)
    yield* change(live, { over: ["awaiting_input"], interaction: request })
    return yield* answered(live, passed.handler, passed.questions)
  })

  return { answered, run, runTool }
})
export type Running = Effect.Success<ReturnType<typeof makeRunning>>
