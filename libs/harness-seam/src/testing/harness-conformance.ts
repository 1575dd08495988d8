/**
 * The conformance suite: what holds for every harness behind the Seam.
 *
 * Owns: the claims about admission, order, identity and closing.
 * Never owns: a harness's own protocol (its replays), the producer's merging (its property tests).
 */
import { Deferred, Effect, Exit } from "effect"
import { expect } from "vitest"
import { slotOf } from "../turn-core.ts"
import type { TurnEvent } from "../turn-event.ts"
import { slots } from "../turn-output.ts"
import type { AdmissionAnswer } from "../turn-host.ts"
import { callRuns, describeClaims, contents, hostOf, ofType, play, prepare, settledTexts } from "./conformance-play.ts"
import { conformanceSecret } from "./conformance-scenarios.ts"
import type { HarnessMaker } from "./conformance-subject.ts"
import { describeControlConformance } from "./control-conformance.ts"
import { turnRequest } from "./seam-values.ts"

const denied: AdmissionAnswer = { kind: "refused", reason: "fenced" }

/** Defines the suite for one harness. Its `make` plays the scenarios of `conformanceScenarios`. */
export const describeHarnessConformance = (name: string, maker: HarnessMaker): void => {
  describeClaims(maker, `${name} admits first`, (claim) => {
    for (const [title, admit] of [
      ["a refused admission", Effect.succeed(denied)],
      ["an admission that throws", Effect.die(new Error("host"))]
    ] as const) {
      claim("text", `${title} sends nothing and starts nothing`, () =>
        Effect.gen(function*() {
          const { host, result, subject } = yield* play(maker, "text", { answers: { admit } })
          expect(result.kind).toBe("not-started")
          expect(subject.inputs()).toEqual([])
          expect(contents(host)).toEqual([])
        }))
    }

    claim("text", "the handle is there before acceptance, and no input before the admission", () =>
      Effect.gen(function*() {
        const { prepared, subject } = yield* prepare(maker, "text")
        const [asked, allowed] = [Deferred.makeUnsafe<void>(), Deferred.makeUnsafe<AdmissionAnswer>()]
        const admit = Effect.andThen(Deferred.succeed(asked, undefined), Deferred.await(allowed))
        const request = turnRequest({ input: "hello?" })
        const host = hostOf(subject, { admit }, request)
        const handle = yield* prepared.startTurn(request, host)
        yield* Deferred.await(asked)
        expect(subject.inputs()).toEqual([])
        yield* Deferred.succeed(allowed, { kind: "admitted" })
        expect((yield* host.follow(handle)).kind).toBe("completed")
        expect(subject.inputs()).toEqual(["hello?"])
      }))
  })

  describeClaims(maker, `${name} tells a Turn in order`, (claim) => {
    claim("text", "one message, once, and the result after the last event", () =>
      Effect.gen(function*() {
        const { host, result } = yield* play(maker, "text")
        expect(result).toMatchObject({ kind: "completed", availability: "open" })
        expect(contents(host)).toEqual(["Hello"])
        expect(host.journal[0]?.kind).toBe("admit")
        expect(host.journal.at(-1)).toEqual({ kind: "result", result })
      }))

    claim("text", "whoever subscribes late sees what an early one is left with", () =>
      Effect.gen(function*() {
        const { handle, host } = yield* play(maker, "text")
        const left = new Map<string, TurnEvent>()
        host.journal.forEach((entry, at) => {
          if (entry.kind === "propose") {
            for (const { id, kind } of settledTexts(host)) left.delete(slots[kind](id))
          }
          if (entry.kind !== "event") return
          const { clears, slot } = slotOf(entry.event)
          if (clears !== undefined) left.delete(clears)
          left.set(slot ?? `#${at}`, entry.event)
        })
        const late: Array<TurnEvent> = []
        handle.subscribe((event) => late.push(event))
        expect(late).toEqual([...left.values()])
      }))

    claim("two-blocks", "two text blocks stay two, each with its own id", () =>
      Effect.gen(function*() {
        const { host } = yield* play(maker, "two-blocks")
        expect(contents(host)).toEqual(["one", "two"])
        expect(new Set(settledTexts(host).map(({ id }) => id)).size).toBe(2)
      }))

    claim("calls", "calls keep their order of appearance, their own output and their own end", () =>
      Effect.gen(function*() {
        const { host, result, subject } = yield* play(maker, "calls")
        const events = host.events()
        expect(ofType(events, "tool-call-started").map(({ call }) => call.input)).toEqual(["a", "b"])
        expect(ofType(events, "tool-call-ended").map(({ call, ending }) => [call.input, call.output?.text, ending.outcome]))
          .toEqual([["b", "out-b\n", "completed"], ["a", "out-a\n", "failed"]])
        expect(result.kind).toBe("completed")
        const told = JSON.stringify(events)
        for (const id of subject.nativeIds) expect(told).not.toContain(id)
      }))

    claim("running-call", "a call that runs when the Turn completes gets no end", () =>
      Effect.gen(function*() {
        const { host, result } = yield* play(maker, "running-call")
        expect(result.kind).toBe("completed")
        expect(ofType(host.events(), "tool-call-started")).toHaveLength(1)
        expect(ofType(host.events(), "tool-call-ended")).toEqual([])
      }))

    claim("long-output", "the last 30,000 units of an output are kept, and it says that some were dropped", () =>
      Effect.gen(function*() {
        const { host } = yield* play(maker, "long-output")
        const [ended] = ofType(host.events(), "tool-call-ended")
        expect(ended?.call.output).toMatchObject({ text: "x".repeat(30_000), dropped: true })
      }))

    claim("pending-text", "text that never settled is told once, incomplete, before the result", () =>
      Effect.gen(function*() {
        const { host, result } = yield* play(maker, "pending-text")
        expect(result.kind).toBe("failed")
        expect(ofType(host.events(), "assistant-content")).toEqual([
          expect.objectContaining({ content: "half", incomplete: true })
        ])
      }))

    claim("thoughts", "a blank Thought is nothing", () =>
      Effect.gen(function*() {
        const { host } = yield* play(maker, "thoughts")
        expect(settledTexts(host).flatMap(({ content, kind }) => (kind === "thought" ? [content] : []))).toEqual(["plan"])
      }))

    claim("diff", "one final diff with every file in order", () =>
      Effect.gen(function*() {
        const { host } = yield* play(maker, "diff")
        const finals = ofType(host.events(), "turn-diff")
        expect(finals).toHaveLength(1)
        expect(finals[0]?.files.map(({ path }) => path)).toEqual(Array.from({ length: 300 }, (_, at) => `f${at}`))
      }))

    claim("context", "a context report replaces the one before it, omitted fields too", () =>
      Effect.gen(function*() {
        const { host } = yield* play(maker, "context")
        expect(ofType(host.events(), "context").map((event) => event.report)).toEqual([
          { usedTokens: 1, limitTokens: 10 },
          { usedTokens: 2 }
        ])
      }))

    claim("secret", "a secret is nowhere, also where it came in pieces", () =>
      Effect.gen(function*() {
        const { host } = yield* play(maker, "secret", { prepare: { secrets: [conformanceSecret] } })
        expect(contents(host)).toEqual(["x [redacted] y"])
        expect(ofType(host.events(), "tool-call-ended").map(({ call }) => call.output?.text)).toEqual(["x [redacted] y"])
        expect(JSON.stringify(host.journal)).not.toContain(conformanceSecret.slice(-8))
        expect([...host.sinks.values()].map(({ text }) => text)).toEqual(["x [redacted] y"])
      }))
  })

  describeClaims(maker, `${name} is closed`, (claim) => {
    claim("text", "twice with the same report, and no process is left", () =>
      Effect.gen(function*() {
        const { prepared, subject } = yield* prepare(maker, "text")
        const host = hostOf(subject)
        yield* host.follow(yield* prepared.startTurn(turnRequest(), host))
        const first = yield* prepared.close
        expect(yield* prepared.close).toEqual(first)
        expect(first.survivors).toEqual([])
        expect(yield* subject.running).toBe(0)
      }))

    claim("text", "a second live Turn and a Turn after close are defects, and the live Turn goes on", () =>
      Effect.gen(function*() {
        const { prepared, subject } = yield* prepare(maker, "text")
        const gate = Deferred.makeUnsafe<AdmissionAnswer>()
        const host = hostOf(subject, { admit: Deferred.await(gate) })
        const start = Effect.exit(prepared.startTurn(turnRequest(), hostOf(subject)))
        const handle = yield* prepared.startTurn(turnRequest(), host)
        expect(Exit.hasDies(yield* start)).toBe(true)
        yield* Deferred.succeed(gate, { kind: "admitted" })
        expect((yield* host.follow(handle)).kind).toBe("completed")
        yield* prepared.close
        expect(Exit.hasDies(yield* start)).toBe(true)
      }))

    claim("text", "ids of items may come again in another Turn", () =>
      Effect.gen(function*() {
        const { prepared, subject } = yield* prepare(maker, "text")
        for (const input of ["first", "second"]) {
          const request = turnRequest({ input })
          const host = hostOf(subject, {}, request)
          yield* host.follow(yield* prepared.startTurn(request, host))
          expect(contents(host)).toEqual(["Hello"])
        }
        expect(subject.inputs()).toEqual(["first", "second"])
      }))

    claim("interrupt", "in mid-Turn: the Turn still settles", () =>
      Effect.gen(function*() {
        const { prepared, subject } = yield* prepare(maker, "interrupt")
        const host = hostOf(subject)
        const handle = yield* prepared.startTurn(turnRequest(), host)
        yield* callRuns(handle, host)
        yield* prepared.close
        expect((yield* handle.result).kind).toBe(maker.loop === true ? "interrupted" : "lost")
        expect(yield* subject.running).toBe(0)
      }))
  })

  describeControlConformance(name, maker)
}
