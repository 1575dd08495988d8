/**
 * Stores what a harness tells of one Turn, fact by fact, while the Turn is at work.
 *
 * Owns: the order in which a Turn's facts are stored, those that every harness tells, its Steers until they are settled.
 * Never owns: texts and calls (hosted-items, outside-items), the result of the Turn (harness-turns).
 * Ordering: facts are stored in the order in which they were told; `flushed` resolves behind those told before it.
 * Limits: a fact that is refused, or has no form that can be stored, does not stop the Turn: the ones after it are stored.
 */
import type { ConversationId, Instant, Steer, SteerId, TurnId } from "@steno/contracts"
import type { ChangedFile, ControlReceipt, TurnEvent, TurnEventOf, TurnHandle } from "@steno/harness-seam"
import type { Fence, LedgerError, TurnFact, TurnLedger } from "@steno/ledger"
import { DateTime, Deferred, Effect, Queue, Schedule } from "effect"
import { turnDiffItem, type TurnPlaces } from "./turn-places.ts"

/** A Steer as it was sent. */
export type SentSteer = Pick<Steer, "steerId" | "text" | "sentAt">

export interface RecordedTurn {
  readonly fence: Fence
  readonly conversationId: ConversationId
  readonly turnId: TurnId
}

/** A write that never fails: what is refused was logged. */
type Told = Effect.Effect<void>

const writeRetry = { schedule: Schedule.spaced("500 millis"), times: 10 }

const nowInstant: Effect.Effect<Instant> = Effect.map(DateTime.now, DateTime.formatIso)

const diffFile = ({ additions, kind, path, removals }: ChangedFile) => ({
  path,
  ...(kind === undefined ? {} : { kind }),
  ...(additions === undefined ? {} : { additions }),
  ...(removals === undefined ? {} : { removals })
})

const settlementOf = ({ settlement }: TurnEventOf<"steer">): Steer["settlement"] =>
  settlement.kind === "delivered"
    ? { state: "delivered", delivery: settlement.delivery }
    : { state: "dropped", cause: settlement.reason }

export class TurnRecording {
  readonly places: TurnPlaces
  /** Of the model that answers, as far as it is known. */
  model: string | undefined
  readonly #ledger: TurnLedger["Service"]
  readonly #turn: RecordedTurn
  readonly #told: Queue.Queue<Told>
  readonly #steers: Map<string, SentSteer>
  readonly #fenced = Deferred.makeUnsafe<void>()
  #retries = 0
  #isOpen = true

  private constructor(
    ledger: TurnLedger["Service"],
    turn: RecordedTurn,
    { model, places, steers, told }: {
      readonly places: TurnPlaces
      readonly steers: ReadonlyArray<SentSteer>
      readonly model: string | undefined
      readonly told: Queue.Queue<Told>
    }
  ) {
    this.#ledger = ledger
    this.#turn = turn
    this.#told = told
    this.#steers = new Map(steers.map((steer) => [steer.steerId, steer]))
    this.places = places
    this.model = model
  }

  /** Stores in a fiber of the caller's: it ends with the caller. `steers`: those of an earlier start that are not settled. */
  static readonly make = Effect.fnUntraced(function*(
    ledger: TurnLedger["Service"],
    turn: RecordedTurn,
    begun: { readonly places: TurnPlaces; readonly steers: ReadonlyArray<SentSteer>; readonly model: string | undefined }
  ) {
    const recording = new TurnRecording(ledger, turn, { ...begun, told: yield* Queue.unbounded<Told>() })
    yield* Effect.forkChild(recording.#store)
    return recording
  })

  /** Takes an event of the Turn. Never waits. */
  readonly observe = (event: TurnEvent): void => {
    if (!this.#isOpen) return
    this.places.see(event)
    switch (event.type) {
      case "model":
        this.model = event.model
        return
      case "provider-retry": {
        const { attempt, delayMs, reason } = event
        this.tell(`provider-retry ${this.#turn.fence.epoch}.${this.#retries++}`, { type: "provider-retry", payload: { attempt, delayMs, reason } })
        return
      }
      case "turn-diff":
        this.tell(turnDiffItem, { type: "turn-diff", payload: { content: event.content, files: event.files.map(diffFile) } })
        return
      case "steer": {
        const sent = this.#steers.get(event.steerId)
        if (sent !== undefined) this.tell(sent.steerId, { type: "steer", payload: { ...sent, settlement: settlementOf(event) } })
        return
      }
      default:
        return
    }
  }

  /** Stores a fact about an item behind everything that was told before; without an item it shows nowhere among them. */
  tell(itemId: string | undefined, fact: TurnFact): void {
    if (!this.#isOpen) return
    if (itemId !== undefined) this.places.of(itemId)
    this.write(Effect.asVoid(this.#stored(itemId, fact)))
  }

  /** As `tell`; resolves with whether it was stored. */
  told(itemId: string, fact: TurnFact): Effect.Effect<boolean> {
    return Effect.suspend(() => {
      if (!this.#isOpen) return Effect.succeed(false)
      this.places.of(itemId)
      const done = Deferred.makeUnsafe<boolean>()
      this.write(Effect.flatMap(this.#stored(itemId, fact), (isStored) => Effect.asVoid(Deferred.succeed(done, isStored))))
      return Deferred.await(done)
    })
  }

  /** Does something behind everything that was told before. A fault of it holds up nothing that is told later. */
  write(effect: Effect.Effect<void>): void {
    if (this.#isOpen) Queue.offerUnsafe(this.#told, Effect.catchDefect(effect, (defect) => Effect.logWarning("What a Turn told was not stored", defect)))
  }

  /** Resolves when everything that was told before is stored or refused. */
  readonly flushed: Effect.Effect<void> = Effect.suspend(() => {
    const done = Deferred.makeUnsafe<void>()
    Queue.offerUnsafe(this.#told, Effect.asVoid(Deferred.succeed(done, undefined)))
    return Deferred.await(done)
  })

  /** Resolves when a fact was refused because another owner has the Run. */
  readonly fenced: Effect.Effect<void> = Deferred.await(this.#fenced)

  /** Takes note of why a fact of the Turn was refused, whoever stores it. */
  refused({ reason }: LedgerError): void {
    if (reason._tag === "Fenced") Deferred.doneUnsafe(this.#fenced, Effect.void)
  }

  /** Whether this process still tells of the Turn. */
  get isOpen(): boolean {
    return this.#isOpen
  }

  /** What is told from now on is of no account: this process has let go of the Turn. */
  close(): void {
    this.#isOpen = false
  }

  /** Stores that the Steer waits, then hands it over. Once per id; a rejected one is stored as dropped. */
  steer(
    handle: TurnHandle,
    { steerId, text }: { readonly steerId: SteerId; readonly text: string }
  ): Effect.Effect<ControlReceipt, LedgerError> {
    return Effect.gen({ self: this }, function*() {
      const known = this.#steers.get(steerId)
      const sent = known ?? { steerId, text, sentAt: yield* nowInstant }
      if (known === undefined) yield* this.#append(steerId, { type: "steer", payload: { ...sent, settlement: { state: "waiting" } } })
      this.#steers.set(steerId, sent)
      const receipt = yield* handle.steer({ steerId, text })
      if (receipt.kind === "rejected" && this.#steers.delete(steerId)) {
        this.tell(steerId, { type: "steer", payload: { ...sent, settlement: { state: "dropped", cause: "loss" } } })
      }
      return receipt
    })
  }

  #append(itemId: string | undefined, fact: TurnFact) {
    const { conversationId, fence, turnId } = this.#turn
    const item = itemId === undefined ? {} : { item: { itemId, firstSeen: this.places.of(itemId) } }
    return Effect.flatMap(nowInstant, (at) =>
      this.#ledger.appendTurnEvent(fence, { conversationId, turnId, ...item, fact, at })
    ).pipe(Effect.retry({ ...writeRetry, while: (error: LedgerError) => error.isRetryable }))
  }

  #stored(itemId: string | undefined, fact: TurnFact): Effect.Effect<boolean> {
    return this.#append(itemId, fact).pipe(
      Effect.as(true),
      Effect.tapError((error) => Effect.sync(() => this.refused(error))),
      Effect.catch(({ reason }) => Effect.as(this.#notStored(fact, reason._tag), false)),
      Effect.catchDefect((defect) => Effect.as(this.#notStored(fact, defect), false))
    )
  }

  #notStored({ type }: TurnFact, why: unknown) {
    return Effect.logWarning(`A ${type} of Turn ${this.#turn.turnId} was not stored`, why)
  }

  readonly #store: Effect.Effect<never> = Effect.suspend(() =>
    Effect.forever(Effect.flatten(Queue.take(this.#told)))
  )
}
