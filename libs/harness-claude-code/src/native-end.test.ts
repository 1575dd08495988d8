import { describe, expect, it } from "vitest"
import { isUnasked, nativeEnd } from "./native-end.ts"

describe("a result", () => {
  it.each([
    [{ subtype: "success", is_error: false, terminal_reason: "completed" }, { kind: "completed" }],
    [{ subtype: "success", is_error: false }, { kind: "completed" }],
    [{ subtype: "error_during_execution", is_error: true, terminal_reason: "aborted_tools" }, { kind: "aborted" }],
    [{ subtype: "success", is_error: true, api_error_status: 400, result: "API Error" }, { kind: "failed", failure: { reason: "native", text: "API Error" } }],
    [{ subtype: "success", is_error: true, api_error_status: 401, result: "No" }, { kind: "failed", failure: { reason: "auth", text: "No" } }],
    [{ subtype: "error_max_turns", is_error: true }, { kind: "failed", failure: { reason: "native", text: "error_max_turns" } }],
    [{ subtype: "error_during_execution", is_error: true, errors: ["[ede_diagnostic] x", "Broken"] }, { kind: "failed", failure: { reason: "native", text: "Broken" } }],
    [{}, { kind: "failed", failure: { reason: "native", text: "The program gave no reason" } }]
  ])("%j is read by its fields", (frame, end) => {
    expect(nativeEnd(frame)).toEqual(end)
  })

  it("that has no status says by its error and its reason whether a login or the context was at fault", () => {
    const frame = { subtype: "success", is_error: true, api_error_status: null, result: "No" }
    expect(nativeEnd(frame, "authentication_failed")).toMatchObject({ failure: { reason: "auth" } })
    expect(nativeEnd(frame, "overloaded")).toMatchObject({ failure: { reason: "native" } })
    expect(nativeEnd({ ...frame, terminal_reason: "prompt_too_long" }, "invalid_request")).toMatchObject({ failure: { reason: "context" } })
  })

  it("of a task in the background is nobody's, unless it took the input", () => {
    const origin = { kind: "task-notification" }
    expect(isUnasked({ origin }, "u")).toBe(true)
    expect(isUnasked({ origin, user_message_uuids: ["u"] }, "u")).toBe(false)
    expect(isUnasked({}, "u")).toBe(false)
  })
})
