/**
 * A harness that plays scripts: one per Turn, step by step, by the same producer as every adapter.
 *
 * Owns: what its imaginary program was sent and answered, gates a test opens.
 * Never owns: merging, retention, terminal order: those are the producer's.
 */
import type { HarnessName } from "@steno/contracts"
import { Deferred, Effect, Fiber, Queue } from "effect"
import { accepted, type ControlReceipt, type Steer } from "../control-receipt.ts"
import { Diagnostics } from "../diagnostics.ts"
import type { CloseReport, Harness, PreparedHarness, PrepareOptions, TurnRequest } from "../harness.ts"
import type { PrepareError } from "../prepare-errors.ts"
import { startTurn } from "../produced-turn.ts"
import { makeHarnessProfile, type HarnessProfile } from "../harness-profile.ts"
import { Secrets } from "../safe-text.ts"
import type { TurnHost } from "../turn-host.ts"
import type { TurnProducer } from "../turn-producer.ts"
import { turnFailure, type TurnResult } from "../turn-result.ts"
import { TurnSlot } from "../turn-slot.ts"
import { completed, type FakeStep, type FakeTurn, type NamedItem } from "./fake-step.ts"

export interface FakeHarnessOptions {
  /** One script per Turn, in order; more Turns than scripts are misuse. */
  readonly turns: ReadonlyArray<FakeTurn>
  readonly profile?: HarnessProfile
  readonly unavailable?: PrepareError
  /** The handshake never comes. */
  readonly silent?: true
}

export interface FakeHarness extends Harness {
  /** Inputs that reached the program. */
  readonly inputs: ReadonlyArray<string>
  /** Answers of requests, Agent calls and executions, by name. */
  readonly answers: ReadonlyMap<string, unknown>
  /** Resolves when every script that was begun is through, what comes late included. */
  readonly played: Effect.Effect<void>
  readonly openGate: (name: string) => Effect.Effect<void>
  /** Programs that were started and not ended. */
  readonly running: () => number
}

/** Everything, as if a probe had proven it. */
export const fakeProfile: HarnessProfile = makeHarnessProfile([
  { name: "recovery", state: "supported", evidence: ["probe"] },
  { name: "interruption", state: "supported", mode: "active-turn", evidence: ["probe"] },
  { name: "approvals", state: "supported", evidence: ["probe"] },
  { name: "clarifications", state: "supported", evidence: ["probe"] },
  { name: "steer", state: "supported", evidence: ["probe"] },
  { name: "model-selection", state: "supported", evidence: ["probe"] },
  { name: "live-output", state: "supported", evidence: ["probe"] },
  { name: "thought-summaries", state: "supported", evidence: ["probe"] },
  { name: "turn-diff", state: "supported", evidence: ["probe"] },
  { name: "coordinate-timing", state: "supported", mode: "before-admit", evidence: ["probe"] }
])

const name: HarnessName = { id: "fake", name: "Scripted fake", version: "1" }

export const makeFakeHarness = (options: FakeHarnessOptions): FakeHarness => {
  const profile = options.profile ?? fakeProfile
  const state: FakeState = { inputs: [], answers: new Map(), gates: new Map(), scripts: [], running: 0 }
  return {
    id: name.id,
    name: "Scripted fake",
    profile,
    inputs: state.inputs,
    answers: state.answers,
    running: () => state.running,
    played: Effect.suspend(() => Effect.all(state.scripts, { discard: true })),
    openGate: (gate) => Effect.asVoid(Deferred.succeed(gateOf(state, gate), undefined)),
    prepare: (asked) =>
      options.unavailable !== undefined
        ? Effect.fail(options.unavailable)
        : Effect.sync(() => state.running++).pipe(
          Effect.andThen(options.silent === true ? Effect.never : Effect.void),
          Effect.onInterrupt(() => Effect.sync(() => state.running--)),
          Effect.map(() => prepared(options.turns, profile, state, asked))
        )
  }
}

interface FakeState {
  readonly inputs: Array<string>
  readonly answers: Map<string, unknown>
  readonly gates: Map<string, Deferred.Deferred<void>>
  /** Each resolves when its script is through. */
  readonly scripts: Array<Effect.Effect<void>>
  running: number
}

const gateOf = (state: FakeState, gate: string): Deferred.Deferred<void> => {
  const known = state.gates.get(gate) ?? Deferred.makeUnsafe<void>()
  state.gates.set(gate, known)
  return known
}

const prepared = (
  turns: ReadonlyArray<FakeTurn>,
  profile: HarnessProfile,
  state: FakeState,
  options: PrepareOptions
): PreparedHarness => {
  const slot = new TurnSlot(turns.length)
  const diagnostics = new Diagnostics()
  const secrets = new Secrets(options.secrets)
  const closing = Deferred.makeUnsafe<void>()
  const live = new Set<Effect.Effect<TurnResult>>()
  let played = 0
  let alive = true
  const endProgram = () => {
    if (alive) state.running--
    alive = false
  }
  let closed: CloseReport | undefined

  const start = Effect.fnUntraced(function*(request: TurnRequest, host: TurnHost) {
    const script = turns[played] ?? { steps: [] }
    const steers = yield* Queue.unbounded<Steer>()
    const interrupt = Deferred.makeUnsafe<void>()
    const through = Deferred.makeUnsafe<void>()
    const handle = yield* startTurn({
      harness: name,
      host,
      secrets,
      diagnostics,
      profile,
      slot,
      drive: (turn) =>
        Effect.raceFirst(
          playTurn({ turn, script, request, state, steers, interrupt, endProgram, coordinate: options.coordinate }),
          Effect.as(Deferred.await(closing), abandoned)
        ).pipe(Effect.ensuring(Deferred.succeed(through, undefined))),
      controls: () => ({
        steer: (steer) => Effect.as(Queue.offer(steers, steer), script.steerReceipt ?? accepted),
        interrupt: Effect.as(Deferred.succeed(interrupt, undefined), script.interruptReceipt ?? accepted),
        changeModel: () => Effect.succeed<ControlReceipt>(accepted)
      })
    })
    state.scripts.push(Deferred.await(through))
    played++
    live.add(handle.result)
    return handle
  })

  const close = Effect.gen(function*() {
    slot.close()
    yield* Deferred.succeed(closing, undefined)
    yield* Effect.all([...live], { discard: true })
    yield* Effect.sync(endProgram)
    closed ??= { exit: { code: 0 }, survivors: [], diagnostics: diagnostics.all() }
    return closed
  })
  return { harness: name, profile, startTurn: start, close: Effect.uninterruptible(close) }
}

const abandoned: TurnResult = {
  kind: "lost",
  unknown: "completion",
  lastObservation: "closed in mid-Turn",
  availability: "detached"
}

interface PlayedTurn {
  readonly turn: TurnProducer
  readonly script: FakeTurn
  readonly request: TurnRequest
  readonly state: FakeState
  readonly steers: Queue.Queue<Steer>
  readonly interrupt: Deferred.Deferred<void>
  readonly endProgram: () => void
  readonly coordinate: string | undefined
}

const playTurn = Effect.fnUntraced(function*(play: PlayedTurn): Effect.fn.Return<TurnResult> {
  const { request, script, state, turn } = play
  if (script.refusesResume === true && play.coordinate !== undefined) {
    return { kind: "not-started", failure: turnFailure("native", "The native session is gone") }
  }
  const coordinate = script.coordinate ?? request.coordinate
  const admission = yield* turn.admit({
    ...(coordinate === undefined ? {} : { coordinate }),
    ...(request.model === undefined ? {} : { model: request.model })
  })
  if (admission.kind === "refused") {
    return { kind: "not-started", failure: turnFailure(admission.reason, "The Turn was not admitted") }
  }
  if (request.continues === undefined) state.inputs.push(request.input)
  const open = new Map<string, Fiber.Fiber<unknown>>()
  for (const step of script.steps) {
    const result = yield* playStep(play, open, step)
    if (result !== undefined) yield* turn.end(result)
  }
  return completed
})

const playStep = Effect.fnUntraced(function*(
  { endProgram, interrupt, state, steers, turn }: PlayedTurn,
  open: Map<string, Fiber.Fiber<unknown>>,
  step: FakeStep
): Effect.fn.Return<TurnResult | undefined> {
  const item: NamedItem = (itemName) => turn.ids.block(itemName, 0)
  const begin = <Answer>(asked: string, ask: Effect.Effect<Answer>) =>
    ask.pipe(
      Effect.tap((answer) => Effect.sync(() => state.answers.set(asked, answer))),
      Effect.forkDetach({ startImmediately: true }),
      Effect.map((fiber) => {
        open.set(asked, fiber)
        return undefined
      })
    )
  switch (step.do) {
    case "report":
      turn.report(step.report(item))
      return undefined
    case "request":
      return yield* begin(step.name, turn.request(step.request(item)))
    case "agent-call":
      return yield* begin(step.name, turn.agentCall(step.call))
    case "execute":
      return yield* begin(
        step.name,
        turn.execute(step.tool, step.input, step.item === undefined ? undefined : item(step.item))
      )
    case "await": {
      const fiber = open.get(step.name)
      if (fiber !== undefined) yield* Fiber.await(fiber)
      return undefined
    }
    case "propose": {
      const answer = yield* turn.propose(step.message(item))
      return answer.kind === "settled" ? undefined : refusedTurn(answer.reason)
    }
    case "context": {
      const answer = yield* turn.context
      return answer.kind === "context" ? undefined : refusedTurn(answer.reason)
    }
    case "checkpoint":
      yield* turn.checkpoint(step.coordinate)
      return undefined
    case "gate":
      yield* Deferred.await(gateOf(state, step.name))
      return undefined
    case "steer": {
      const { steerId } = yield* Queue.take(steers)
      if (step.delivery !== undefined) turn.report({ type: "steer-delivered", steerId, delivery: step.delivery })
      return undefined
    }
    case "interrupted":
      yield* Deferred.await(interrupt)
      return undefined
    case "program-ends":
      endProgram()
      return undefined
    case "end":
      return step.result
    case "fault":
      return yield* Effect.die(new Error("The script says so"))
  }
})

const refusedTurn = (reason: "fenced" | "unrecordable"): TurnResult => ({
  kind: "failed",
  failure: turnFailure(reason, "The host refused"),
  availability: "open"
})
