/**
 * The Runs that are live in this process.
 *
 * Owns: which they are, how a control reaches the Turn of one, that whoever waits for rest is told.
 * Never owns: what a Turn does (command-turns, harness-turns), storage (ledger).
 * Ordering: a control and the decision to rest take turns: after a Run was put to rest no control of it is taken here.
 * Limits: drives are detached from the scope of this service; closing it ends their Turns and waits until they rest.
 */
import type { ConversationId, QuietCall, RunId, SteerId, TurnId } from "@steno/contracts"
import type { ControlReceipt } from "@steno/harness-seam"
import type { Fence, LedgerError } from "@steno/ledger"
import type { PortProblem } from "@steno/projection-port"
import { ToolCallService } from "@steno/tool-call-service"
import { Context, Deferred, Effect, Exit, Layer, Semaphore, Stream, SubscriptionRef } from "effect"
import type { HarnessRequests } from "./harness-requests.ts"
import { defectsToProblem, toPortProblem } from "./problems.ts"

export type StopKind = "graceful" | "forced"

/** A Turn at work, as controls reach it. */
export interface LiveTurn {
  readonly conversationId: ConversationId
  readonly turnId: TurnId
  /** Asks it to end; repeatable. */
  readonly stop: (kind: StopKind) => Effect.Effect<void>
  /** Absent for a direct command. */
  readonly steer?: (steer: { readonly steerId: SteerId; readonly text: string }) => Effect.Effect<ControlReceipt, LedgerError>
  /** Absent for a direct command. */
  readonly answerRequest?: HarnessRequests["answer"]
}

export interface LiveRun {
  readonly fence: Fence
  /** What was asked so far; a Turn that begins later looks here. */
  readonly stop: StopKind | undefined
  readonly isCancelled: boolean
  /** Names the Turn at work. A stop that was asked for before reaches it now. */
  readonly carry: (turn: LiveTurn) => Effect.Effect<void>
  /**
   * Lets the Run rest if `rest` says so: nobody controls it in between, and nobody after a `true`. Answers `false` without
   * asking when a stop was asked for.
   */
  readonly letRest: <E>(rest: Effect.Effect<boolean, E>) => Effect.Effect<boolean, E>
  /** As `ended`, unless the Run was put to rest meanwhile: then never. */
  readonly untilRest: <A, E>(ended: Effect.Effect<A, E>) => Effect.Effect<A, E>
}

interface Entry extends LiveRun {
  stop: StopKind | undefined
  isCancelled: boolean
  turn: LiveTurn | undefined
  isResting: boolean
  readonly controls: Semaphore.Semaphore
  readonly rested: Deferred.Deferred<void, PortProblem>
}

export class LiveRuns extends Context.Service<LiveRuns, {
  /** Begins the drive of a Run that this process owns; resolves at once. `drive` ends when the Run rests. */
  readonly launch: (fence: Fence, drive: (run: LiveRun) => Effect.Effect<void, LedgerError | PortProblem>) => Effect.Effect<void>
  /** Resolves when a Run that is live here rests; `undefined` for any other Run. Fails with the Problem that ended its drive, also when asked later. */
  readonly rested: (runId: RunId) => Effect.Effect<void, PortProblem> | undefined
  /** Asks a Run that is live here to end its Turn; `false` for any other Run. Repeatable; `force` skips the grace. */
  readonly interrupt: (runId: RunId, options: { readonly force: boolean }) => Effect.Effect<boolean>
  /** As `interrupt`, but the Run then rests `cancelled`, which is final. */
  readonly cancel: (runId: RunId) => Effect.Effect<boolean>
  /** Does something to the Turn of a Run that is live here; `undefined`, and nothing done, for any other Run. */
  readonly control: <A, E>(
    runId: RunId,
    act: (turn: LiveTurn | undefined, fence: Fence) => Effect.Effect<A, E>
  ) => Effect.Effect<A | undefined, E>
  /** Live: calls of a Run that is live here and have printed nothing for 30 s, once per silence; nothing for any other Run. Never ends. */
  readonly quietCalls: (runId: RunId) => Stream.Stream<QuietCall>
  readonly all: Effect.Effect<ReadonlyArray<RunId>>
  /** How many Runs are live here: now, and whenever one begins or rests. */
  readonly count: Stream.Stream<number>
}>()("@steno/application/LiveRuns") {
  static readonly layerNoDeps = Layer.effect(
    LiveRuns,
    Effect.gen(function*() {
      const toolCalls = yield* ToolCallService
      const live = new Map<RunId, Entry>()
      const count = yield* SubscriptionRef.make(0)

      const makeEntry = (fence: Fence): Entry => {
        const controls = Semaphore.makeUnsafe(1)
        const entry: Entry = {
          fence,
          stop: undefined,
          isCancelled: false,
          turn: undefined,
          isResting: false,
          controls,
          rested: Deferred.makeUnsafe(),
          carry: (turn) =>
            controls.withPermit(Effect.suspend(() => {
              entry.turn = turn
              return entry.stop === undefined ? Effect.void : turn.stop(entry.stop)
            })),
          letRest: (rest) =>
            Effect.uninterruptible(controls.withPermit(Effect.suspend(() =>
              entry.stop !== undefined ? Effect.succeed(false) : Effect.tap(rest, (isResting) =>
                Effect.sync(() => {
                  entry.isResting = isResting
                }))
            ))),
          untilRest: (ended) =>
            Effect.flatMap(ended, (value) =>
              Effect.flatMap(
                controls.withPermit(Effect.sync(() => entry.isResting)),
                (isResting) => isResting ? Effect.never : Effect.succeed(value)
              ))
        }
        return entry
      }

      const launch = Effect.fn("LiveRuns.launch")(function*(
        fence: Fence,
        drive: (run: LiveRun) => Effect.Effect<void, LedgerError | PortProblem>
      ) {
        const entry = makeEntry(fence)
        live.set(fence.runId, entry)
        yield* SubscriptionRef.set(count, live.size)
        yield* drive(entry).pipe(
          Effect.mapError((error) => error._tag === "PortProblem" ? error : toPortProblem(error, "unknown")),
          defectsToProblem,
          Effect.onExit((exit) => {
            if (Exit.isSuccess(exit) && live.get(fence.runId) === entry) live.delete(fence.runId)
            return Effect.andThen(Deferred.done(entry.rested, exit), SubscriptionRef.set(count, live.size))
          }),
          Effect.forkDetach({ startImmediately: true })
        )
      })

      const rested = (runId: RunId) => {
        const entry = live.get(runId)
        return entry && Deferred.await(entry.rested)
      }

      const whileLive = <A, E>(runId: RunId, act: (entry: Entry) => Effect.Effect<A, E>): Effect.Effect<A | undefined, E> =>
        Effect.suspend(() => {
          const entry = live.get(runId)
          if (entry === undefined) return Effect.undefined
          return entry.controls.withPermit(Effect.suspend((): Effect.Effect<A | undefined, E> =>
            entry.isResting || live.get(runId) !== entry ? Effect.undefined : act(entry)
          ))
        })

      const stop = (runId: RunId, options: { readonly force: boolean; readonly cancel: boolean }) =>
        whileLive(runId, (entry) => {
          entry.stop = options.force || entry.stop === "forced" ? "forced" : "graceful"
          entry.isCancelled ||= options.cancel
          return Effect.as(entry.turn === undefined ? Effect.void : entry.turn.stop(entry.stop), true)
        }).pipe(Effect.map((done) => done === true))

      yield* Effect.addFinalizer(() =>
        Effect.forEach([...live.keys()], (runId) => {
          const rest = rested(runId)
          return Effect.andThen(stop(runId, { force: true, cancel: false }), rest === undefined ? Effect.void : Effect.ignore(rest))
        }, { concurrency: "unbounded", discard: true })
      )

      return LiveRuns.of({
        launch,
        rested,
        interrupt: Effect.fn("LiveRuns.interrupt")((runId: RunId, { force }: { readonly force: boolean }) =>
          stop(runId, { force, cancel: false })),
        cancel: Effect.fn("LiveRuns.cancel")((runId: RunId) => stop(runId, { force: false, cancel: true })),
        control: (runId, act) => whileLive(runId, ({ fence, turn }) => act(turn, fence)),
        quietCalls: (runId) => Stream.filter(toolCalls.quietCalls, (call) => call.runId === runId),
        all: Effect.sync(() => [...live.keys()]),
        count: SubscriptionRef.changes(count)
      })
    })
  )
}
