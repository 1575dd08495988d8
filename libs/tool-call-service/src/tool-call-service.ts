/**
 * Admits, runs, cancels, settles and recovers tool calls.
 *
 * Owns: every legal change of a tool call; nobody else settles one.
 * Never owns: running the tool (HostTools), result bytes and projections (ResultPreparation), storage (ledger).
 * Ordering: the row with its claim is durable before the tool starts; the response is durable before anybody is told the end.
 * Limits: the event loop turns between a commit and a spawn, so that their blocks do not add up.
 */
import {
  type CallId,
  type ConversationId,
  type Instant,
  IdMinter,
  processLimits,
  type QuietCall,
  type Supervision,
  type ToolCallResponse,
  type TurnId
} from "@steno/contracts"
import { CallLedger, type Fence, type LedgerError } from "@steno/ledger/calls"
import { Context, DateTime, Deferred, Effect, Equal, Layer, PubSub, Schedule, Stream } from "effect"
import { carryOver, decideAbandoned, type DecidedEnd, decideEnd, directCommandPath, stopNotConfirmed } from "./call-rules.ts"
import { buildResponse } from "./call-response.ts"
import { CallHandlers } from "./call-handlers.ts"
import type {
  AbandonedCall,
  AdmittedCall,
  AdmittedStep,
  AdoptedTurn,
  AnswerOutcome,
  CallAnswer,
  CallLimits,
  CallTurn,
  DirectCommand,
  MessageToPropose,
  OpenCallResponse
} from "./call-requests.ts"
import { CallSpace } from "./call-space.ts"
import { CallSupervision } from "./call-supervision.ts"
import { mintClaim } from "./claim.ts"
import { type HostCall, HostTools, type RunningTool, type ToolEnd } from "./host-tools.ts"
import { type EndedCall, ResultPreparation } from "./result-preparation.ts"
import { CallNotAdmitted, CallNotSettled, ToolCallError } from "./tool-call-errors.ts"

interface LiveCall {
  readonly conversationId: ConversationId
  readonly stopAsked: Deferred.Deferred<void>
  stop: "none" | "graceful" | "forced"
  running: RunningTool | undefined
}

const nowInstant: Effect.Effect<Instant> = Effect.map(DateTime.now, DateTime.formatIso)

/** A write that other processes or the disk refused for now is worth repeating for a few seconds. */
const settleRetry = { schedule: Schedule.spaced("500 millis"), times: 10 }

/** Of a listener that is slow, only so many quiet calls wait. */
const rememberedQuiets = 16

const typedByUser: Supervision = { decision: "allow", by: "user" }

export class ToolCallService extends Context.Service<ToolCallService, {
  /**
   * Whether a Session has room for a new call; each call asks it for itself before it begins. Fails with `StorageLow`,
   * `SpaceNotMeasured` or, when the record cannot be read, `CallNotAdmitted`. What runs, runs on.
   */
  readonly checkSpace: (conversationId: ConversationId) => Effect.Effect<void, ToolCallError>
  /**
   * Judges a shell command that a person typed, admits it and starts it; resolves once it is admitted. One that is denied is
   * admitted too and settles `denied`; nothing starts then. Supervision, readiness and claim are one commit. Fails as
   * `checkSpace` does, or with `PolicyUnusable`, `CallNotJudged` or `CallNotAdmitted`; nothing ran then.
   */
  readonly runDirectCommand: (command: DirectCommand) => Effect.Effect<AdmittedCall, ToolCallError>
  /**
   * Stores a model's message with its calls and sets these going; resolves at that commit. Idempotent on the message's item id
   * in its Turn: calls that are settled or live here are not begun again. Fails with `CallNotAdmitted`; nothing was stored then.
   */
  readonly propose: (turn: CallTurn & { readonly proposal: MessageToPropose }) => Effect.Effect<AdmittedStep, ToolCallError>
  /**
   * Answers what a call of the Run awaits: stored first, then acted on, by this process when it carries the call, else by
   * whoever adopts its Turn. Resolves once it is stored or refused. Fails with `CallNotSettled`; it may be given again then.
   */
  readonly answer: (
    fence: Fence,
    answer: { readonly callId: CallId; readonly resolution: CallAnswer }
  ) => Effect.Effect<AnswerOutcome, ToolCallError>
  /**
   * Carries on the open calls of a Turn that another owner left, or this one released: those that await a person await it
   * here, an answer that is stored is acted on, once. Calls that never began settle `cancelled`, those that ran `indeterminate`.
   * Calls that are live here already are joined. Fails with `CallNotSettled` when the rows cannot be read.
   */
  readonly adopt: (turn: CallTurn) => Effect.Effect<AdoptedTurn, ToolCallError>
  /** Resolves when at least one call of the Turn is open here and every open one awaits a person who has not answered. */
  readonly onlyAwaits: (turnId: TurnId) => Effect.Effect<void>
  /**
   * Lets go of the Turn's calls without writing; their `settled` then fails with `CallReleased`. `false`, and nothing is let
   * go, when one of them no longer only awaits a person.
   */
  readonly release: (turnId: TurnId) => Effect.Effect<boolean>
  /**
   * Ends every open call of the Turn, and those that it may still propose; resolves when all that are open are settled, within
   * about 4 s, or could not be.
   */
  readonly stopTurn: (turnId: TurnId, options: { readonly force: boolean }) => Effect.Effect<void>
  /**
   * Asks a call that is live here to end. Resolves at once; the call's `settled` tells the outcome within about 4 s: `cancelled`
   * when it had not begun or everything is confirmed gone, else `indeterminate`. Unknown or settled calls: no effect.
   */
  readonly cancel: (callId: CallId, options: { readonly force: boolean }) => Effect.Effect<void>
  /** Live: calls that run here and have printed nothing for 30 s, once per silence; told to whoever listens then. Never ends. */
  readonly quietCalls: Stream.Stream<QuietCall>
  /** Ends what a dead owner left running and prepares the responses of these calls, for the commit that settles their Turn. Nothing is written. */
  readonly prepareAbandoned: (calls: ReadonlyArray<AbandonedCall>) => Effect.Effect<ReadonlyArray<OpenCallResponse>>
  /**
   * The same, but settles them, for a Turn that is kept because others of its calls await a person. Calls that are settled by
   * now are skipped. Fails with `CallNotSettled`.
   */
  readonly settleAbandoned: (fence: Fence, calls: ReadonlyArray<AbandonedCall>) => Effect.Effect<void, ToolCallError>
}>()("@steno/tool-call-service/ToolCallService") {
  static readonly layerNoDeps = (_limits: CallLimits = {}) => Layer.effect(
    ToolCallService,
    Effect.gen(function*() {
      const supervision = yield* CallSupervision
      yield* CallHandlers
      const ledger = yield* CallLedger
      const tools = yield* HostTools
      const preparation = yield* ResultPreparation
      const space = yield* CallSpace
      const ids = yield* IdMinter
      const scope = yield* Effect.scope
      const live = new Map<CallId, LiveCall>()
      const quietCalls = yield* PubSub.sliding<QuietCall>(rememberedQuiets)

      /** Result preparation never keeps a call from settling: without it the response goes without files. */
      const prepare = (...[call, result]: Parameters<typeof preparation.prepare>) =>
        preparation.prepare(call, result).pipe(
          Effect.map((prepared) => ({ prepared, warnings: result.warnings })),
          Effect.catchCause((cause) =>
            Effect.logDebug("Result not prepared", cause).pipe(Effect.as({
              prepared: undefined,
              warnings: [...result.warnings, {
                code: "result-not-prepared",
                text: "The result could not be prepared for display; the captured files are where they were written."
              }]
            }))
          )
        )

      const settle = Effect.fnUntraced(function*(
        call: HostCall,
        fence: Fence,
        claim: string,
        startedAt: Instant,
        end: DecidedEnd,
        tool: ToolEnd | undefined
      ) {
        const process = tool?.kind === "process" ? tool : undefined
        const survivors = process?.survivors ?? []
        const durationMs = tool?.durationMs
        const { prepared, warnings } = yield* prepare(call, {
          end,
          begun: true,
          ...(process === undefined ? {} : { captured: process.captured }),
          ...(tool?.kind === "result" ? { value: tool.value } : {}),
          supervision: typedByUser,
          survivors,
          warnings: process?.captured.warnings ?? [],
          ...(durationMs === undefined ? {} : { durationMs })
        })
        const response = buildResponse({
          call,
          end,
          startedAt,
          durationMs,
          survivors,
          supervision: typedByUser,
          interactions: undefined,
          captured: process?.captured,
          prepared,
          warnings
        })
        yield* ledger.settleToolCall(fence, {
          callId: call.callId,
          from: { state: "running", claim },
          response,
          assets: prepared?.assets ?? [],
          at: yield* nowInstant
        }).pipe(
          Effect.retry({ ...settleRetry, while: (error) => error.isRetryable }),
          Effect.catch((error) => error.reason._tag === "Conflict" ? adopt(call, response, error) : Effect.fail(error)),
          Effect.mapError((cause) => new ToolCallError({ reason: new CallNotSettled({ callId: call.callId, cause }) }))
        )
        return response
      })

      /**
       * A commit may report a failure and be durable all the same; the repeated settlement then finds the row gone. Still
       * owned by our epoch, the call is settled as asked when the response on record is this very one.
       */
      const adopt = Effect.fnUntraced(function*(call: HostCall, response: ToolCallResponse, conflict: LedgerError) {
        const stored = yield* ledger.storedResponse(call.callId)
        if (!Equal.equals(stored?.payload, response)) return yield* conflict
      })

      /** The tool's end, or undefined when a stopped tool still gave no answer after the time a cancel may take. An end of its own is waited for. */
      const awaitEnd = (running: RunningTool, liveCall: LiveCall): Effect.Effect<ToolEnd | undefined> =>
        Effect.raceFirst(
          running.ended,
          Deferred.await(liveCall.stopAsked).pipe(
            Effect.andThen(Effect.sleep(processLimits.cancelConfirmMs + processLimits.pipeHoldMs)),
            Effect.andThen(Effect.suspend(() => running.endedByItself() ? Effect.never : Effect.undefined))
          )
        )

      const execute = Effect.fnUntraced(function*(
        call: HostCall,
        fence: Fence,
        claim: string,
        startedAt: Instant,
        liveCall: LiveCall
      ) {
        yield* Effect.yieldNow
        const entered = yield* tools.enter(call)
        const started = yield* Effect.result(entered.start({}))
        if (started._tag === "Failure") {
          const reason = { code: started.failure.code, text: started.failure.explanation }
          return yield* settle(call, fence, claim, startedAt, { outcome: "failed", reason }, undefined)
        }
        const running = started.success
        liveCall.running = running
        if (liveCall.stop !== "none") yield* running.stop({ grace: liveCall.stop === "graceful" })
        yield* Effect.yieldNow
        if (running.process !== undefined) {
          yield* ledger.recordProcess(fence, { callId: call.callId, claim, process: running.process, at: yield* nowInstant }).pipe(
            Effect.catch((error) =>
              error.isRetryable
                ? Effect.logDebug("Process identity not recorded", error)
                : Effect.andThen(
                  running.stop({ grace: false }),
                  new ToolCallError({ reason: new CallNotSettled({ callId: call.callId, cause: error }) })
                )
            )
          )
        }
        yield* Effect.forkChild(
          Stream.runForEach(running.quiet, (quiet) =>
            PubSub.publish(quietCalls, { ...quiet, runId: fence.runId, callId: call.callId }))
        )
        const tool = yield* awaitEnd(running, liveCall)
        const end = tool === undefined ? stopNotConfirmed : decideEnd(tool, liveCall.stop !== "none")
        return yield* settle(call, fence, claim, startedAt, end, tool)
      }, Effect.scoped)

      /** Files of calls that run count by what they hold so far; those of settled ones by their rows. */
      const checkSpace = Effect.fn("ToolCallService.checkSpace")(function*(conversationId: ConversationId) {
        const running = [...live.values()].filter((call) => call.conversationId === conversationId)
        const growing = running.reduce((sum, call) => sum + (call.running?.storedBytes() ?? 0), 0)
        const stored = yield* ledger.storedBytes(conversationId).pipe(Effect.mapError((cause) => new CallNotAdmitted({ cause })))
        yield* space.check({ conversationId, usedBytes: stored + growing })
      }, Effect.mapError((reason) => new ToolCallError({ reason })))

      const runDirectCommand = Effect.fn("ToolCallService.runDirectCommand")(function*(command: DirectCommand) {
        yield* checkSpace(command.conversationId)
        yield* supervision.judgeDirectCommand({ ...command.arguments, workspace: command.workspace }).pipe(
          Effect.mapError((reason) => new ToolCallError({ reason }))
        )
        const callId = yield* ids.mint("call")
        const claim = yield* mintClaim(command.fence.epoch)
        const at = yield* nowInstant
        // The path is a constant of ours: an illegal step in it is a defect.
        const state = yield* Effect.orDie(Effect.fromResult(carryOver(...directCommandPath)))
        const call: HostCall = {
          callId,
          runId: command.fence.runId,
          conversationId: command.conversationId,
          turnId: command.turnId,
          tool: "bash",
          origin: "user",
          workspace: command.workspace,
          arguments: command.arguments
        }
        yield* ledger.createToolCalls(command.fence, [{
          conversationId: command.conversationId,
          turnId: command.turnId,
          itemId: callId,
          firstSeen: 0,
          started: { callId, origin: "user", tool: call.tool, arguments: command.arguments },
          state,
          supervision: typedByUser,
          claim,
          at
        }]).pipe(Effect.mapError((cause) => new ToolCallError({ reason: new CallNotAdmitted({ cause }) })))
        const settled = yield* Deferred.make<ToolCallResponse, ToolCallError>()
        const { conversationId } = command
        const liveCall: LiveCall = { conversationId, stopAsked: yield* Deferred.make<void>(), stop: "none", running: undefined }
        live.set(callId, liveCall)
        yield* execute(call, command.fence, claim, at, liveCall).pipe(
          Effect.onExit((exit) => {
            live.delete(callId)
            return Deferred.done(settled, exit)
          }),
          Effect.forkIn(scope, { startImmediately: true })
        )
        return { callId, settled: Deferred.await(settled) }
      })

      const cancel = Effect.fn("ToolCallService.cancel")(function*(callId: CallId, options: { readonly force: boolean }) {
        const liveCall = live.get(callId)
        if (liveCall === undefined) return
        liveCall.stop = options.force || liveCall.stop === "forced" ? "forced" : "graceful"
        yield* Deferred.succeed(liveCall.stopAsked, undefined)
        if (liveCall.running !== undefined) yield* liveCall.running.stop({ grace: !options.force })
      })

      const prepareAbandoned = Effect.fn("ToolCallService.prepareAbandoned")(function*(calls: ReadonlyArray<AbandonedCall>) {
        return yield* Effect.forEach(calls, abandonedResponse)
      })

      const abandonedResponse = Effect.fnUntraced(function*({ arguments: args, row }: AbandonedCall) {
        const call: EndedCall = {
          callId: row.callId,
          runId: row.runId,
          conversationId: row.conversationId,
          turnId: row.turnId,
          tool: row.tool,
          origin: row.origin,
          ...(args === undefined ? {} : { arguments: args })
        }
        const end = decideAbandoned(row.state)
        const common = { call, end, startedAt: row.startedAt, durationMs: undefined, supervision: row.supervision, interactions: row.interactions }
        if (row.state !== "running") {
          const response = buildResponse({ ...common, survivors: [], captured: undefined, prepared: undefined, warnings: [] })
          return { response, assets: [] }
        }
        const recovered = yield* Effect.result(
          tools.recover({ callId: row.callId, conversationId: row.conversationId, process: row.process })
        )
        if (recovered._tag === "Failure") {
          const warning = { code: "output-not-recovered", text: recovered.failure.explanation }
          const response = buildResponse({ ...common, survivors: [], captured: undefined, prepared: undefined, warnings: [warning] })
          return { response, assets: [] }
        }
        const { captured, ended, left } = recovered.success
        const orphans = ended.map((orphan) => ({
          code: "orphan-ended",
          text: `Process ${orphan.pid} was still running and was ended: ${orphan.command}`
        }))
        const { prepared, warnings } = yield* prepare(call, {
          end,
          begun: true,
          captured,
          survivors: left,
          warnings: [...captured.warnings, ...orphans]
        })
        const response = buildResponse({
          ...common,
          survivors: left,
          captured,
          prepared,
          warnings
        })
        return { response, assets: prepared?.assets ?? [] }
      })

      return ToolCallService.of({
        checkSpace,
        runDirectCommand,
        propose: () => Effect.die("later"),
        answer: () => Effect.die("later"),
        adopt: () => Effect.die("later"),
        onlyAwaits: () => Effect.never,
        release: () => Effect.succeed(false),
        stopTurn: () => Effect.void,
        settleAbandoned: () => Effect.void,
        cancel,
        quietCalls: Stream.fromPubSub(quietCalls),
        prepareAbandoned
      })
    })
  )
}
