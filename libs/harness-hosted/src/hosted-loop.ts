/**
 * The built-in loop: asks a model with the Session's context, proposes its message, and asks again while there are
 * results or Steers to answer to.
 *
 * Owns: the order of a model step, when the Turn is over and how, that its one diff is told then.
 * Never owns: running calls (the host), previews and the terminal order (the Seam's producer).
 * Ordering: admit → {Steers → context → request → propose → results}. Nothing is sent before the admission. A Steer is
 * delivered with the request that carries it; one that waits when the calls are over gets a request of its own. The Turn diff is
 * told when no further request is made, however the Turn ended, but by whoever owns it then.
 */
import type { ImageReference, StoredEvent } from "@steno/contracts"
import { type HostRefusal, type ModelContext, type Steer, turnFailure, type TurnFailure, type TurnProducer, type TurnRequest, type TurnResult } from "@steno/harness-seam"
import { Effect, Result } from "effect"
import { Conversation, imagesIn } from "./conversation.ts"
import type { ModelMessage } from "./hosted-model.ts"
import type { OpenedModel } from "./model-source.ts"
import { askModel } from "./model-step.ts"
import { failureOf } from "./provider-fault.ts"
import type { TurnControls } from "./turn-controls.ts"

/** The bytes of an image; undefined where they are gone or damaged. */
export type ReadImage = (reference: ImageReference) => Effect.Effect<Uint8Array | undefined>

/** What a Session keeps from Turn to Turn. */
export interface HostedSession {
  readonly instructions: string
  readonly readImage: ReadImage
  conversation: Conversation
  /** Whose reasoning the conversation keeps. */
  reasoner?: string
}

export interface HostedTurn {
  readonly session: HostedSession
  readonly request: TurnRequest
  readonly controls: TurnControls
  /** The model of the first request; a failure is why it is not there. */
  readonly model: Effect.Effect<OpenedModel, TurnFailure>
}

const interrupted: TurnResult = { kind: "interrupted", confirmedBy: "active-turn", availability: "open" }

const refusalOf = (refusal: HostRefusal, otherwise: "context" | "unrecordable"): TurnFailure =>
  refusal.reason === "fenced"
    ? turnFailure("fenced", "Another owner has the Run by now")
    : turnFailure(otherwise, refusal.explanation)

const takeEvents = Effect.fnUntraced(function*(session: HostedSession, events: ReadonlyArray<StoredEvent>) {
  let rest = session.conversation.rest(events)
  if (rest === undefined) {
    session.conversation = new Conversation()
    rest = events
  }
  const images = new Map<ImageReference, Uint8Array | undefined>()
  for (const reference of imagesIn(rest)) images.set(reference, yield* session.readImage(reference))
  session.conversation.take(rest, (reference) => images.get(reference))
  return session.conversation
})

const steerMessages = (steers: ReadonlyArray<Steer>): ReadonlyArray<ModelMessage> =>
  steers.map(({ text }) => ({ role: "user", content: [{ type: "text", text: text.toWellFormed() }] }))

const loop = Effect.fnUntraced(function*(
  turn: TurnProducer,
  { controls, request, session }: HostedTurn,
  first: OpenedModel
): Effect.fn.Return<TurnResult> {
  let opened = first
  let steers: ReadonlyArray<Steer> = []
  const failed = (failure: TurnFailure): TurnResult => ({
    kind: "failed",
    failure,
    availability: "open",
    model: opened.choice.model
  })
  const completed = (): TurnResult => ({ kind: "completed", availability: "open", model: opened.choice.model })

  for (let step = 1;; step++) {
    const taken = controls.takeSteers()
    for (const { steerId } of taken) turn.report({ type: "steer-delivered", steerId, delivery: "after-boundary" })
    steers = [...steers, ...taken]
    const changed = controls.takeModel()
    if (changed !== undefined) {
      opened = changed
      turn.report({ type: "model", ...changed.choice })
    }

    if (session.reasoner !== opened.model.name) session.conversation = new Conversation()
    session.reasoner = opened.model.name

    const context: ({ readonly kind: "context" } & ModelContext) | HostRefusal = yield* turn.context
    if (context.kind === "refused") return failed(refusalOf(context, "context"))
    const conversation = yield* takeEvents(session, context.events)
    if (conversation.awaits(request.turnId)) {
      return failed(turnFailure("context", "The context has a call without its result"))
    }
    steers = steers.filter(({ steerId }) => !conversation.hasSteer(steerId))
    const answered = step === 1 && request.continues !== undefined && steers.length === 0 && conversation.isAnswered(request.turnId)
    if (answered && controls.close()) return completed()

    const messages = [...conversation.messages, ...steerMessages(steers)]
    if (messages.length === 0) return failed(turnFailure("context", "The context holds nothing to answer to"))
    const asked = yield* Effect.result(askModel(turn, opened.model, {
      instructions: session.instructions,
      messages,
      tools: context.tools,
      ...(opened.effort === undefined ? {} : { effort: opened.effort })
    }))
    if (Result.isFailure(asked)) return failed(failureOf(asked.failure))
    const { message, reasoning } = asked.success
    conversation.keep(request.turnId, reasoning)
    const answer = yield* turn.propose(message)
    if (answer.kind === "refused") return failed(refusalOf(answer, "unrecordable"))
    const over = !message.blocks.some(({ type }) => type === "call")
    if (over && controls.close()) return completed()
  }
})

const playTurn = Effect.fnUntraced(function*(turn: TurnProducer, hosted: HostedTurn): Effect.fn.Return<TurnResult> {
  const model = yield* Effect.result(hosted.model)
  if (Result.isFailure(model)) return { kind: "not-started", failure: model.failure }
  const admission = yield* turn.admit({ model: model.success.choice })
  if (admission.kind === "refused") return { kind: "not-started", failure: refusalOf(admission, "unrecordable") }
  return yield* loop(turn, hosted, model.success)
})

const isOver = (result: TurnResult): boolean =>
  result.kind !== "not-started" && !(result.kind === "failed" && result.failure.reason === "fenced")

const tellDiff = (turn: TurnProducer): Effect.Effect<void> =>
  Effect.map(turn.turnDiff, (diff) => {
    if (diff !== undefined) turn.report({ type: "diff", ...diff })
  })

/** Plays one Turn. An interrupt leaves the request at once; what was shown of an answer stays, incomplete. */
export const driveTurn = (hosted: HostedTurn) => (turn: TurnProducer): Effect.Effect<TurnResult> =>
  Effect.raceFirst(Effect.as(hosted.controls.interruption, interrupted), playTurn(turn, hosted)).pipe(
    Effect.tap((result) => isOver(result) ? tellDiff(turn) : Effect.void)
  )
