/** Claims about facts once they are committed: sequences, publication, durability. */
import { it } from "@effect/vitest"
import { ledgerLimits, Sequence, type StoredEvent } from "@steno/contracts"
import { Context, Deferred, Effect, Exit, Fiber, Layer, Schema, Stream } from "effect"
import { TestClock } from "effect/testing"
import { expect } from "vitest"
import { CallLedger } from "../calls.ts"
import { CommittedFacts } from "../committed-facts.ts"
import { RunLedger } from "../runs.ts"
import { TurnLedger } from "../turns.ts"
import { admitted, type Claim, type MakeLayer, recordOf, refusal } from "./contract-test.ts"
import { sampleAdmission, sampleCall, sampleId, sampleResponse, sampleSettlement } from "./sample-facts.ts"

/** Gathers published events until one settles a Turn. It listens when this resolves. */
const listen = Effect.fnUntraced(function*<R>(each: (event: StoredEvent) => Effect.Effect<void, never, R>) {
  const facts = yield* CommittedFacts
  const fiber = yield* facts.events.pipe(
    Stream.takeUntil((event) => event.type === "turn-settled"),
    Stream.tap(each),
    Stream.runCollect,
    Effect.forkChild({ startImmediately: true })
  )
  yield* Effect.yieldNow
  return fiber
})

export const factClaims = (claim: Claim, makeLayer: MakeLayer): void => {
  claim("each Session's sequence runs from 1 without gap under concurrent writers", Effect.gen(function*() {
    const calls = yield* CallLedger
    const numbers = [1, 2, 3]
    yield* Effect.forEach(numbers, (number) =>
      Effect.flatMap(admitted(number), (fence) =>
        Effect.forEach(
          Array.from({ length: 10 }, (_, index) => number * 100 + index),
          (call) => calls.createToolCalls(fence, [sampleCall(number, call)]),
          { concurrency: "unbounded" }
        )), { concurrency: "unbounded" })
    for (const number of numbers) {
      const { events } = yield* recordOf(number)
      expect(events.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 11 }, (_, index) => index + 1))
      expect(events.every(({ sequence }) => Schema.is(Sequence)(sequence))).toBe(true)
    }
  }))

  claim("events are told in sequence, when they can be read, equal to what is stored", Effect.gen(function*() {
    const calls = yield* CallLedger
    const turns = yield* TurnLedger
    const runs = yield* RunLedger
    const readable: Array<boolean> = []
    const fiber = yield* listen((event) =>
      Effect.gen(function*() {
        const record = yield* Effect.orDie(runs.readRun(sampleId.run(1)))
        readable.push(record?.events.some(({ sequence }) => sequence === event.sequence) ?? false)
      })
    )
    const fence = yield* admitted(1)
    yield* calls.createToolCalls(fence, [sampleCall(1, 1), sampleCall(1, 2)])
    const responses = [1, 2].map((call) => ({ response: sampleResponse(call), assets: [] }))
    yield* turns.settleTurn(fence, sampleSettlement(1, "lost", { responses }))
    const told = yield* Fiber.join(fiber)
    expect(told).toEqual((yield* recordOf(1)).events)
    expect(told.map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4, 5, 6])
    expect(readable).toEqual([true, true, true, true, true, true])
  }))

  claim("nothing is told of a refused write", Effect.gen(function*() {
    const calls = yield* CallLedger
    const turns = yield* TurnLedger
    const fence = yield* admitted(1)
    yield* calls.createToolCalls(fence, [sampleCall(1, 1)])
    const fiber = yield* listen(() => Effect.void)
    expect(yield* refusal(calls.createToolCalls(fence, [sampleCall(1, 2), sampleCall(1, 1)]))).toBe("Conflict")
    const responses = [{ response: sampleResponse(1), assets: [] }]
    expect(yield* refusal(turns.settleTurn(fence, sampleSettlement(1)))).toBe("Conflict")
    yield* turns.settleTurn(fence, sampleSettlement(1, "lost", { responses }))
    expect((yield* Fiber.join(fiber)).map(({ sequence }) => sequence)).toEqual([3, 4])
  }))

  claim("a listener that does not read holds no writer up and loses nothing", Effect.gen(function*() {
    const calls = yield* CallLedger
    const turns = yield* TurnLedger
    const release = yield* Deferred.make<void>()
    const fiber = yield* listen(() => Deferred.await(release))
    const fence = yield* admitted(1)
    const numbers = Array.from({ length: 200 }, (_, index) => index + 1)
    for (const call of numbers) yield* calls.createToolCalls(fence, [sampleCall(1, call)])
    const responses = numbers.map((call) => ({ response: sampleResponse(call), assets: [] }))
    yield* turns.settleTurn(fence, sampleSettlement(1, "lost", { responses }))
    yield* Deferred.succeed(release, undefined)
    expect(yield* Fiber.join(fiber)).toHaveLength(402)
  }))

  claim("a payload that does not fit its schema is a defect and writes nothing", Effect.gen(function*() {
    const runs = yield* RunLedger
    const admission = sampleAdmission(1)
    const broken = { ...admission, admitted: { ...admission.admitted, input: JSON.parse("7") } }
    const exit = yield* Effect.exit(runs.admitRun(broken))
    expect(Exit.isFailure(exit) && exit.cause.reasons.some((reason) => reason._tag === "Die")).toBe(true)
    expect(yield* runs.listRuns({ limit: 1 })).toEqual([])
  }))

  it.effect("what was committed is there after reopening", () =>
    Effect.gen(function*() {
      const layer = yield* makeLayer
      const write = Effect.gen(function*() {
        const calls = yield* CallLedger
        yield* calls.createToolCalls(yield* admitted(1), [sampleCall(1, 1)])
        return yield* recordOf(1)
      })
      const before = yield* Effect.provide(write, Layer.fresh(layer))
      expect(yield* Effect.provide(recordOf(1), Layer.fresh(layer))).toEqual(before)
    }))

  it.effect("commits of another opening are noticed within the watch interval, one's own are not", () =>
    Effect.gen(function*() {
      const layer = yield* makeLayer
      const here = yield* Layer.build(Layer.fresh(layer))
      const elsewhere = yield* Layer.build(Layer.fresh(layer))
      let noticed = 0
      yield* Context.get(here, CommittedFacts).otherProcesses.pipe(
        Stream.runForEach(() => Effect.sync(() => noticed++)),
        Effect.forkChild({ startImmediately: true })
      )
      const afterWatch = TestClock.adjust(ledgerLimits.watchMs)
      yield* Effect.provideContext(admitted(1), here)
      yield* afterWatch
      expect(noticed).toBe(0)
      yield* Effect.provideContext(admitted(2), elsewhere)
      yield* Effect.provideContext(admitted(3), elsewhere)
      yield* afterWatch
      expect(noticed).toBe(1)
      yield* afterWatch
      expect(noticed).toBe(1)
      yield* Effect.provideContext(admitted(4), elsewhere)
      yield* afterWatch
      expect(noticed).toBe(2)
    }))
}
