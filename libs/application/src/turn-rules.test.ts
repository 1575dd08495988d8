import { describe, expect, it } from "vitest"
import { directCommandTurnResult, restingState } from "./turn-rules.ts"

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
