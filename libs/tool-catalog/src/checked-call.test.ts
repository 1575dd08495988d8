import { Result } from "effect"
import { describe, expect, it } from "vitest"
import { checkCall } from "./checked-call.ts"

const refusal = (tool: string, sent: unknown) => {
  const checked = checkCall(tool, sent)
  return Result.isFailure(checked) ? [checked.failure.code, checked.failure.message] : checked.success
}

describe("arguments of a call", () => {
  it("that fit come back as they are", () => {
    const sent = { path: "a", offset: 3, limit: 2000 }
    expect(refusal("read", sent)).toEqual({ tool: "read", arguments: sent })
    expect(refusal("bash", { command: "x", env: { A: "" }, timeoutSeconds: 86_400 })).toEqual({
      tool: "bash",
      arguments: { command: "x", env: { A: "" }, timeoutSeconds: 86_400 }
    })
  })

  it("that do not fit are refused with every place and what was expected there, not with what was sent", () => {
    expect(refusal("read", { path: 42_424_242, ofset: 1, limit: 5000 })).toEqual([
      "invalid-arguments",
      "The arguments of read do not fit. ofset: expected no excess property; path: expected string; limit: expected a value between 1 and 2000"
    ])
    expect(refusal("edit", { path: "a", edits: [{ oldText: "x", newText: "y" }, { oldText: "", newText: "secret" }] })).toEqual([
      "invalid-arguments",
      "The arguments of edit do not fit. edits[1].oldText: expected a value with a length of at least 1"
    ])
  })

  it.each([
    ["read", undefined, "arguments: expected object"],
    ["read", null, "arguments: expected object"],
    ["read", { path: "" }, "path: expected"],
    ["read", { path: "a\0b" }, "path: expected text without a NUL"],
    ["read", { path: "a", offset: 0 }, "offset: expected"],
    ["read", { path: "a", limit: 1.5 }, "limit: expected an integer"],
    ["grep", { pattern: "" }, "pattern: expected"],
    ["grep", { pattern: "a", context: 21 }, "context: expected"],
    ["find", { pattern: "*", limit: 2001 }, "limit: expected"],
    ["ls", { limit: 0 }, "limit: expected"],
    ["write", { path: "a" }, "content: missing key"],
    ["write", { path: "a", content: "\ud800" }, "half of a surrogate pair"],
    ["edit", { path: "a", edits: [] }, "edits: expected"],
    ["bash", { command: "x", timeoutSeconds: 86_401 }, "timeoutSeconds: expected"],
    ["bash", { command: "x", env: { "A B": "" } }, "env: expected names"],
    ["bash", { command: "x", env: { STENO_CALL_ID: "call_x" } }, "env: expected names"],
    ["ask_user", { questions: [{ id: "a", prompt: "p", options: [] }] }, "questions[0]: expected options, or allowText"],
    ["ask_user", { questions: [{ id: "a", prompt: "p", options: [{ label: "x" }, { label: "x" }] }] }, "different labels"],
    ["ask_user", { questions: Array(2).fill({ id: "a", prompt: "p", options: [{ label: "x" }] }) }, "different ids"],
    ["run_done", { reason: "x".repeat(401) }, "reason: expected"],
    ["run_failed", { reason: "" }, "reason: expected"]
  ])("of %s: %j is refused: %s", (tool, sent, words) => {
    expect(refusal(tool, sent)).toEqual(["invalid-arguments", expect.stringContaining(words)])
  })

  it("of a tool nobody knows are not looked at; the known tools are named", () => {
    expect(refusal("rm", {})).toEqual([
      "unknown-tool",
      "There is no tool \"rm\". Known: read, grep, find, ls, write, edit, bash, ask_user, run_done, run_failed"
    ])
    expect(refusal("toString", {})).toEqual(["unknown-tool", expect.any(String)])
  })
})
