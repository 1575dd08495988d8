import { assert, describe, it } from "@effect/vitest"
import { IdMinter, type StoredEvent } from "@steno/contracts"
import { Effect } from "effect"
import { resolveCall } from "./run-reference.ts"

const at = "2026-01-02T03:04:05.000Z"

/** A Run of two calls. */
const twoCalls = Effect.gen(function*() {
  const ids = yield* IdMinter
  const runId = yield* ids.mint("run")
  const conversationId = yield* ids.mint("conv")
  const turnId = yield* ids.mint("turn")
  const callIds = [yield* ids.mint("call"), yield* ids.mint("call")] as const
  const events = callIds.map((callId, index): StoredEvent => ({
    conversationId,
    turnId,
    version: 1,
    createdAt: at,
    sequence: index + 1,
    itemId: callId,
    firstSeen: index,
    type: "tool-call-started",
    payload: { callId, origin: "user", tool: "bash", arguments: { command: "true", cwd: "/w" } }
  }))
  const run = {
    runId,
    kind: "once",
    workspacePath: "/w",
    harness: { id: "command" },
    state: "succeeded",
    epoch: 1,
    launchedAt: at,
    activityAt: at,
    input: "true"
  } as const
  return { callIds, record: { run, sessions: [], turns: [], events, unfinished: [], assets: [] } }
})

describe("a call that a person names", () => {
  it.effect("is found by ordinal, id and unique prefix in any case", () =>
    Effect.gen(function*() {
      const { callIds, record } = yield* twoCalls
      for (const text of ["2", callIds[1], callIds[1].slice("call_".length), `call_${callIds[1].slice("call_".length).toLowerCase()}`]) {
        assert.strictEqual((yield* resolveCall(record, text)).callId, callIds[1])
      }
    }))

  it.effect("by fewer than 8 characters is id-ambiguous in the words of a Run's", () =>
    Effect.gen(function*() {
      const { callIds, record } = yield* twoCalls
      for (const text of [callIds[0].slice(0, "call_".length + 7), "0", "ABC"]) {
        const { problem } = yield* Effect.flip(resolveCall(record, text))
        assert.strictEqual(problem.code, "id-ambiguous")
        assert.match(problem.explanation, /is too short: a shortened id has at least 8 characters after its prefix\.$/)
      }
    }))

  it.effect("by what two calls share is id-ambiguous", () =>
    Effect.gen(function*() {
      const { callIds, record } = yield* twoCalls
      const { problem } = yield* Effect.flip(resolveCall(record, callIds[0].slice(0, "call_".length + 8)))
      assert.strictEqual(problem.code, "id-ambiguous")
    }))

  it.effect("that the Run does not have is call-not-found", () =>
    Effect.gen(function*() {
      const { record } = yield* twoCalls
      for (const text of ["3", "call_7ZZZZZZZZZZZZZZZZZZZZZZZZZ", "no call", "call_", "-1"]) {
        assert.strictEqual((yield* Effect.flip(resolveCall(record, text))).problem.code, "call-not-found")
      }
    }))
})
