import { it } from "@effect/vitest"
import type { TurnHandle } from "@steno/harness-seam"
import { makeRecordingTurnHost, prepareOptions, turnRequest } from "@steno/harness-seam/testing"
import { Deferred, Effect } from "effect"
import { expect } from "vitest"
import { scriptedCodex } from "./testing/scripted-subject.ts"

/** Resolves when a call of the Turn is under way. */
const callRuns = (handle: TurnHandle) =>
  Effect.callback<void>((resume) => {
    const stop = handle.subscribe(({ type }) => {
      if (type === "tool-call-started") resume(Effect.void)
    })
    return Effect.sync(stop)
  })

/** One Turn of that scenario; `meanwhile` has the handle while it is live. */
const play = (scenario: string, meanwhile: (handle: TurnHandle) => Effect.Effect<unknown> = () => Effect.void) =>
  Effect.gen(function*() {
    const codex = yield* scriptedCodex(scenario)
    const prepared = yield* Effect.acquireRelease(Effect.orDie(codex.harness.prepare(prepareOptions())), ({ close }) => close)
    const host = makeRecordingTurnHost()
    const handle = yield* prepared.startTurn(turnRequest(), host)
    const [result] = yield* Effect.all([host.follow(handle), meanwhile(handle)], { concurrency: "unbounded" })
    return { ...codex, host, prepared, result }
  })

const interrupting = (handle: TurnHandle) => Effect.andThen(callRuns(handle), handle.interrupt)

it.live("a command that an interrupt leaves alive is ended by Codex, which serves the next Turn", () =>
  Effect.gen(function*() {
    const { entries, result } = yield* play("interrupt", interrupting)
    expect(result).toEqual({ kind: "interrupted", confirmedBy: "active-turn", availability: "open" })
    expect(entries().flatMap(({ cleaned = [] }) => cleaned)).toEqual(["native-1"])
  }))

it.live("where Codex cannot end it, it is ended with Codex, and the Session can be reattached", () =>
  Effect.gen(function*() {
    const { result, running } = yield* play("terminals-stay", interrupting)
    expect(result).toEqual({ kind: "interrupted", confirmedBy: "active-turn", availability: "detached" })
    expect(running()).toBe(0)
  }))

/** Resolves when both sub-agents have begun a command. */
const agentsWork = (handle: TurnHandle) =>
  Effect.callback<void>((resume) => {
    let commands = 0
    const stop = handle.subscribe((event) => {
      if (event.type === "tool-call-started" && event.call.tool === "command" && ++commands === 2) resume(Effect.void)
    })
    return Effect.sync(stop)
  })
const interruptingAgents = (handle: TurnHandle) => Effect.andThen(agentsWork(handle), handle.interrupt)

it.live("sub-agents that an interrupt leaves at work are interrupted, then their commands ended", () =>
  Effect.gen(function*() {
    const { entries, result } = yield* play("agents", interruptingAgents)
    expect(result).toEqual({ kind: "interrupted", confirmedBy: "active-turn", availability: "open" })
    expect(entries().flatMap(({ interrupted = [] }) => interrupted)).toEqual(["native-turn-1", "turn-of-native-agent"])
    expect(entries().flatMap(({ cleaned = [] }) => cleaned).toSorted()).toEqual(["native-agent", "native-agent-over"])
  }))

it.live("where Codex does not interrupt them, they are ended with Codex", () =>
  Effect.gen(function*() {
    const { result, running } = yield* play("agents-stay", interruptingAgents)
    expect(result).toEqual({ kind: "interrupted", confirmedBy: "active-turn", availability: "detached" })
    expect(running()).toBe(0)
  }))

it.live("an end by interruption that nobody asked for is a failure", () =>
  Effect.gen(function*() {
    const { result } = yield* play("cancelled-by-itself")
    expect(result).toMatchObject({ kind: "failed", failure: { reason: "native" }, availability: "open" })
  }))

it.live("what Codex resolved itself is withdrawn from the host, and answered no more", () =>
  Effect.gen(function*() {
    const { entries, host, prepared, result } = yield* play("withdrawn")
    yield* prepared.close
    expect(result.kind).toBe("completed")
    expect(host.journal.map(({ kind }) => kind).filter((kind) => kind.startsWith("request"))).toEqual(["request", "request-expired"])
    expect(entries().filter(({ approval }) => approval !== undefined)).toEqual([])
  }))

it.live("the coordinate is told at the admission, the effective model with the result", () =>
  Effect.gen(function*() {
    const { host, result } = yield* play("text")
    expect(host.journal[0]).toEqual({
      kind: "admit",
      admission: { coordinate: "native-1", harness: { id: "codex", name: "Codex", version: "0.171.0" } }
    })
    expect(result).toEqual({ kind: "completed", availability: "open", model: "scripted" })
  }))

it.live("a Turn whose end was never told is settled by what the history of the idle thread says", () =>
  Effect.gen(function*() {
    const { result } = yield* play("idle")
    expect(result).toEqual({ kind: "completed", availability: "open", model: "scripted" })
  }))

it.live("a program that closes its output and lives is ended, and the Turn is lost", () =>
  Effect.gen(function*() {
    const { result, running } = yield* play("mute")
    expect(result).toMatchObject({ kind: "lost", unknown: "completion", availability: "detached", failure: { reason: "protocol" } })
    expect(running()).toBe(0)
  }))

it.live("an interrupt before the input was sent sends none", () =>
  Effect.gen(function*() {
    const codex = yield* scriptedCodex("text")
    const prepared = yield* Effect.acquireRelease(Effect.orDie(codex.harness.prepare(prepareOptions())), ({ close }) => close)
    const interrupted = Deferred.makeUnsafe<void>()
    const host = makeRecordingTurnHost({ admit: Effect.as(Deferred.await(interrupted), { kind: "admitted" }) })
    const handle = yield* prepared.startTurn(turnRequest(), host)
    expect(yield* handle.interrupt).toEqual({ kind: "accepted" })
    Deferred.doneUnsafe(interrupted, Effect.void)
    expect((yield* handle.result).kind).toBe("not-started")
    yield* prepared.close
    expect(codex.entries().filter(({ input }) => input !== undefined)).toEqual([])
  }))
