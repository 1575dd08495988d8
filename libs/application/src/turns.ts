/**
 * Drives the Turns of Runs that are live in this process.
 *
 * Owns: which Runs are live here, their drive to rest, their interruption.
 * Never owns: calls (tool-call-service), storage (ledger).
 * Ordering: a Turn settles after its call's response is durable; whoever waits for rest is told after that commit.
 */
import type { CallId, ConversationId, QuietCall, RunId, RunState, TurnId, TurnSettled } from "@steno/contracts"
import { type Fence, type LedgerError, TurnLedger } from "@steno/ledger"
import type { PortProblem } from "@steno/projection-port"
import { ToolCallService } from "@steno/tool-call-service"
import { Context, DateTime, Deferred, Effect, Exit, Layer, Schedule, Stream, SubscriptionRef } from "effect"
import { defectsToProblem, toPortProblem } from "./problems.ts"
import { directCommandTurnResult, restingState } from "./turn-rules.ts"

export interface CommandTurn {
  readonly fence: Fence
  readonly conversationId: ConversationId
  readonly turnId: TurnId
  readonly command: string
  /** Absolute. */
  readonly cwd: string
  /** The Run's Workspace, absolute. */
  readonly workspace: string
  readonly timeoutMs?: number
}

interface LiveRun {
  readonly rested: Deferred.Deferred<void, PortProblem>
  interrupt: "none" | "graceful" | "forced"
  isCancelled: boolean
  callId: CallId | undefined
}

const settleRetry = { schedule: Schedule.spaced("500 millis"), times: 10 }

export class Turns extends Context.Service<Turns, {
  /** Starts the drive of an admitted Turn whose only item is a direct command; resolves once the drive has begun. */
  readonly driveCommand: (turn: CommandTurn) => Effect.Effect<void>
  /** Resolves when a Run that is live here rests; `undefined` for any other Run. Fails with the Problem that ended its drive, also when asked later. */
  readonly rested: (runId: RunId) => Effect.Effect<void, PortProblem> | undefined
  /** Asks a Run that is live here to end its Turn; `false` for any other Run. Repeatable; `force` skips the grace. */
  readonly interrupt: (runId: RunId, options: { readonly force: boolean }) => Effect.Effect<boolean>
  /** As `interrupt`, but the Run then rests `cancelled`, which is final. */
  readonly cancel: (runId: RunId) => Effect.Effect<boolean>
  /** Live: calls of a Run that is live here and have printed nothing for 30 s, once per silence; nothing for any other Run. Never ends. */
  readonly quietCalls: (runId: RunId) => Stream.Stream<QuietCall>
  /** Runs that are live here. */
  readonly live: Effect.Effect<ReadonlyArray<RunId>>
  /** Whether any Run is live here: now, and at every change. */
  readonly isAnyLive: Stream.Stream<boolean>
}>()("@steno/application/Turns") {
  static readonly layerNoDeps = Layer.effect(
    Turns,
    Effect.gen(function*() {
      const ledger = yield* TurnLedger
      const toolCalls = yield* ToolCallService
      const live = new Map<RunId, LiveRun>()
      const isAnyLive = yield* SubscriptionRef.make(false)

      const settle = (turn: CommandTurn, settled: TurnSettled, rest: RunState) =>
        Effect.flatMap(DateTime.now, (now) =>
          ledger.settleTurn(turn.fence, {
            conversationId: turn.conversationId,
            turnId: turn.turnId,
            settled,
            responses: [],
            rest,
            at: DateTime.formatIso(now)
          })).pipe(Effect.retry({ ...settleRetry, while: (error: LedgerError) => error.isRetryable }))

      /** Nothing ran; where even that cannot be stored, the next open of the home settles the Turn. */
      const settleNotStarted = (turn: CommandTurn) =>
        Effect.ignore(settle(turn, { result: "not-started", availability: "open" }, restingState("not-started")))

      const drive = Effect.fnUntraced(function*(turn: CommandTurn, run: LiveRun) {
        const call = yield* toolCalls.runDirectCommand({
          fence: turn.fence,
          conversationId: turn.conversationId,
          turnId: turn.turnId,
          workspace: turn.workspace,
          arguments: {
            command: turn.command,
            cwd: turn.cwd,
            ...(turn.timeoutMs === undefined ? {} : { timeoutMs: turn.timeoutMs })
          }
        }).pipe(
          Effect.tapError(() => settleNotStarted(turn)),
          Effect.mapError((error) => toPortProblem(error, "partial"))
        )
        run.callId = call.callId
        if (run.interrupt !== "none") yield* toolCalls.cancel(call.callId, { force: run.interrupt === "forced" })
        const response = yield* call.settled
        const result = directCommandTurnResult(response)
        const reason = response.reason === undefined ? {} : { detail: response.reason.code }
        yield* settle(
          turn,
          { result, ...reason, availability: run.isCancelled ? "ended" : "open" },
          run.isCancelled ? "cancelled" : restingState(result)
        )
      })

      const driveCommand = Effect.fn("Turns.driveCommand")(function*(turn: CommandTurn) {
        const run: LiveRun = { rested: yield* Deferred.make<void, PortProblem>(), interrupt: "none", isCancelled: false, callId: undefined }
        live.set(turn.fence.runId, run)
        yield* SubscriptionRef.set(isAnyLive, true)
        yield* drive(turn, run).pipe(
          Effect.mapError((error) => error._tag === "PortProblem" ? error : toPortProblem(error, "unknown")),
          defectsToProblem,
          Effect.onExit((exit) => {
            if (Exit.isSuccess(exit)) live.delete(turn.fence.runId)
            return Effect.andThen(Deferred.done(run.rested, exit), SubscriptionRef.set(isAnyLive, live.size > 0))
          }),
          Effect.forkDetach({ startImmediately: true })
        )
      })

      const rested = (runId: RunId) => {
        const run = live.get(runId)
        return run === undefined ? undefined : Deferred.await(run.rested)
      }

      const interrupt = Effect.fn("Turns.interrupt")(function*(runId: RunId, options: { readonly force: boolean }) {
        const run = live.get(runId)
        if (run === undefined) return false
        run.interrupt = options.force || run.interrupt === "forced" ? "forced" : "graceful"
        if (run.callId !== undefined) yield* toolCalls.cancel(run.callId, options)
        return true
      })

      const cancel = Effect.fn("Turns.cancel")(function*(runId: RunId) {
        const run = live.get(runId)
        if (run === undefined) return false
        run.isCancelled = true
        return yield* interrupt(runId, { force: false })
      })

      /** Drives are detached from this scope: whoever closes it has them end their commands and settle first. */
      yield* Effect.addFinalizer(() =>
        Effect.forEach([...live.keys()], (runId) => {
          const rest = rested(runId)
          return Effect.andThen(interrupt(runId, { force: true }), rest === undefined ? Effect.void : Effect.ignore(rest))
        }, { concurrency: "unbounded", discard: true })
      )

      return Turns.of({
        driveCommand,
        rested,
        interrupt,
        cancel,
        quietCalls: (runId) => Stream.filter(toolCalls.quietCalls, (call) => call.runId === runId),
        live: Effect.sync(() => [...live.keys()]),
        isAnyLive: Stream.changes(SubscriptionRef.changes(isAnyLive))
      })
    })
  )
}
