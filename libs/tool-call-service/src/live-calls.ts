/**
 * The calls that this process carries now.
 *
 * Owns: what is known of a live call beside its row: how it is to be stopped, what it asks, whoever waits for it.
 * Never owns: the row (ledger), changes of it (the modules that carry a call).
 * Ordering: one fiber carries a call; only that fiber changes its row and settles it, so a settlement is never made twice at once.
 * Limits: the ids of stopped Turns are kept as long as the service: none of them ever runs a call again.
 */
import type {
  CallId,
  CallReason,
  CallState,
  ConversationId,
  InteractionRequest,
  InteractionResolution,
  ToolCallResponse,
  TurnId
} from "@steno/contracts"
import type { Fence } from "@steno/ledger/calls"
import { Deferred, Effect, type Fiber } from "effect"
import type { ApprovalMode } from "./call-requests.ts"
import type { HostCall, RunningTool } from "./host-tools.ts"
import { CallReleased, ToolCallError } from "./tool-call-errors.ts"

/** State and claim of a row, as this process last wrote or read them. */
export interface RowPosition {
  readonly state: CallState
  readonly claim: string | undefined
}

/** What a call waits for a person to answer. */
export interface OpenQuestion {
  readonly request: InteractionRequest
  /** The stored answer. */
  readonly answered: Deferred.Deferred<InteractionResolution>
  /** The question itself, and answers to it, that are being stored. */
  storing: number
}

export class LiveCall {
  readonly call: HostCall
  readonly fence: Fence
  readonly approvals: ApprovalMode
  readonly settled = Deferred.makeUnsafe<ToolCallResponse, ToolCallError>()
  /** Whether it came to run, as soon as that is decided. */
  readonly begun = Deferred.makeUnsafe<boolean, ToolCallError>()
  readonly stopAsked = Deferred.makeUnsafe<void>()
  /** Beside those of its files and its result. */
  readonly warnings: Array<CallReason> = []
  position: RowPosition
  stop: "none" | "graceful" | "forced" = "none"
  running: RunningTool | undefined
  /** What its tool or handler returned; set before it is settled. */
  returned: unknown = undefined
  question: OpenQuestion | undefined
  /** Resolves when no call before it is at its files any more; absent: it waits for none. */
  turn: Effect.Effect<void> | undefined
  /** Allowed by a person, and still behind a call that is before it at its files. */
  isBehind = false
  /** Present while it is so behind without anybody having been asked about it; ends its wait. */
  givesWay: Deferred.Deferred<void> | undefined
  fiber: Fiber.Fiber<unknown, unknown> | undefined

  constructor(call: HostCall, owner: { readonly fence: Fence; readonly approvals: ApprovalMode }, position: RowPosition) {
    this.call = call
    this.fence = owner.fence
    this.approvals = owner.approvals
    this.position = position
  }

  get onlyAwaits(): boolean {
    const { question } = this
    return question !== undefined && question.storing === 0 && !Deferred.isDoneUnsafe(question.answered) && this.stop === "none"
  }

  /** Undefined when the call is stopped before `effect` is done; `effect` is interrupted then. */
  unlessStopped<A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<{ readonly value: A } | undefined, E, R> {
    return Effect.suspend(() =>
      this.stop !== "none"
        ? Effect.undefined
        : Effect.raceFirst(Effect.map(effect, (value) => ({ value })), Effect.as(Deferred.await(this.stopAsked), undefined))
    )
  }
}

export class LiveCalls {
  readonly #calls = new Map<CallId, LiveCall>()
  readonly #stopped = new Set<TurnId>()
  readonly #watchers = new Set<{ readonly turnId: TurnId; readonly met: Deferred.Deferred<void> }>()

  find(callId: CallId): LiveCall | undefined {
    return this.#calls.get(callId)
  }

  ofTurn(turnId: TurnId): ReadonlyArray<LiveCall> {
    return [...this.#calls.values()].filter(({ call }) => call.turnId === turnId)
  }

  ofSession(conversationId: ConversationId): ReadonlyArray<LiveCall> {
    return [...this.#calls.values()].filter(({ call }) => call.conversationId === conversationId)
  }

  add(live: LiveCall): void {
    this.#calls.set(live.call.callId, live)
    if (this.#stopped.has(live.call.turnId)) this.markStopped(live, { force: false })
  }

  remove(live: LiveCall): void {
    this.#calls.delete(live.call.callId)
    this.tell(live.call.turnId)
  }

  markStopped(live: LiveCall, { force }: { readonly force: boolean }): void {
    live.stop = force || live.stop === "forced" ? "forced" : "graceful"
    Deferred.doneUnsafe(live.stopAsked, Effect.void)
  }

  /** From now on no call of the Turn begins. */
  stopTurn(turnId: TurnId): void {
    this.#stopped.add(turnId)
  }

  /**
   * Whoever waits until a Turn only awaits persons looks again. Calls that nobody is asked about and that only wait for those that
   * await a person give way then: no row would hold them while the Turn rests.
   */
  tell(turnId: TurnId): void {
    for (const watcher of this.#watchers) {
      if (watcher.turnId !== turnId) continue
      if (this.#isWaiting(turnId)) Deferred.doneUnsafe(watcher.met, Effect.void)
      else if (this.#isHeldUp(turnId)) {
        for (const { givesWay } of this.ofTurn(turnId)) if (givesWay !== undefined) Deferred.doneUnsafe(givesWay, Effect.void)
      }
    }
  }

  onlyAwaits(turnId: TurnId): Effect.Effect<void> {
    return Effect.suspend(() => {
      const watcher = { turnId, met: Deferred.makeUnsafe<void>() }
      this.#watchers.add(watcher)
      this.tell(turnId)
      return Effect.ensuring(Deferred.await(watcher.met), Effect.sync(() => this.#watchers.delete(watcher)))
    })
  }

  /** The calls that were let go of; undefined, and none is, when the Turn does more than await persons. */
  release(turnId: TurnId): ReadonlyArray<LiveCall> | undefined {
    if (!this.#isWaiting(turnId)) return undefined
    const released = this.ofTurn(turnId)
    for (const live of released) {
      const { callId } = live.call
      this.#calls.delete(callId)
      Deferred.doneUnsafe(live.settled, Effect.fail(new ToolCallError({ reason: new CallReleased({ callId }) })))
    }
    return released
  }

  #isHeldUp(turnId: TurnId): boolean {
    const calls = this.ofTurn(turnId)
    return calls.some(({ onlyAwaits }) => onlyAwaits) &&
      calls.every(({ givesWay, isBehind, onlyAwaits }) => onlyAwaits || isBehind || givesWay !== undefined)
  }

  #isWaiting(turnId: TurnId): boolean {
    const calls = this.ofTurn(turnId)
    return calls.some(({ onlyAwaits }) => onlyAwaits) && calls.every(({ isBehind, onlyAwaits }) => onlyAwaits || isBehind)
  }
}
