import { describe, expect, it } from "vitest"
import { failureReason } from "./codex-fault.ts"

describe("a failure of Codex", () => {
  it.each([
    ["unauthorized", "auth"],
    [{ httpConnectionFailed: { httpStatusCode: 401 } }, "auth"],
    ["contextWindowExceeded", "context"],
    [{ responseTooManyFailedAttempts: { httpStatusCode: 429 } }, "native"],
    ["other", "native"],
    [null, "native"]
  ] as const)("of kind %j is %s", (info, reason) => {
    expect(failureReason(info)).toBe(reason)
  })
})
