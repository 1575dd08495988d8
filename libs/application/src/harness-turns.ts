/**
 * Drives Turns of a harness: plays one until it is settled, or until only people can go on with it.
 *
 * Owns: the order at the end of a Turn, when a Run that only awaits people rests, the wall time of a Turn.
 * Never owns: admission (turn-starts), what a harness is answered (turn-host), facts of the Turn (turn-recording).
 * Ordering: an interrupt reaches the harness before the calls, so that no request follows their end. The end of what an agent
 * may ask, then facts, then what is left of a message, then the end of every call, then the result with the Run's rest; meanwhile
 * the harness closes.
 * Limits: a Turn that rests is settled by nobody here: its harness is ended, its calls stay with the record.
 */
import type { ConversationId, StartInput, TurnId, TurnOrigin } from "@steno/contracts"
import type { AssetStore } from "@steno/asset-store"
import type { ControlReceipt, ModelChoice, PreparedHarness, TurnResult } from "@steno/harness-seam"
import { type Fence, type LedgerError, RunLedger, TurnLedger } from "@steno/ledger"
import type { SuppliedOutputs } from "@steno/process-capture"
import type { PortProblem } from "@steno/projection-port"
import { type CallTurn, type ToolCallError, ToolCallService } from "@steno/tool-call-service"
import { FileChanges } from "@steno/tool-catalog"
import { Context, DateTime, Effect, Layer, Option } from "effect"
import type { OpenedAgentCallServer } from "./agent-call-servers.ts"
import { type CountingAgentCall, countingAgentCall } from "./agent-calls.ts"
import type { HarnessAgent } from "./harnesses.ts"
import { makeHarnessRequests } from "./harness-requests.ts"
import { makeHostedItems } from "./hosted-items.ts"
import { type LiveRun, LiveRuns, type LiveTurn, type StopKind } from "./live-runs.ts"
import { offeredTools } from "./offered-tools.ts"
import { makeOutsideAgentCalls } from "./outside-agent-calls.ts"
import { makeOutsideItems } from "./outside-items.ts"
import { toPortProblem } from "./problems.ts"
import { makeSessionContext, type SessionContext } from "./session-context.ts"
import { TurnAsks } from "./turn-asks.ts"
import { makeTurnDiff } from "./turn-changes.ts"
import { makeTurnHost } from "./turn-host.ts"
import type { TurnItems } from "./turn-items.ts"
import { TurnPlaces } from "./turn-places.ts"
import { type SentSteer, TurnRecording } from "./turn-recording.ts"
import { settledTurn, stateAfterTurn } from "./turn-rules.ts"
import { settleRetry, settleWholeTurn } from "./turn-settlement.ts"

/** What an earlier start of a Turn left. */
export interface ContinuedTurn {
  /** Above every place on record. */
  readonly firstPlace: number
  /** Sent, and neither delivered nor dropped. */
  readonly steers: ReadonlyArray<SentSteer>
}

/** A Turn that is admitted, with the harness that is to play it. */
export interface HarnessTurn {
  readonly fence: Fence
  readonly conversationId: ConversationId
  readonly turnId: TurnId
  readonly session: string
  readonly origin: TurnOrigin
  readonly input: string
  /** What its Run was started with. */
  readonly start: StartInput
  readonly model?: ModelChoice
  /** Wall time. */
  readonly timeoutMs?: number
  /** Closed when the Turn is over or rests. */
  readonly prepared: PreparedHarness
  readonly agent: HarnessAgent
  /** Of the outside conversation that it was prepared to go on with. */
  readonly coordinate?: string
  readonly agentCallServer?: OpenedAgentCallServer
  readonly continues?: ContinuedTurn
}

const timedOut = "timed-out"

/** Ends the harness, and names what could not be ended with it. */
const closed = ({ prepared, turnId }: HarnessTurn): Effect.Effect<void> =>
  Effect.flatMap(prepared.close, ({ survivors }) =>
    Effect.forEach(
      survivors,
      ({ command, pid }) => Effect.logWarning(`Process ${pid} of Turn ${turnId} could not be ended: ${command}`),
      { discard: true }
    ))

/** The program of an outside agent is ended where it was to be at once, or cannot end its Turn by itself. */
const endsWithProgram = ({ agent }: HarnessTurn, kind: StopKind, receipt: ControlReceipt): boolean =>
  agent === "outside" && (kind === "forced" || (receipt.kind === "rejected" && receipt.reason !== "already-settled"))

export class HarnessTurns extends Context.Service<HarnessTurns, {
  /** Starts the drive of an admitted Turn, whose open calls are adopted where it goes on; resolves once the drive has begun. */
  readonly drive: (turn: HarnessTurn) => Effect.Effect<void>
}>()("@steno/application/HarnessTurns") {
  static readonly layerNoDeps = Layer.effect(
    HarnessTurns,
    Effect.gen(function*() {
      const ledger = yield* TurnLedger
      const runs = yield* RunLedger
      const toolCalls = yield* ToolCallService
      const liveRuns = yield* LiveRuns
      const changes = yield* FileChanges

      const outside = yield* Effect.context<RunLedger | ToolCallService | AssetStore | SuppliedOutputs>()
      const outsideItems = (...parts: Parameters<typeof makeOutsideItems>) => Effect.provide(makeOutsideItems(...parts), outside)

      const restBlocked = (fence: Fence) =>
        Effect.flatMap(DateTime.now, (now) => runs.restRun(fence, { state: "blocked", at: DateTime.formatIso(now) })).pipe(
          Effect.retry(settleRetry)
        )

      /** A Turn whose calls cannot be carried on stays as it is, for whoever takes the Run. */
      const adopt = (turn: HarnessTurn, calls: CallTurn): Effect.Effect<Effect.Effect<void, ToolCallError>, ToolCallError> =>
        turn.continues === undefined ? Effect.succeed(Effect.void) : toolCalls.adopt(calls).pipe(
          Effect.map(({ settled }) => settled),
          Effect.tapError(() => Effect.ignore(restBlocked(turn.fence)))
        )

      /** Ends the wait for a person here; `true` when the Run rests by now. */
      const letGo = Effect.fnUntraced(function*(turn: HarnessTurn, recording: TurnRecording) {
        if (!(yield* toolCalls.release(turn.turnId))) return false
        recording.close()
        yield* restBlocked(turn.fence)
        return true
      })

      /** Resolves once the Run rests because only people can go on. */
      const restsBlocked = (turn: HarnessTurn, run: LiveRun, recording: TurnRecording) =>
        toolCalls.onlyAwaits(turn.turnId).pipe(
          Effect.andThen(run.letRest(letGo(turn, recording))),
          Effect.repeat({ until: (isResting) => isResting || run.stop !== undefined }),
          Effect.flatMap((isResting) => isResting ? Effect.void : Effect.never)
        )

      const restingStateOf = Effect.fnUntraced(function*(
        { start: { agentCalls, kind }, turnId }: HarnessTurn,
        result: TurnResult["kind"],
        context: SessionContext,
        counting: CountingAgentCall | undefined
      ) {
        const agentCall = result === "completed" ? counting ?? countingAgentCall(yield* context, turnId) : undefined
        return stateAfterTurn({ kind, result, agentCalls, agentCall })
      })

      const play = Effect.fnUntraced(function*(turn: HarnessTurn, run: LiveRun): Effect.fn.Return<
        void,
        LedgerError | ToolCallError
      > {
        const { continues, conversationId, fence, prepared, start, turnId } = turn
        const calls: CallTurn = { fence, conversationId, turnId, workspace: start.workspace, approvals: start.approvals ?? "deny" }
        const recording = yield* TurnRecording.make(ledger, turn, {
          places: new TurnPlaces(continues?.firstPlace ?? 0),
          steers: continues?.steers ?? [],
          model: turn.model?.model
        })
        const context = makeSessionContext(ledger, conversationId)
        const items: TurnItems = turn.agent === "built-in"
          ? makeHostedItems(calls, toolCalls, recording)
          : yield* outsideItems(calls, recording)
        const agentCalls = yield* makeOutsideAgentCalls(start.agentCalls, recording)
        const requests = yield* makeHarnessRequests(calls.approvals, recording)
        const asks = new TurnAsks()
        const host = makeTurnHost({
          turn: calls,
          toolCalls,
          ledger,
          recording,
          requests,
          agentCalls,
          asks,
          outputSink: items.outputSink,
          context,
          tools: () => offeredTools(start.agentCalls),
          callsSettled: yield* adopt(turn, calls),
          turnDiff: makeTurnDiff({ turn: calls, toolCalls, changes, recording, context, isForced: () => run.stop === "forced" })
        })
        yield* turn.agentCallServer?.serve(host.agentCall) ?? Effect.void
        const handle = yield* prepared.startTurn({
          turnId,
          sessionName: turn.session,
          origin: turn.origin,
          input: turn.input,
          ...(turn.model === undefined ? {} : { model: turn.model }),
          ...(turn.coordinate === undefined ? {} : { coordinate: turn.coordinate }),
          ...(continues === undefined ? {} : { continues: fence.epoch })
        }, host)
        handle.subscribe((event) => {
          recording.observe(event)
          items.observe(event)
        })
        yield* Effect.forEach(continues?.steers ?? [], (steer) => recording.steer(handle, steer), { discard: true })

        const live: LiveTurn = {
          conversationId,
          turnId,
          stop: (kind) =>
            Effect.flatMap(handle.interrupt, (receipt) =>
              Effect.andThen(
                Effect.forkDetach(toolCalls.stopTurn(turnId, { force: kind === "forced" })),
                endsWithProgram(turn, kind, receipt) ? Effect.forkDetach(prepared.close) : Effect.void
              )).pipe(Effect.asVoid),
          steer: (steer) => recording.steer(handle, steer),
          answerRequest: requests.answer
        }
        yield* run.carry(live)
        if (turn.agent === "outside") yield* Effect.forkChild(Effect.andThen(recording.fenced, prepared.close))
        let reason: string | undefined
        if (turn.timeoutMs !== undefined) {
          yield* Effect.sleep(turn.timeoutMs).pipe(
            Effect.andThen(Effect.suspend(() => {
              reason = timedOut
              return liveRuns.interrupt(fence.runId, { force: false })
            })),
            Effect.forkChild
          )
        }

        const ended = yield* Effect.raceFirst(
          Effect.asSome(run.untilRest(handle.result)),
          turn.agent === "built-in"
            ? Effect.as(restsBlocked(turn, run, recording), Option.none<TurnResult>())
            : Effect.never
        )
        if (Option.isNone(ended)) {
          yield* handle.interrupt
          return
        }
        const result = ended.value
        yield* Effect.forkDetach(prepared.close, { startImmediately: true })
        yield* asks.end
        yield* recording.flushed
        const left = yield* items.leave(result)
        yield* toolCalls.stopTurn(turnId, { force: run.stop === "forced" })
        const settled = settledTurn(result, { reason, coordinate: turn.coordinate })
        yield* settleWholeTurn(
          { ledger, runs, toolCalls },
          turn,
          run.isCancelled ? { ...settled, availability: "ended" } : settled,
          run.isCancelled ? "cancelled" : yield* restingStateOf(turn, result.kind, context, agentCalls.counting()),
          left
        )
      })

      const drive = Effect.fn("HarnessTurns.drive")((turn: HarnessTurn) =>
        liveRuns.launch(turn.fence, (run): Effect.Effect<void, LedgerError | PortProblem> =>
          play(turn, run).pipe(
            Effect.ensuring(closed(turn)),
            Effect.mapError((error) => error._tag === "ToolCallError" ? toPortProblem(error, "unknown") : error)
          ))
      )

      return HarnessTurns.of({ drive })
    })
  )
}
