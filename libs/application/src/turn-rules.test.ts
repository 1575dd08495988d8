import type { CallId, ConversationId, RunId, StoredEvent, TurnId, UnfinishedCall, UnreadableEvent } from "@steno/contracts"
import type { RunRow } from "@steno/ledger"
import { describe, expect, it } from "vitest"
import {
  abandonedRunState,
  abandonedTurnEnd,
  abandonedTurnResult,
  directCommandTurnResult,
  restingState,
  settledTurn,
  stateAfterTurn
} from "./turn-rules.ts"

describe("a direct command's Turn", () => {
  it.each([
    [{ outcome: "completed", exitCode: 0 }, "completed", "succeeded"],
    [{ outcome: "completed", exitCode: 3 }, "failed", "failed"],
    [{ outcome: "completed" }, "failed", "failed"],
    [{ outcome: "failed" }, "failed", "failed"],
    [{ outcome: "denied" }, "failed", "failed"],
    [{ outcome: "cancelled" }, "interrupted", "halted"],
    [{ outcome: "indeterminate" }, "lost", "halted"]
  ] as const)("follows its call: %j is %s and the Run %s", (response, result, state) => {
    expect(directCommandTurnResult(response)).toBe(result)
    expect(restingState(result)).toBe(state)
  })

  it("that never started leaves a failed Run", () => {
    expect(restingState("not-started")).toBe("failed")
  })
})

describe("a Turn of a harness", () => {
  const callId = "call_01ARZ3NDEKTSV4RRFFQ69G5FAV" as CallId
  const done = { id: callId, call: "run_done" } as const
  const gaveUp = { id: callId, call: "run_failed" } as const

  it.each([
    ["once", "completed", undefined, undefined, "succeeded"],
    ["once", "failed", undefined, undefined, "failed"],
    ["once", "not-started", undefined, undefined, "failed"],
    ["once", "interrupted", undefined, undefined, "halted"],
    ["once", "lost", undefined, undefined, "halted"],
    ["interactive", "completed", undefined, undefined, "blocked"],
    ["interactive", "failed", undefined, undefined, "blocked"],
    ["interactive", "interrupted", undefined, undefined, "halted"],
    ["once", "completed", "accept", gaveUp, "failed"],
    ["interactive", "completed", "accept", done, "succeeded"],
    ["once", "completed", "review", done, "blocked"],
    ["once", "failed", "accept", done, "failed"],
    ["once", "interrupted", "review", done, "halted"],
    ["once", "completed", "off", gaveUp, "succeeded"]
  ] as const)("of a %s Run that is %s, with Agent calls %s and %o, leaves it %s", (kind, result, agentCalls, agentCall, state) => {
    expect(stateAfterTurn({ kind, result, agentCalls, agentCall })).toBe(state)
  })

  it("is stored with why it ended, and ends its Session where the harness's is proven to be gone", () => {
    const failure = { reason: "auth", text: "No key" } as const
    expect(settledTurn({ kind: "failed", failure, availability: "open" })).toEqual({ result: "failed", detail: "auth: No key", availability: "open" })
    expect(settledTurn({ kind: "not-started", failure })).toEqual({ result: "not-started", detail: "auth: No key", availability: "open" })
    expect(settledTurn({ kind: "interrupted", confirmedBy: "active-turn", availability: "detached" }, { reason: "timed-out" }))
      .toEqual({ result: "interrupted", detail: "timed-out", availability: "detached" })
    expect(settledTurn({ kind: "completed", availability: "unusable" }, { reason: "timed-out" })).toEqual({ result: "completed", availability: "ended" })
  })

  it("that is lost is stored with what nobody knows, and with why it was to end", () => {
    const lost = { kind: "lost", unknown: "interruption", lastObservation: "It did not answer", availability: "detached" } as const
    expect(settledTurn(lost)).toEqual({ result: "lost", detail: "interruption unknown: It did not answer", availability: "detached" })
    expect(settledTurn({ ...lost, failure: { reason: "process-exited", text: "It is gone" } }, { reason: "timed-out" }))
      .toMatchObject({ detail: "timed-out; process-exited: It is gone" })
  })

  it("that did not start leaves its Session to be reattached where it was to go on with a conversation", () => {
    const failure = { reason: "native", text: "It is not there" } as const
    expect(settledTurn({ kind: "not-started", failure }, { coordinate: "thread-1" })).toMatchObject({ availability: "detached" })
  })
})

describe("an abandoned Turn", () => {
  const turnId = "turn_01ARZ3NDEKTSV4RRFFQ69G5FAV" as TurnId
  const callId = "call_01ARZ3NDEKTSV4RRFFQ69G5FAV" as CallId
  const conversationId = "conv_01ARZ3NDEKTSV4RRFFQ69G5FAV" as ConversationId
  const turn = { turnId, conversationId }
  const stored: StoredEvent = {
    conversationId,
    sequence: 3,
    turnId,
    type: "tool-call-response",
    version: 1,
    createdAt: "2026-01-02T03:04:06.500Z",
    payload: { callId, tool: "bash", origin: "user", outcome: "completed", exitCode: 3, survivors: [], warnings: [], assetIds: [] }
  }
  const open = { callId, turnId } as UnfinishedCall

  it("ends as and when its stored response did, whenever somebody settles it", () => {
    const record = { events: [stored], unfinished: [] }
    expect([abandonedTurnResult(record, turn), abandonedTurnEnd(record, turn)]).toEqual(["failed", stored.createdAt])
  })

  it("is lost, at a time that nobody knows, without a response or with a call still open", () => {
    for (const record of [{ events: [], unfinished: [] }, { events: [stored], unfinished: [open] }]) {
      expect([abandonedTurnResult(record, turn), abandonedTurnEnd(record, turn)]).toEqual(["lost", undefined])
    }
  })
  const unreadable: UnreadableEvent = { type: "unreadable", conversationId, sequence: 4, reason: "not-json" }

  it.each([
    [{ turnId, storedType: "tool-call-response" }, "lost"],
    [{ turnId, storedType: "never-heard-of" }, "lost"],
    [{ reason: "lost" }, "lost"],
    [{ turnId, storedType: "turn-settled" }, "failed"],
    [{ turnId: "turn_01ARZ3NDEKTSV4RRFFQ69G5FAX" as TurnId, storedType: "tool-call-response" }, "failed"]
  ] as const)("after which %j stands in its log is %s: what may have been a later response is never guessed", (known, result) => {
    const record = { events: [stored, { ...unreadable, ...known }], unfinished: [] }
    expect(abandonedTurnResult(record, turn)).toBe(result)
  })

  it("follows its response whatever cannot be read before it", () => {
    expect(abandonedTurnResult({ events: [{ ...unreadable, sequence: 2, turnId }, stored], unfinished: [] }, turn)).toBe("failed")
  })

  const run: RunRow = {
    runId: "run_01ARZ3NDEKTSV4RRFFQ69G5FAV" as RunId,
    kind: "once",
    workspacePath: "/w",
    harness: { id: "command" },
    state: "running",
    epoch: 1,
    launchedAt: stored.createdAt,
    activityAt: stored.createdAt,
    input: "true"
  }

  it("with a call of a model that awaits a person goes on: it has no result, and its Run is blocked", () => {
    const asking = { ...open, origin: "model", state: "awaiting_approval" } as UnfinishedCall
    const begun = { turnId, conversationId, origin: "user", entry: false, admittedAt: stored.createdAt } as const
    const record = { run, events: [], turns: [begun], unfinished: [asking, open] }
    expect([abandonedTurnResult(record, turn), abandonedRunState(record)]).toEqual([undefined, "blocked"])
  })

  it("that was settled before its owner died leaves the Run as it was", () => {
    const settled = { turnId, conversationId, origin: "user", entry: false, admittedAt: stored.createdAt, result: "completed" } as const
    const blocked = { ...run, state: "blocked" } as const
    expect(abandonedRunState({ run: blocked, events: [], turns: [settled], unfinished: [] })).toBe("blocked")
    expect(abandonedRunState({ run, events: [], turns: [settled], unfinished: [] })).toBe("succeeded")
  })

  it("that is lost itself leaves its Run halted", () => {
    expect(abandonedRunState({ run, events: [], turns: [], unfinished: [] })).toBe("halted")
  })
})
