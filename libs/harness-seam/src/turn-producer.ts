/**
 * The producer of one Turn: every adapter reports to it and reaches the host through it.
 *
 * Owns: the events and their subscribers, the host's calls that die with the Turn, sinks, Steers, the terminal order.
 * Never owns: native words, the process, when a Turn ends (the adapter says so by its result).
 * Ordering: remaining events → pending items settle → pending Steers are dropped → open requests and unanswered Agent
 * calls expire → seal → the result settles. What is reported later changes nothing.
 */
import type { HarnessName } from "@steno/contracts"
import { Deferred, Effect, Exit, Fiber, type Schema } from "effect"
import { accepted, type ControlReceipt, type ModelChoice, rejected, type Steer } from "./control-receipt.ts"
import type { Diagnostics } from "./diagnostics.ts"
import { type ItemId, ItemIds } from "./item-id.ts"
import { RetainedEvents, type TurnObserver } from "./retained-events.ts"
import { type Secrets, safeValue } from "./safe-text.ts"
import { TurnCore } from "./turn-core.ts"
import type {
  AdmissionAnswer,
  AgentCall,
  AgentCallReply,
  ExecutionAnswer,
  HarnessRequest,
  OutputSink,
  ProposalAnswer,
  ProposedMessage,
  RequestAnswer,
  TurnHost
} from "./turn-host.ts"
import type { TurnOutput } from "./turn-output.ts"
import type { TurnReport } from "./turn-report.ts"
import { type CheckpointReceipt, turnFailure, type TurnResult } from "./turn-result.ts"

export interface TurnProducerOptions {
  readonly harness: HarnessName
  readonly host: TurnHost
  readonly secrets: Secrets
  readonly diagnostics: Diagnostics
  /** Of the request; absent for a Turn that begins. */
  readonly continues?: number
  /** Called once, at the seal, before anybody can know the result. */
  readonly sealed: () => void
}

export class TurnProducer {
  /** Mints the item ids of this Turn. */
  readonly ids: ItemIds
  readonly #options: TurnProducerOptions
  readonly #core: TurnCore
  readonly #events: RetainedEvents
  readonly #sinks = new Map<ItemId, OutputSink>()
  /** The host's calls that expire with the Turn, in the order they were made. */
  readonly #open = new Set<Fiber.Fiber<unknown>>()
  readonly #sending = new Set<Fiber.Fiber<unknown>>()
  readonly #steers = new Map<string, Deferred.Deferred<ControlReceipt>>()
  readonly #result = Deferred.makeUnsafe<TurnResult>()
  #admitted = false

  constructor(options: TurnProducerOptions) {
    this.#options = options
    this.ids = new ItemIds(options.continues)
    this.#core = new TurnCore(options.secrets)
    this.#events = new RetainedEvents(() => options.diagnostics.note("observer-failed", "A subscriber of a Turn threw"))
  }

  get admitted(): boolean {
    return this.#admitted
  }

  /** The Turn is ending or has ended: reports are late, controls `already-settled`. */
  get ended(): boolean {
    return this.#core.ended
  }

  /** Takes one native fact. Never waits, never throws. */
  report(report: TurnReport): void {
    this.#carry(this.#core.apply(report))
  }

  /** As `TurnHost.admit`; a defect of the host is a refusal. */
  readonly admit = (
    admission: { readonly coordinate?: string; readonly model?: ModelChoice }
  ): Effect.Effect<AdmissionAnswer> =>
    this.#options.host.admit({ ...admission, harness: this.#options.harness }).pipe(
      Effect.catchDefect(() => Effect.succeed<AdmissionAnswer>(hostFault)),
      Effect.tap((answer) =>
        Effect.sync(() => {
          this.#admitted = answer.kind === "admitted"
        })
      )
    )

  /** As `TurnHost.checkpoint`; what goes wrong is a diagnostic. */
  readonly checkpoint = (coordinate: string): Effect.Effect<CheckpointReceipt> =>
    this.#options.host.checkpoint(coordinate).pipe(
      Effect.catchDefect(() => Effect.succeed<CheckpointReceipt>("refused")),
      Effect.tap((receipt) =>
        Effect.sync(() => {
          if (receipt === "refused") this.#options.diagnostics.note("checkpoint-refused", "A coordinate was not stored")
        })
      )
    )

  readonly context: TurnHost["context"] = Effect.suspend(() =>
    this.#options.host.context.pipe(Effect.catchDefect(() => Effect.succeed(hostFault)))
  )

  /** As `TurnHost.propose`. The previews and drafts of the message are over as soon as it is proposed. */
  readonly propose = (message: ProposedMessage): Effect.Effect<ProposalAnswer> =>
    Effect.suspend(() => {
      this.#carry(this.#core.propose(message))
      return this.#options.host.propose(safeValue(this.#options.secrets, message)).pipe(
        Effect.catchDefect(() => Effect.succeed<ProposalAnswer>(hostFault))
      )
    })

  /** As `TurnHost.turnDiff`; a defect of the host is a diagnostic. */
  readonly turnDiff: TurnHost["turnDiff"] = Effect.suspend(() =>
    this.#options.host.turnDiff.pipe(Effect.catchDefect(() =>
      Effect.sync(() => {
        this.#options.diagnostics.note("host-fault", "A call of the host threw")
        return undefined
      })
    ))
  )

  /** As `TurnHost.execute`; what the harness reports of `itemId` afterwards is this same call. */
  readonly execute = (tool: string, input: Schema.Json, itemId?: ItemId): Effect.Effect<ExecutionAnswer> =>
    Effect.suspend(() => {
      if (this.ended) return Effect.succeed<ExecutionAnswer>({ kind: "denied", reason: "The Turn has ended" })
      if (itemId !== undefined) this.#core.join(itemId)
      return this.#options.host.execute(tool, input, itemId).pipe(
        Effect.catchDefect(() => Effect.succeed<ExecutionAnswer>({ kind: "denied", reason: "The host failed" }))
      )
    })

  /** Joins `itemId`, which became known later than the call that Steno runs for it. */
  joinExecuted(itemId: ItemId): void {
    this.#core.join(itemId)
  }

  /** As `TurnHost.request`; `expired` once the Turn ends. Interrupting it withdraws the request. */
  readonly request = (request: HarnessRequest): Effect.Effect<RequestAnswer> =>
    this.#untilEnd<RequestAnswer>(
      () => this.#options.host.request(safeValue(this.#options.secrets, request)),
      { kind: "expired" }
    )

  /** As `TurnHost.agentCall`; refused once the Turn ends. */
  readonly agentCall = (call: AgentCall): Effect.Effect<AgentCallReply> =>
    this.#untilEnd<AgentCallReply>(
      () => this.#options.host.agentCall(safeValue(this.#options.secrets, call)),
      { kind: "refused", reason: "The Turn has ended" }
    )

  /** Hands a Steer to the harness by `send`, once per id. One still under way at the end counts as taken and is dropped. */
  readonly steer = (steer: Steer, send: Effect.Effect<ControlReceipt>): Effect.Effect<ControlReceipt> =>
    Effect.suspend(() => {
      const known = this.#steers.get(steer.steerId)
      if (known !== undefined) return Deferred.await(known)
      if (this.ended) return Effect.succeed(rejected("already-settled"))
      const receipt = Deferred.makeUnsafe<ControlReceipt>()
      this.#steers.set(steer.steerId, receipt)
      this.#core.sendSteer(steer.steerId)
      const sent = send.pipe(
        Effect.catchDefect(() => Effect.succeed(rejected("expired"))),
        Effect.flatMap((answer) => {
          if (answer.kind === "rejected") this.#core.refuseSteer(steer.steerId)
          return Deferred.succeed(receipt, answer)
        })
      )
      return Effect.forkDetach(Effect.interruptible(sent), { startImmediately: true }).pipe(
        Effect.tap((fiber) => Effect.sync(() => this.#sending.add(fiber))),
        Effect.andThen(Deferred.await(receipt))
      )
    })

  readonly subscribe = (observer: TurnObserver): () => void => this.#events.subscribe(observer)

  readonly result: Effect.Effect<TurnResult> = Deferred.await(this.#result)

  /**
   * Ends the Turn with `result`, in the terminal order; the first result stands. Resolves when it is settled. Without
   * admission nothing can have begun: whatever the result, it is `not-started` then.
   */
  readonly end = (asked: TurnResult): Effect.Effect<void> =>
    Effect.uninterruptible(Effect.suspend(() => {
      if (this.ended) return Effect.asVoid(this.result)
      const result = this.#admitted ? asked : unbegun(asked)
      this.#carry(this.#core.end(result.kind === "interrupted"))
      for (const receipt of this.#steers.values()) Deferred.doneUnsafe(receipt, Effect.succeed(accepted))
      return Fiber.interruptAll([...this.#sending, ...this.#open]).pipe(
        Effect.andThen(Effect.sync(() =>
          this.#events.seal(() => {
            this.#options.sealed()
            Deferred.doneUnsafe(this.#result, Effect.succeed(safeValue(this.#options.secrets, result)))
          })
        )),
        Effect.andThen(Effect.asVoid(this.result))
      )
    }))

  #untilEnd<Answer>(ask: () => Effect.Effect<Answer>, over: Answer): Effect.Effect<Answer> {
    return Effect.suspend(() => {
      if (this.ended) return Effect.succeed(over)
      return Effect.uninterruptibleMask((restore) =>
        Effect.gen({ self: this }, function*() {
          const fiber = yield* Effect.forkDetach(Effect.interruptible(Effect.suspend(ask)), { startImmediately: true })
          this.#open.add(fiber)
          const exit = yield* restore(Fiber.await(fiber)).pipe(
            Effect.onInterrupt(() => Fiber.interrupt(fiber)),
            Effect.ensuring(Effect.sync(() => this.#open.delete(fiber)))
          )
          if (Exit.isSuccess(exit)) return exit.value
          if (Exit.hasDies(exit)) this.#options.diagnostics.note("host-fault", "A call of the host threw")
          return over
        })
      )
    })
  }

  #carry(outputs: ReadonlyArray<TurnOutput>): void {
    for (const output of outputs) {
      switch (output.kind) {
        case "event":
          this.#events.emit(output.event)
          break
        case "forget":
          this.#events.forget(output.slot)
          break
        case "sink":
          this.#fill(output)
          break
        case "ignored":
          this.#options.diagnostics.note(output.code, ignoredWords[output.code])
      }
    }
  }

  #fill({ action, itemId }: Extract<TurnOutput, { readonly kind: "sink" }>): void {
    try {
      const sink = this.#sinks.get(itemId) ?? this.#options.host.outputSink(itemId)
      this.#sinks.set(itemId, sink)
      if (action.kind === "append") sink.append(action.text)
      else if (action.kind === "replace") sink.replace(action.text)
      else sink.close()
    } catch {
      this.#options.diagnostics.note("sink-failed", "The output of a call was not stored")
    }
  }
}

const unbegun = (result: TurnResult): TurnResult => ({
  kind: "not-started",
  failure: "failure" in result && result.failure !== undefined
    ? result.failure
    : turnFailure("protocol", "The Turn ended before it was admitted")
})

const hostFault = { kind: "refused", reason: "unrecordable", explanation: "The host failed" } as const

const ignoredWords = {
  "late-report": "Reported when the Turn had ended",
  "repeated-report": "Reported of an item that was settled or started",
  "malformed-report": "Reported in a form that is not understood",
  "foreign-report": "Reported of something that is not of this Turn"
} as const
