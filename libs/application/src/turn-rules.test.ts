import type { CallId, ConversationId, RunId, StoredEvent, TurnId, UnfinishedCall, UnreadableEvent } from "@steno/contracts"
import type { RunRow } from "@steno/ledger"
import { describe, expect, it } from "vitest"
import { abandonedRunState, abandonedTurnEnd, abandonedTurnResult, directCommandTurnResult, restingState } from "./turn-rules.ts"

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

  it("that is lost itself leaves its Run halted", () => {
    expect(abandonedRunState({ run, events: [], turns: [], unfinished: [] })).toBe("halted")
  })
})
