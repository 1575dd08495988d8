import { it } from "@effect/vitest"
import { type CallId, type CallState, type InteractionAnswer, OperationId } from "@steno/contracts"
import { Effect, type Fiber } from "effect"
import * as fc from "fast-check"
import { describe, expect } from "vitest"
import { ControlledPorts, resultEnd } from "./testing/controlled-ports.ts"
import { type AskedCall, asking, callAt, firstOwner, nextOwner, type Owner, recordOf, temporaryDatabase } from "./testing/owned-run.ts"

/** Where the reference model has a call: in a state, or settled with an outcome. Several: either may be. */
type Place = CallState | "completed" | "failed" | "denied" | "cancelled" | "indeterminate"

const kinds = ["allowed", "denied", "held", "asks", "question", "broken", "unknown"] as const

const script = (kind: typeof kinds[number], name: string): AskedCall => {
  const common = { name, stop: "confirmed" } as const
  switch (kind) {
    case "allowed":
      return common
    case "denied":
      return { ...common, verdict: "deny" }
    case "held":
      return { ...common, verdict: "held" }
    case "asks":
      return { ...common, verdict: "approval" }
    case "question":
      return { ...common, tool: "ask_user" }
    case "broken":
      return { ...common, starts: false }
    case "unknown":
      return { ...common, tool: "unknown" }
  }
}

const firstPlace: Readonly<Record<typeof kinds[number], Place>> = {
  allowed: "running",
  denied: "denied",
  held: "supervising",
  asks: "awaiting_approval",
  question: "awaiting_input",
  broken: "failed",
  unknown: "failed"
}

const isOpen = (place: Place): boolean =>
  place === "supervising" || place === "awaiting_approval" || place === "ready" || place === "running" || place === "awaiting_input"

interface KnownCall {
  readonly name: string
  readonly callId: CallId
  places: ReadonlySet<Place>
}

/** `pick` chooses among the calls that the action fits. `hasty`: the owner is ended before anybody sees what comes of it. */
const action = fc.oneof(
  fc.record({ do: fc.constant("propose"), kinds: fc.array(fc.constantFrom(...kinds), { maxLength: 4 }) }),
  fc.record({ do: fc.constant("decide"), pick: fc.nat(), verdict: fc.constantFrom("allow", "deny", "approval"), hasty: fc.boolean() }),
  fc.record({ do: fc.constant("end"), pick: fc.nat(), hasty: fc.boolean() }),
  fc.record({ do: fc.constant("approve"), pick: fc.nat(), decision: fc.constantFrom("allow", "deny"), hasty: fc.boolean() }),
  fc.record({ do: fc.constant("reply"), pick: fc.nat(), hasty: fc.boolean() }),
  fc.record({ do: fc.constant("cancel"), pick: fc.nat(), hasty: fc.boolean() }),
  fc.record({ do: fc.constant("answer-and-cancel"), pick: fc.nat() }),
  fc.record({ do: fc.constant("answer-unadopted"), pick: fc.nat(), decision: fc.constantFrom("allow", "deny") }),
  fc.record({ do: fc.constant("restart") }),
  fc.record({ do: fc.constant("release") }),
  fc.record({ do: fc.constant("stop-turn") })
)
type Action = typeof action extends fc.Arbitrary<infer A> ? A : never

/** Looks again each time that other fibers had their turn. Gives up after a time in which no machine is that slow. */
const until = <A>(look: Effect.Effect<A>, isMet: (found: A) => boolean) =>
  look.pipe(Effect.tap(() => Effect.yieldNow), Effect.repeat({ until: isMet }), Effect.timeoutOption("10 seconds"))

class World {
  readonly ports = new ControlledPorts()
  readonly calls: Array<KnownCall> = []
  /** Those that were acknowledged as recorded. */
  readonly answers: Array<{ readonly callId: CallId; readonly id: OperationId }> = []
  readonly file: string
  owner: Owner
  /** Whether the barrier of the newest step is open. */
  barrier: Fiber.Fiber<unknown, unknown> | undefined
  isStopped = false
  #messages = 0
  #given = 0

  constructor(file: string, owner: Owner, ports: ControlledPorts) {
    this.file = file
    this.owner = owner
    this.ports = ports
  }

  at(place: Place): ReadonlyArray<KnownCall> {
    return this.calls.filter(({ places }) => places.size === 1 && places.has(place))
  }

  choose(pick: number, ...places: ReadonlyArray<Place>): KnownCall | undefined {
    const fitting = places.flatMap((place) => this.at(place))
    return fitting[pick % Math.max(1, fitting.length)]
  }

  get isOpen(): boolean {
    return this.calls.some(({ places }) => [...places].some(isOpen))
  }

  watch(settled: Effect.Effect<unknown, unknown>) {
    return Effect.map(Effect.forkDetach(Effect.exit(settled), { startImmediately: true }), (fiber) => {
      this.barrier = fiber
    })
  }

  readonly propose = Effect.fnUntraced({ self: this }, function*(this: World, proposed: ReadonlyArray<typeof kinds[number]>) {
    const itemId = `message-${this.#messages++}`
    const scripts = proposed.map((kind, index) => script(kind, `${itemId}-${index}`))
    const step = yield* this.owner.calls.propose({ ...this.owner.turn, proposal: asking(itemId, ...scripts) })
    proposed.forEach((kind, index) => {
      const place = this.isStopped && kind !== "unknown" ? "cancelled" : firstPlace[kind]
      this.calls.push({ name: `${itemId}-${index}`, callId: callAt(step, index), places: new Set([place]) })
    })
    yield* this.watch(step.settled)
  })

  answer(call: KnownCall, value: InteractionAnswer) {
    const { callId } = call
    const id = OperationId.make(`op-${this.#given++}`)
    return this.owner.calls.answer(this.owner.turn.fence, { callId, resolution: { id, value, by: "person" } }).pipe(
      Effect.tap(({ decision }) => Effect.sync(() => decision === "recorded" && this.answers.push({ callId, id })))
    )
  }

  /** Ends the owner without order; the next one has the Run, and carries none of its calls. */
  readonly takeOver = Effect.fnUntraced({ self: this }, function*(this: World) {
    yield* this.owner.close
    this.owner = yield* nextOwner({ file: this.file, ports: this.ports }, this.owner.turn)
    this.isStopped = false
  })

  readonly restart = Effect.fnUntraced({ self: this }, function*(this: World) {
    yield* this.takeOver()
    for (const call of this.calls) {
      call.places = new Set([...call.places].flatMap((place): ReadonlyArray<Place> => {
        switch (place) {
          case "running":
            return ["indeterminate"]
          case "supervising":
          case "ready":
            return ["cancelled"]
          default:
            return [place]
        }
      }))
    }
    const adopted = yield* this.owner.calls.adopt(this.owner.turn)
    yield* this.watch(adopted.settled)
  })

  /** The record is what the model says, as soon as nothing changes any more; what the model left open it takes from there. */
  readonly agree = Effect.fnUntraced({ self: this }, function*(this: World) {
    const reading = recordOf(this.owner).pipe(
      Effect.map((record) => {
        const places = new Map<CallId, Place>(record.rows.map(({ callId, state }) => [callId, state]))
        for (const { callId, outcome } of record.responses) places.set(callId, outcome)
        return { ...record, places }
      })
    )
    yield* until(reading, ({ places }) =>
      this.calls.every(({ callId, places: expected }) => {
        const place = places.get(callId)
        return place !== undefined && expected.has(place)
      }))
    const found = yield* reading
    for (const call of this.calls) {
      const place = found.places.get(call.callId)
      expect([...call.places]).toContain(place)
      if (place !== undefined) call.places = new Set([place])
    }
    const responded = found.responses.map(({ callId }) => callId)
    expect(new Set(responded).size).toBe(responded.length)
    const known = new Set(this.calls.map(({ callId }) => callId))
    expect(responded.filter((callId) => !known.has(callId))).toEqual([])
    expect(new Set(this.ports.ran).size).toBe(this.ports.ran.length)
    const barrier = Effect.sync(() => this.barrier?.pollUnsafe() !== undefined)
    yield* until(barrier, (isOpened) => this.barrier === undefined || isOpened !== this.isOpen)
    if (this.barrier !== undefined) expect(yield* barrier).toBe(!this.isOpen)
  })
}

const cancelled: ReadonlySet<Place> = new Set(["cancelled"])
const red: InteractionAnswer = { answers: { colour: { options: ["red"] } } }
const approval = (decision: "allow" | "deny"): InteractionAnswer => ({ approval: { decision } })

/** After the owner was ended at once: what the call was made to do happened, or it did not, or nobody knows. */
const orElse = (...places: ReadonlyArray<Place>) => new Set<Place>([...places, "cancelled", "indeterminate"])

const perform = Effect.fnUntraced(function*(world: World, action: Action) {
  const { ports } = world
  switch (action.do) {
    case "propose":
      if (!world.isOpen) yield* world.propose(action.kinds)
      return
    case "restart":
      yield* world.restart()
      return
    case "release": {
      const onlyAwaits = world.calls.some(({ places }) => [...places].some((place) => place.startsWith("awaiting"))) &&
        world.at("running").length + world.at("supervising").length === 0
      expect(yield* world.owner.calls.release(world.owner.turn.turnId)).toBe(onlyAwaits)
      if (onlyAwaits) yield* world.watch((yield* world.owner.calls.adopt(world.owner.turn)).settled)
      return
    }
    case "stop-turn":
      yield* world.owner.calls.stopTurn(world.owner.turn.turnId, { force: false })
      world.isStopped = true
      for (const call of world.calls) if ([...call.places].some(isOpen)) call.places = cancelled
      return
    case "decide": {
      const call = world.choose(action.pick, "supervising")
      if (call === undefined) return
      yield* ports.decide(call.name, action.verdict)
      const next = ({ allow: "running", deny: "denied", approval: "awaiting_approval" } as const)[action.verdict]
      call.places = new Set([next])
      if (action.hasty) {
        yield* world.restart()
        call.places = orElse(next, ...(next === "running" ? [] : [next]))
      }
      return
    }
    case "end": {
      const call = world.choose(action.pick, "running")
      if (call === undefined) return
      yield* ports.end(call.name, resultEnd("value"))
      call.places = new Set(["completed"])
      if (action.hasty) {
        yield* world.restart()
        call.places = new Set(["completed", "indeterminate"])
      }
      return
    }
    case "approve": {
      const call = world.choose(action.pick, "awaiting_approval")
      if (call === undefined) return
      expect((yield* world.answer(call, approval(action.decision))).decision).toBe("recorded")
      const next = action.decision === "allow" ? "running" : "denied"
      call.places = new Set([next])
      if (action.hasty) {
        yield* world.restart()
        call.places = action.decision === "allow" ? orElse("running") : new Set(["denied"])
      }
      return
    }
    case "reply": {
      const call = world.choose(action.pick, "awaiting_input")
      if (call === undefined) return
      expect((yield* world.answer(call, red)).decision).toBe("recorded")
      if (action.hasty) yield* world.restart()
      call.places = new Set(["completed"])
      return
    }
    case "answer-unadopted": {
      const call = world.choose(action.pick, "awaiting_approval", "awaiting_input")
      if (call === undefined) return
      const isApproval = call.places.has("awaiting_approval")
      yield* world.takeOver()
      expect((yield* world.answer(call, isApproval ? approval(action.decision) : red)).decision).toBe("recorded")
      yield* world.restart()
      call.places = new Set([!isApproval ? "completed" : action.decision === "allow" ? "running" : "denied"])
      return
    }
    case "cancel": {
      const call = world.choose(action.pick, "supervising", "awaiting_approval", "awaiting_input", "running")
      if (call === undefined) return
      yield* world.owner.calls.cancel(call.callId, { force: false })
      if (!action.hasty) call.places = cancelled
      else {
        const before = call.places
        yield* world.restart()
        call.places = new Set([...before].flatMap((place): ReadonlyArray<Place> =>
          place === "running" ? ["cancelled", "indeterminate"] : place === "supervising" ? ["cancelled"] : ["cancelled", place]))
      }
      return
    }
    case "answer-and-cancel": {
      const call = world.choose(action.pick, "awaiting_approval", "awaiting_input")
      if (call === undefined) return
      const value = call.places.has("awaiting_approval") ? approval("allow") : red
      const cancel = world.owner.calls.cancel(call.callId, { force: true })
      yield* Effect.all([world.answer(call, value), cancel], { concurrency: 2 })
      call.places = new Set(["cancelled", ...(call.places.has("awaiting_input") ? ["completed" as const] : [])])
      return
    }
  }
})

const play = Effect.fnUntraced(function*(actions: ReadonlyArray<Action>) {
  const file = yield* temporaryDatabase
  const ports = new ControlledPorts()
  const world = new World(file, yield* firstOwner({ file, ports }), ports)
  for (const action of actions) {
    yield* perform(world, action)
    yield* world.agree()
  }
  yield* world.owner.calls.stopTurn(world.owner.turn.turnId, { force: true })
  const { responses, rows } = yield* recordOf(world.owner)
  expect(rows).toEqual([])
  expect(responses.map(({ callId }) => callId).toSorted()).toEqual(world.calls.map(({ callId }) => callId).toSorted())
  for (const { callId, id } of world.answers) {
    const response = responses.find((response) => response.callId === callId)
    expect(response?.interactions?.map(({ resolution }) => resolution?.id)).toContain(id)
  }
})

describe("any interleaving of proposals, decisions, ends, answers, cancels and restarts", () => {
  it.live("gives every call exactly one response, runs none twice, opens no barrier before its last call is settled, and loses no recorded answer", () =>
    Effect.promise(() =>
      fc.assert(
        fc.asyncProperty(fc.array(action, { minLength: 5, maxLength: 25 }), (actions) =>
          Effect.runPromise(Effect.scoped(play(actions)))),
        { numRuns: 60, endOnFailure: true }
      )
    ), 120_000)
})
