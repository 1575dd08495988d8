import { expect, it } from "@effect/vitest"
import { Diagnostics, Secrets, TurnProducer } from "@steno/harness-seam"
import { makeRecordingTurnHost } from "@steno/harness-seam/testing"
import { Effect, Queue } from "effect"
import { PassThrough } from "node:stream"
import { ClaudeConnection } from "./claude-connection.ts"
import { ClaudeSession } from "./claude-session.ts"
import { LiveTurn } from "./live-turn.ts"
import type { TurnErrand } from "./turn-errands.ts"

const lifecycle = (state: string, messageId: string) => ({ type: "command_lifecycle", command_uuid: messageId, state })
const result = { type: "result", subtype: "success" }

/** A Turn under way whose program has no process. */
const liveTurn = Effect.gen(function*() {
  const diagnostics = new Diagnostics()
  const connection = new ClaudeConnection({
    identity: undefined,
    stdin: new PassThrough(),
    stdout: new PassThrough(),
    stderr: new PassThrough(),
    exited: Effect.never,
    terminate: () => Effect.succeed({ kind: "confirmed" }),
    release: Effect.void
  }, diagnostics)
  const session = new ClaudeSession({ connection, diagnostics })
  const turn = new TurnProducer({
    harness: { id: "claude-code", name: "Claude Code" },
    host: makeRecordingTurnHost(),
    secrets: new Secrets([]),
    diagnostics,
    sealed: () => undefined
  })
  const errands = yield* Queue.unbounded<TurnErrand>()
  const live = new LiveTurn({ session, turn, inputId: "input", errands })
  session.begin(live)
  const steered = (steerId: string) => Effect.forkChild(live.sendSteer({ steerId, text: "left" }, steerId), { startImmediately: true })
  /** The result that was put off last. */
  const held = Effect.map(Queue.take(errands), (errand) => {
    if (errand.kind !== "held") throw new Error("No result was put off")
    return errand.end
  })
  return { live, session, steered, held }
})

it.effect("a result that was put off for a Steer settles no Turn that has gone on since", () =>
  Effect.gen(function*() {
    const { held, live, session, steered } = yield* liveTurn
    yield* steered("first")
    live.take(result)
    const passed = yield* held
    live.take(lifecycle("started", "first"))
    yield* steered("second")
    live.take(result)
    live.settleHeld(passed)
    expect(session.playing).toBe(true)
    live.settleHeld(yield* held)
    expect(session.playing).toBe(false)
    expect(yield* live.nativeEnd).toEqual({ kind: "completed" })
  }))
