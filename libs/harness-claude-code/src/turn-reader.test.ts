import { ItemIds } from "@steno/harness-seam"
import { describe, expect, it } from "vitest"
import { TurnReader } from "./turn-reader.ts"

const reports = (frames: ReadonlyArray<Readonly<Record<string, unknown>>>) => {
  const reader = new TurnReader({ ids: new ItemIds() })
  return frames.flatMap((frame) => reader.read(frame))
}

const call = {
  type: "assistant",
  parent_tool_use_id: null,
  message: { id: "m", content: [{ type: "tool_use", id: "native", name: "Bash", input: { command: "make" } }] }
}

describe("a frame", () => {
  it("that says how long a call runs is a sign of its life, for a call that was told", () => {
    const alive = { type: "tool_progress", tool_use_id: "native-heartbeat-0", parent_tool_use_id: "native", elapsed_time_seconds: 30 }
    const [started, living] = reports([call, alive])
    expect(started).toMatchObject({ report: { type: "call-started", call: { itemId: "item-1" } } })
    expect(living).toEqual({ kind: "report", report: { type: "call-updated", call: { itemId: "item-1" } } })
    expect(reports([alive])).toEqual([])
  })

  it("about a model that is asked again says when and why", () => {
    expect(reports([
      { type: "system", subtype: "api_retry", attempt: 2, retry_delay_ms: 1_234.4, error_status: 529, error: "overloaded" },
      { type: "system", subtype: "api_retry", attempt: 3, retry_delay_ms: 5, error_status: null }
    ])).toEqual([
      { kind: "report", report: { type: "provider-retry", attempt: 2, delayMs: 1_234, reason: "overloaded (529)" } },
      { kind: "report", report: { type: "provider-retry", attempt: 3, delayMs: 5, reason: "unknown" } }
    ])
  })

  it("of a sub-agent is told under the call that began it, and nothing without that call", () => {
    const child = {
      type: "assistant",
      parent_tool_use_id: "native",
      agent_id: "agent",
      message: { id: "c", content: [{ type: "text", text: "I count." }] }
    }
    const asked = {
      type: "control_request",
      request_id: "r",
      request: { subtype: "can_use_tool", tool_name: "Bash", tool_use_id: "c", input: { command: "ls" }, agent_id: "agent" }
    }
    expect(reports([call, child]).at(-1)).toMatchObject({ report: { type: "message", content: "I count.", parentItemId: "item-1" } })
    expect(reports([call, child, asked]).at(-1)).toMatchObject({ kind: "permission" })
    expect(reports([child]).map(({ kind }) => kind)).toEqual(["note"])
    expect(reports([child, asked]).at(-1)).toEqual({ kind: "answer", requestId: "r" })
  })

  it("that tells of no login makes the end one of authorization", () => {
    const synthetic = { type: "assistant", is_api_error_message: true, error: "authentication_failed", message: { id: "s", content: [] } }
    const end = { type: "result", subtype: "success", is_error: true, terminal_reason: "api_error", result: "Not logged in" }
    expect(reports([synthetic, end]).at(-1)).toMatchObject({ kind: "end", end: { failure: { reason: "auth", text: "Not logged in" } } })
  })
})
