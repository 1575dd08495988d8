/**
 * Admits, supervises, runs, suspends, cancels, settles and recovers tool calls.
 *
 * Owns: every legal change of a tool call; nobody else settles one.
 * Never owns: running the tool (HostTools), decisions (CallSupervision), result bytes and projections (ResultPreparation),
 * storage (ledger).
 * Ordering: the row with its claim is durable before the tool starts; an answer before it is acted on; the response before
 * anybody is told the end.
 */
import { type CallId, type ConversationId, type QuietCall, type ToolCallResponse, toolCallLimits, type TurnId } from "@steno/contracts"
import { CallLedger, type Fence } from "@steno/ledger/calls"
import { Context, Deferred, Effect, Fiber, Layer, PubSub, Stream } from "effect"
import { makeAbandonedCalls } from "./abandoned-calls.ts"
import { makeAnswering } from "./answering-calls.ts"
import type {
  AbandonedCall,
  AdmittedCall,
  AdmittedStep,
  AdoptedTurn,
  AnswerOutcome,
  CallAnswer,
  CallLimits,
  CallTurn,
  ClientCall,
  DirectCommand,
  ExecutedCall,
  MessageToPropose,
  ObservedEnd,
  ObservedStart,
  OpenCallResponse
} from "./call-requests.ts"
import { CallSlots } from "./call-slots.ts"
import { CallSpace } from "./call-space.ts"
import { makeCarrier } from "./carrying-calls.ts"
import { makeDirectCommands } from "./direct-commands.ts"
import { type LiveCall, LiveCalls } from "./live-calls.ts"
import { makeModelSteps } from "./model-steps.ts"
import { makeOutsideCalls } from "./outside-calls.ts"
import { makeRunning } from "./running-calls.ts"
import { makeSessionRules } from "./session-rules.ts"
import { makeSettlement } from "./settling-calls.ts"
import { makeSupervising } from "./supervising-calls.ts"
import { CallNotAdmitted, ToolCallError } from "./tool-call-errors.ts"

/** Of a listener that is slow, only so many quiet calls wait. */
const rememberedQuiets = 16

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
   * Runs a tool that an outside agent asks its client for, as a call of origin `client`: supervised, claimed and settled like
   * one of a model. Idempotent on the item id in its Turn: a second delivery gets the same call, and nothing runs twice.
   * Resolves when the start is stored; fails with `CallNotAdmitted`, nothing ran then.
   */
  readonly execute: (turn: CallTurn, call: ClientCall) => Effect.Effect<ExecutedCall, ToolCallError>
  /** Records the start of a call that an outside agent runs itself. Idempotent on the item id in its Turn. Fails with `CallNotAdmitted`. */
  readonly observeStart: (
    turn: Pick<CallTurn, "fence" | "conversationId" | "turnId">,
    start: ObservedStart
  ) => Effect.Effect<CallId, ToolCallError>
  /**
   * Records the end of an observed call, as it is reported; output is kept to its last 30,000 units. Idempotent: the end that was
   * stored first is answered. One that is open when its Turn ends gets its response from `prepareAbandoned`. Fails with
   * `CallNotSettled`, also for a call of which no start is stored.
   */
  readonly observeEnd: (
    turn: Pick<CallTurn, "fence" | "conversationId" | "turnId">,
    end: ObservedEnd
  ) => Effect.Effect<ToolCallResponse, ToolCallError>
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
  /**
   * Resolves when at least one call of the Turn that is open here awaits a person who has not answered, and every other one does,
   * too, or is allowed and only waits for a call before it at its files.
   */
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
  /** @param limits out of range: the default */
  static readonly layerNoDeps = (limits: CallLimits = {}) => Layer.effect(ToolCallService, makeToolCallService(limits))
}

const makeToolCallService = Effect.fnUntraced(function*({ maxCalls = toolCallLimits.runningAtOnce }: CallLimits) {
  const ledger = yield* CallLedger
  const space = yield* CallSpace
  const scope = yield* Effect.scope
  const lives = new LiveCalls()
  const quietCalls = yield* PubSub.sliding<QuietCall>(rememberedQuiets)

  /** Files of calls that run count by what they hold so far; those of settled ones by their rows. */
  const room = Effect.fnUntraced(function*(conversationId: ConversationId) {
    const growing = lives.ofSession(conversationId).reduce((sum, { running }) => sum + (running?.storedBytes() ?? 0), 0)
    const stored = yield* ledger.storedBytes(conversationId).pipe(Effect.mapError((cause) => new CallNotAdmitted({ cause })))
    yield* space.check({ conversationId, usedBytes: stored + growing })
  })

  const checkSpace = Effect.fn("ToolCallService.checkSpace")(room, Effect.mapError((reason) => new ToolCallError({ reason })))

  const checkRoom = ({ call }: LiveCall) =>
    Effect.match(room(call.conversationId), {
      onSuccess: () => undefined,
      onFailure: ({ _tag, message }) => ({ code: _tag === "StorageLow" ? "storage-low" : "storage-failed", text: message })
    })

  const settle = yield* makeSettlement
  const abandoned = yield* makeAbandonedCalls
  const sessionRules = yield* makeSessionRules
  const answering = yield* makeAnswering(lives, sessionRules)
  const supervising = yield* makeSupervising(lives, { answering, sessionRules })
  const running = yield* makeRunning(lives, { slots: new CallSlots(maxCalls), supervising, quietCalls, checkRoom })
  const carrier = yield* makeCarrier(lives, { abandoned, supervising, running, settle })
  const direct = yield* makeDirectCommands({ carrier, running, settle })
  const steps = yield* makeModelSteps(lives, carrier)
  const outside = yield* makeOutsideCalls(lives, carrier)

  const runDirectCommand = Effect.fn("ToolCallService.runDirectCommand")(function*(command: DirectCommand) {
    yield* checkSpace(command.conversationId)
    return yield* direct.run(command)
  })

  const stop = Effect.fnUntraced(function*(live: LiveCall, options: { readonly force: boolean }) {
    lives.markStopped(live, options)
    if (live.running !== undefined) yield* Effect.forkIn(live.running.stop({ grace: !options.force }), scope, { startImmediately: true })
  })

  const cancel = Effect.fn("ToolCallService.cancel")(function*(callId: CallId, options: { readonly force: boolean }) {
    const live = lives.find(callId)
    if (live !== undefined) yield* stop(live, options)
  })

  const stopTurn = Effect.fn("ToolCallService.stopTurn")(function*(turnId: TurnId, options: { readonly force: boolean }) {
    lives.stopTurn(turnId)
    while (true) {
      const calls = lives.ofTurn(turnId)
      if (calls.length === 0) return
      yield* Effect.forEach(calls, (live) => stop(live, options), { discard: true })
      yield* Effect.forEach(calls, ({ settled }) => Effect.exit(Deferred.await(settled)), { discard: true })
    }
  })

  /** The last one first, so that none finds its files free because another let go of them. */
  const release = Effect.fn("ToolCallService.release")(function*(turnId: TurnId) {
    const released = lives.release(turnId)
    if (released === undefined) return false
    yield* Fiber.interruptAll(released.toReversed().flatMap(({ fiber }) => fiber ?? []))
    return true
  })

  const settleAbandoned = Effect.fn("ToolCallService.settleAbandoned")(function*(fence: Fence, calls: ReadonlyArray<AbandonedCall>) {
    yield* Effect.forEach(calls, (call) => abandoned.settle(fence, call), { discard: true })
  })

  return ToolCallService.of({
    checkSpace,
    runDirectCommand,
    propose: steps.propose,
    execute: outside.execute,
    observeStart: outside.observeStart,
    observeEnd: outside.observeEnd,
    answer: answering.answer,
    adopt: steps.adopt,
    onlyAwaits: (turnId) => lives.onlyAwaits(turnId),
    release,
    stopTurn,
    cancel,
    quietCalls: Stream.fromPubSub(quietCalls),
    prepareAbandoned: abandoned.prepare,
    settleAbandoned
  })
})
