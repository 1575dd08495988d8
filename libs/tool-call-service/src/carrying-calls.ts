/**
 * Carries a call from where it stands to its response, on a fiber of its own.
 *
 * Owns: the order of checking, places, supervision, running and settlement.
 * Ordering: calls that are begun together take their places in the order given; then they go on apart from each other.
 * Limits: whatever ends the fiber without a settlement leaves the row to recovery.
 */
import { suspendedOn, type ToolCallResponse, type UnfinishedCall } from "@steno/contracts"
import { Deferred, Effect, Exit, type Scope } from "effect"
import type { AbandonedCalls } from "./abandoned-calls.ts"
import { CallHandlers } from "./call-handlers.ts"
import { cancelledBeforeStart, cancelledUnanswered, type DecidedEnd, failedBecause } from "./call-rules.ts"
import { type CheckedCall, CallSupervision } from "./call-supervision.ts"
import { type EnteredCall, HostTools, ToolDidNotStart } from "./host-tools.ts"
import type { LiveCall, LiveCalls } from "./live-calls.ts"
import type { CallRunner, Running } from "./running-calls.ts"
import { type Ended, notBegun, type Settlement } from "./settling-calls.ts"
import type { Supervising, Verdict } from "./supervising-calls.ts"
import type { ToolCallError } from "./tool-call-errors.ts"

export interface BegunCall {
  readonly live: LiveCall
  /** Whether its arguments are an object of JSON. */
  readonly isReadable: boolean
}

export interface CarriedCall {
  readonly live: LiveCall
  readonly row: UnfinishedCall
}

const noObject: CheckedCall = {
  kind: "refused",
  reason: { code: "invalid-arguments", text: "The arguments are no JSON object; they are on record as they were given." }
}

const startUnreadable: DecidedEnd = {
  outcome: "cancelled",
  reason: { code: "start-unreadable", text: "The event that holds the arguments of this call cannot be read. It never started." }
}

const noHandler = failedBecause("handler-missing", "Nothing here takes the answer to this call.")

const notEntered: EnteredCall = {
  start: () => new ToolDidNotStart({ code: "could-not-start", explanation: "The tool could not be made ready because of an internal fault." })
}

/** Resolves when the calls before have their places. */
interface Place {
  readonly before: Effect.Effect<void>
  readonly taken: Deferred.Deferred<void>
}

/** The places of calls that enter one after the other. */
const inOrder = <Call>(calls: ReadonlyArray<Call>): ReadonlyArray<readonly [Call, Place]> => {
  let before: Effect.Effect<void> = Effect.void
  return calls.map((call) => {
    const place = { before, taken: Deferred.makeUnsafe<void>() }
    before = Deferred.await(place.taken)
    return [call, place] as const
  })
}

export const makeCarrier = Effect.fnUntraced(function*(
  lives: LiveCalls,
  { abandoned, running, settle, supervising }: {
    readonly abandoned: AbandonedCalls
    readonly supervising: Supervising
    readonly running: Running
    readonly settle: Settlement
  }
) {
  const supervision = yield* CallSupervision
  const handlers = yield* CallHandlers
  const tools = yield* HostTools
  const scope = yield* Effect.scope

  /** The call is live from here on until its fiber ends; whoever awaits it is told then. */
  const launch = (live: LiveCall, carried: Effect.Effect<ToolCallResponse, ToolCallError>): Effect.Effect<void> =>
    Effect.suspend(() => {
      lives.add(live)
      return carried.pipe(
        Effect.onExit((exit) => {
          lives.remove(live)
          return Effect.andThen(Deferred.done(live.begun, Exit.map(exit, () => false)), Deferred.done(live.settled, exit))
        }),
        Effect.forkIn(scope, { startImmediately: true }),
        Effect.map((fiber) => {
          live.fiber = fiber
        })
      )
    })

  const check = (live: LiveCall): Effect.Effect<CheckedCall> =>
    Effect.suspend(() => supervision.check(live.call)).pipe(
      Effect.catchDefect((defect) =>
        Effect.as(Effect.logWarning("The check of a call failed", defect), { kind: "fits", replaySafe: false } as const))
    )

  const runnerOf = (live: LiveCall): Effect.Effect<CallRunner, never, Scope.Scope> => {
    const handler = handlers.find(live.call.tool)
    return handler !== undefined
      ? Effect.succeed({ kind: "handler", handler })
      : Effect.suspend(() => tools.enter(live.call)).pipe(
        Effect.catchDefect((defect) => Effect.as(Effect.logWarning("A tool could not be entered", defect), notEntered)),
        Effect.map((entered) => {
          live.turn = entered.turn
          return { kind: "tool", entered }
        })
      )
  }

  /** Takes the call's place when those before it have theirs. Undefined: stopped before that. */
  const take = (live: LiveCall, { before, taken }: Place): Effect.Effect<CallRunner | undefined, never, Scope.Scope> =>
    live.unlessStopped(Effect.andThen(before, runnerOf(live))).pipe(
      Effect.map((runner) => runner?.value),
      Effect.ensuring(Deferred.succeed(taken, undefined))
    )

  const follow = (live: LiveCall, runner: CallRunner, verdict: Verdict): Effect.Effect<Ended, ToolCallError> =>
    verdict.kind === "ended" ? Effect.succeed(verdict.ended) : running.run(live, runner, verdict)

  const begun = Effect.fnUntraced(function*({ isReadable, live }: BegunCall, place: Place) {
    const checked = isReadable ? yield* check(live) : noObject
    if (checked.kind === "refused") {
      yield* Deferred.succeed(place.taken, undefined)
      return yield* settle(live, notBegun({ outcome: "failed", reason: checked.reason }))
    }
    const runner = yield* take(live, place)
    if (runner === undefined) return yield* settle(live, notBegun(cancelledBeforeStart))
    return yield* settle(live, yield* follow(live, runner, yield* supervising.supervise(live)))
  }, Effect.scoped)

  const carriedOn = Effect.fnUntraced(function*({ live, row }: CarriedCall, place: Place) {
    const request = suspendedOn(row)?.request
    if (request === undefined) {
      yield* Deferred.succeed(place.taken, undefined)
      return yield* abandoned.settle(live.fence, { row, arguments: row.arguments })
    }
    if (row.arguments === undefined) {
      yield* Deferred.succeed(place.taken, undefined)
      return yield* settle(live, notBegun(startUnreadable))
    }
    const runner = yield* take(live, place)
    if (runner === undefined) {
      return yield* settle(live, request.kind === "approval" ? notBegun(cancelledBeforeStart) : { end: cancelledUnanswered, begun: true })
    }
    if (request.kind === "approval") {
      return yield* settle(live, yield* follow(live, runner, yield* supervising.superviseOn(live, row)))
    }
    const ended = runner.kind === "handler"
      ? yield* running.answered(live, runner.handler, request.questions)
      : { end: noHandler, begun: true }
    return yield* settle(live, ended)
  }, Effect.scoped)

  return {
    launch,
    begin: (calls: ReadonlyArray<BegunCall>): Effect.Effect<void> => {
      for (const { live } of calls) lives.add(live)
      return Effect.forEach(inOrder(calls), ([call, place]) => launch(call.live, begun(call, place)), { discard: true })
    },
    carryOn: (calls: ReadonlyArray<CarriedCall>): Effect.Effect<void> => {
      for (const { live } of calls) lives.add(live)
      return Effect.forEach(inOrder(calls), ([call, place]) => launch(call.live, carriedOn(call, place)), { discard: true })
    }
  }
})
export type CallCarrier = Effect.Success<ReturnType<typeof makeCarrier>>
