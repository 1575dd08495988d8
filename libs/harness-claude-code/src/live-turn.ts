/**
 * One Turn while the program plays it: its facts, its Steers, its native end.
 *
 * Owns: from which frame on the native Turn is ours, Steers that are under way, which result ends the Turn.
 * Never owns: what a frame means (turn-reader), answers of people (turn-errands), the interrupt ladder (turn-drive).
 * Ordering: with the frame that ends it a Turn leaves the session. A Steer that came too late begins a native Turn of its
 * own: the Turn goes on until that one ends too.
 */
import {
  accepted,
  type ControlReceipt,
  rejected,
  type Steer,
  turnFailure,
  type TurnProducer
} from "@steno/harness-seam"
import { Deferred, Effect, Queue } from "effect"
import type { ClaudeSession, FrameTaker } from "./claude-session.ts"
import { type Fields, textAt } from "./frame-fields.ts"
import { isUnasked, type NativeEnd } from "./native-end.ts"
import type { NativePermission, SteerState, TurnFact } from "./turn-fact.ts"
import type { TurnErrand } from "./turn-errands.ts"
import { TurnReader } from "./turn-reader.ts"

interface SentSteer {
  readonly steerId: string
  readonly receipt: Deferred.Deferred<ControlReceipt>
}

export interface LiveTurnOptions {
  readonly session: ClaudeSession
  readonly turn: TurnProducer
  /** Of the user message that begins the native Turn. */
  readonly inputId: string
  readonly agentCallServer?: string
  readonly errands: Queue.Queue<TurnErrand>
}

export class LiveTurn implements FrameTaker {
  readonly reader: TurnReader
  readonly #options: LiveTurnOptions
  readonly #steers = new Map<string, SentSteer>()
  readonly #requests = new Map<string, Deferred.Deferred<void>>()
  readonly #end = Deferred.makeUnsafe<NativeEnd>()
  #held: NativeEnd | undefined
  #ours: boolean
  #observed = false
  /** An interrupt was asked for: no further native Turn is waited for. */
  interrupting = false

  constructor(options: LiveTurnOptions) {
    this.#options = options
    this.#ours = !options.session.busyUnasked
    const { agentCallServer, turn } = options
    this.reader = new TurnReader({ ids: turn.ids, ...(agentCallServer === undefined ? {} : { agentCallServer }) })
  }

  /** Something of the native Turn was seen. */
  get observed(): boolean {
    return this.#observed
  }

  readonly nativeEnd: Effect.Effect<NativeEnd> = Effect.suspend(() => Deferred.await(this.#end))

  /** The result that would end the Turn, were no Steer under way. */
  get heldEnd(): NativeEnd | undefined {
    return this.#held
  }

  /** The program plays our native Turn, not one that nobody asked for. */
  get ours(): boolean {
    return this.#ours
  }

  /** Ids of user messages that the program has not begun to deliver. */
  get waitingMessages(): ReadonlyArray<string> {
    return [...(this.#ours ? [] : [this.#options.inputId]), ...this.#steers.keys()]
  }

  take(frame: Fields): void {
    if (this.#isAboutInput(frame) || (!this.#ours && !this.#begins(frame))) return
    for (const fact of this.reader.read(frame)) this.#apply(fact)
  }

  /** Resolves when the program has taken it. `messageId` is new. */
  sendSteer({ steerId, text }: Steer, messageId: string): Effect.Effect<ControlReceipt> {
    if (this.interrupting || Deferred.isDoneUnsafe(this.#end)) return Effect.succeed(rejected("expired"))
    const receipt = Deferred.makeUnsafe<ControlReceipt>()
    this.#steers.set(messageId, { steerId, receipt })
    this.#options.session.connection.send(userMessage(text, messageId))
    return Deferred.await(receipt)
  }

  /** The program went idle with Steers that it says nothing of; without effect where it went on since `end`. */
  settleHeld(end: NativeEnd): void {
    if (this.#held === end) this.#finish(end)
  }

  /** What follows in the same bytes is late already. */
  #finish(end: NativeEnd): void {
    this.#options.session.leave(this)
    Deferred.doneUnsafe(this.#end, Effect.succeed(end))
  }

  /** A program that says that the input waits plays something else, until it says that the input has begun. */
  #isAboutInput(frame: Fields): boolean {
    if (frame["type"] !== "command_lifecycle" || textAt(frame, "command_uuid") !== this.#options.inputId) return false
    if (frame["state"] === "queued") this.#ours = false
    if (frame["state"] === "started") this.#ours = true
    if (frame["state"] === "cancelled") this.#finish({ kind: "aborted" })
    return true
  }

  /** Whether a frame that was not awaited is ours after all: the end of what was played before, which took the input. */
  #begins(frame: Fields): boolean {
    const { inputId, session } = this.#options
    if (frame["type"] === "control_request") session.refuseRequest(frame)
    if (frame["type"] !== "result") return false
    session.unaskedEnded()
    this.#ours = true
    return !isUnasked(frame, inputId)
  }

  #apply(fact: TurnFact): void {
    const { diagnostics } = this.#options.session
    switch (fact.kind) {
      case "report":
        this.#observed = true
        return this.#options.turn.report(fact.report)
      case "coordinate":
        return this.#attached(fact.coordinate)
      case "permission":
        return this.#asked(fact.permission)
      case "withdrawn": {
        const withdrawn = this.#requests.get(fact.requestId)
        if (withdrawn !== undefined) Deferred.doneUnsafe(withdrawn, Effect.void)
        return
      }
      case "answer":
        return this.#answer(fact.requestId, fact.response)
      case "message-state":
        return this.#steerState(fact.messageId, fact.state)
      case "end":
        return this.#ended(fact.end, fact.frame)
      case "note":
        return diagnostics.note(fact.code, fact.text)
    }
  }

  #attached(coordinate: string): void {
    const { errands, session } = this.#options
    if (session.coordinate === coordinate) return session.reattached()
    if (session.reattaching) {
      const failure = turnFailure("protocol", "The program plays another native session than the one it was to resume")
      session.gone = failure
      return this.#finish({ kind: "failed", failure })
    }
    session.coordinate = coordinate
    Queue.offerUnsafe(errands, { kind: "checkpoint", coordinate })
  }

  #asked(permission: NativePermission): void {
    const { connection } = this.#options.session
    if (this.reader.isAgentCall(permission.toolName)) {
      return connection.answer(permission.requestId, { behavior: "allow", updatedInput: permission.input })
    }
    const withdrawn = Deferred.makeUnsafe<void>()
    this.#requests.set(permission.requestId, withdrawn)
    Queue.offerUnsafe(this.#options.errands, { kind: "permission", permission, withdrawn: Deferred.await(withdrawn) })
  }

  #answer(requestId: string, response: Fields | undefined): void {
    const { connection } = this.#options.session
    if (response === undefined) connection.refuse(requestId, "Nobody can answer this request.")
    else connection.answer(requestId, response)
  }

  #steerState(messageId: string, state: SteerState): void {
    const steer = this.#steers.get(messageId)
    if (steer === undefined) return
    Deferred.doneUnsafe(steer.receipt, Effect.succeed(accepted))
    if (state === "queued") return
    this.#steers.delete(messageId)
    if (state === "started") {
      this.#held = undefined
      this.#options.turn.report({ type: "steer-delivered", steerId: steer.steerId, delivery: "after-boundary" })
    } else if (this.#steers.size === 0 && this.#held !== undefined) this.#finish(this.#held)
  }

  #ended(end: NativeEnd, frame: Fields): void {
    if (isUnasked(frame, this.#options.inputId)) {
      return this.#options.session.diagnostics.note("foreign-frame", "Told of a native Turn that nobody asked for")
    }
    if (this.#steers.size === 0 || this.interrupting) return this.#finish(end)
    this.#held = end
    Queue.offerUnsafe(this.#options.errands, { kind: "held", end })
  }
}

export const userMessage = (text: string, messageId: string): Fields => ({
  type: "user",
  message: { role: "user", content: [{ type: "text", text }] },
  parent_tool_use_id: null,
  session_id: "",
  uuid: messageId
})
