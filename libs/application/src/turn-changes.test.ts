import { type CallArguments, CallId, type CallOutcome, ConversationId, type StoredEvent, TurnId } from "@steno/contracts"
import { describe, expect, it } from "vitest"
import { unseenChanges } from "./turn-changes.ts"

const id = (ordinal: number) => CallId.make(`call_01ARZ3NDEKTSV4RRFFQ${String(ordinal).padStart(7, "0")}`)
const turnId = TurnId.make("turn_01ARZ3NDEKTSV4RRFFQ69G5FAV")
const workspace = "/w"

const common = (sequence: number, turn: TurnId) => ({
  conversationId: ConversationId.make("conv_01ARZ3NDEKTSV4RRFFQ69G5FAV"), sequence, turnId: turn, version: 1, createdAt: "2026-01-01T00:00:00.000Z"
})

/** A call of a message and, unless it is open, its response. */
const called = (
  ordinal: number,
  tool: string,
  args: CallArguments,
  outcome?: CallOutcome,
  turn = turnId
): ReadonlyArray<StoredEvent> => [
  {
    ...common(2 * ordinal, turn),
    type: "assistant-message",
    payload: { blocks: [{ type: "call", itemId: `i${ordinal}`, firstSeen: ordinal, callId: id(ordinal), tool, arguments: args }] }
  },
  ...(outcome === undefined ? [] : [{
    ...common(2 * ordinal + 1, turn),
    type: "tool-call-response" as const,
    payload: { callId: id(ordinal), tool, origin: "model" as const, outcome, survivors: [], warnings: [], assetIds: [] }
  }])
]

describe("changes of a Turn that are only on record", () => {
  it("are files of its writing calls that completed or may have, each once and named from the Workspace", () => {
    const events = [
      ...called(1, "write", { path: "a" }, "completed"),
      ...called(2, "edit", { path: "./b/../a" }, "completed"),
      ...called(3, "edit", { path: "/w/c" }, "indeterminate"),
      ...called(4, "write", { path: "../out" }, "completed"),
      ...called(5, "write", { path: "..dots" }, "completed")
    ]
    expect(unseenChanges(events, { turnId, workspace }, new Set())).toEqual(["a", "c", "/out", "..dots"])
  })

  it("are none of calls that are known, changed nothing, are open, or are of another Turn", () => {
    const events = [
      ...called(1, "write", { path: "known" }, "completed"),
      ...called(2, "edit", { path: "dry", dryRun: true }, "completed"),
      ...called(3, "write", { path: "failed" }, "failed"),
      ...called(4, "write", { path: "cancelled" }, "cancelled"),
      ...called(5, "write", { path: "open" }),
      ...called(6, "read", { path: "read" }, "completed"),
      ...called(7, "write", { path: "other" }, "completed", TurnId.make("turn_01ARZ3NDEKTSV4RRFFQ69G5FAW"))
    ]
    expect(unseenChanges(events, { turnId, workspace }, new Set([id(1)]))).toEqual([])
  })
})
