/**
 * One native session in one running program, and which Turn each frame is for.
 *
 * Owns: the replay window, foreign frames, native Turns that nobody asked for, requests outside of a Turn.
 * Never owns: what a frame means for its Turn (live-turn), bytes (claude-connection).
 * Limits: one live Turn at a time.
 */
import type { Diagnostics, TurnFailure } from "@steno/harness-seam"
import { Deferred, Effect, Fiber } from "effect"
import { type ClaudeConnection, endFailure } from "./claude-connection.ts"
import { type Fields, fieldsAt, textAt } from "./frame-fields.ts"

/** Takes the frames of a live Turn, in order. */
export interface FrameTaker {
  readonly take: (frame: Fields) => void
}

export interface SessionOptions {
  readonly connection: ClaudeConnection
  readonly diagnostics: Diagnostics
  /** Of the native session that was to be reattached to. */
  readonly coordinate?: string
  readonly model?: string
}

/** What a Turn can be asked. */
const askable: ReadonlySet<unknown> = new Set(["can_use_tool", "elicitation"])

const isInit = (frame: Fields): boolean => frame["type"] === "system" && frame["subtype"] === "init"

export class ClaudeSession {
  readonly connection: ClaudeConnection
  readonly diagnostics: Diagnostics
  /** Of the native session, once it is known. */
  coordinate: string | undefined
  /** The model it was told to ask, where that is known. */
  model: string | undefined
  /** Why it takes no Turn any more, where that is known. */
  gone: TurnFailure | undefined
  readonly #closing = Deferred.makeUnsafe<void>()
  #reattaching: boolean
  #replaying = true
  #live: FrameTaker | undefined
  #unasked = false
  readonly #answering = new Set<Fiber.Fiber<void>>()

  constructor({ connection, coordinate, diagnostics, model }: SessionOptions) {
    this.connection = connection
    this.diagnostics = diagnostics
    this.coordinate = coordinate
    this.#reattaching = coordinate !== undefined
    this.model = model
    connection.observe((frame) => this.#route(frame))
  }

  /** Why no Turn can start; undefined where one can. */
  get refusal(): TurnFailure | undefined {
    const { end } = this.connection
    return this.gone ?? (end === undefined ? undefined : endFailure(end))
  }

  /** Resolves when the session is being closed. */
  readonly closing: Effect.Effect<void> = Effect.suspend(() => Deferred.await(this.#closing))

  /** Idempotent. */
  close(): void {
    Deferred.doneUnsafe(this.#closing, Effect.void)
  }

  /** No native Turn has shown yet that the program resumed the session it was to resume. */
  get reattaching(): boolean {
    return this.#reattaching
  }

  reattached(): void {
    this.#reattaching = false
  }

  /** A Turn is played now. */
  get playing(): boolean {
    return this.#live !== undefined
  }

  /** The handshake was answered: what came before is old. */
  loaded(): void {
    this.#replaying = false
  }

  /** The program plays a native Turn that it began by itself. */
  get busyUnasked(): boolean {
    return this.#unasked
  }

  begin(live: FrameTaker): void {
    this.#live = live
  }

  leave(live: FrameTaker): void {
    if (this.#live === live) this.#live = undefined
  }

  /** Runs `answering` by itself, also beyond the Turn it belongs to. */
  readonly answerApart = (answering: Effect.Effect<void>): Effect.Effect<Fiber.Fiber<void>> =>
    Effect.forkDetach(answering, { startImmediately: true }).pipe(
      Effect.tap((fiber) => Effect.sync(() => {
        this.#answering.add(fiber)
        fiber.addObserver(() => this.#answering.delete(fiber))
      }))
    )

  /** Resolves when every request that can be answered was. */
  readonly answered: Effect.Effect<void> = Effect.suspend(() => Fiber.awaitAll([...this.#answering])).pipe(Effect.asVoid)

  /** Answers a request that is for no Turn. */
  refuseRequest(frame: Fields): void {
    const requestId = textAt(frame, "request_id")
    const asked = textAt(fieldsAt(frame, "request"), "subtype") ?? "none"
    if (asked === "can_use_tool") this.diagnostics.note("late-request", "The program asked for a permission outside of the Turn")
    else this.diagnostics.note("unknown-request", `The program sent a request of the kind ${asked}`)
    if (requestId !== undefined) this.connection.refuse(requestId, "Nobody can answer this request.")
  }

  #route(frame: Fields): void {
    if (frame["type"] === "control_request" && (!this.#canAsk(frame) || this.#isForeign(frame))) return this.refuseRequest(frame)
    if (this.#replaying) return this.diagnostics.note("replayed-frame", "Told before the handshake was answered")
    if (this.#isForeign(frame)) return this.diagnostics.note("foreign-frame", "Told of another native session")
    if (this.#live !== undefined) return this.#live.take(frame)
    if (frame["type"] === "command_lifecycle") return
    if (isInit(frame)) this.#unasked = true
    if (frame["type"] === "result") this.#unasked = false
    this.diagnostics.note("late-frame", "Told while no Turn was live")
  }

  #canAsk(frame: Fields): boolean {
    return !this.#replaying && this.#live !== undefined && askable.has(fieldsAt(frame, "request")["subtype"])
  }

  /** A program names another native session as its own only where a native Turn begins. */
  #isForeign(frame: Fields): boolean {
    const session = textAt(frame, "session_id")
    return session !== undefined && this.coordinate !== undefined && session !== this.coordinate && !isInit(frame)
  }

  /** The Turn that nobody asked for ended inside of one that was asked for. */
  unaskedEnded(): void {
    this.#unasked = false
  }
}
