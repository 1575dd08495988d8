import { Schema } from "effect"
import { describe, expect, it } from "vitest"
import { CallId, OperationId, RunId } from "./ids.schema.ts"

const isRunId = Schema.is(RunId)
const isOperationId = Schema.is(OperationId)
const valid = "run_01JAVW4QKD7QZB2N5T8M3X9C1R"

describe("ids", () => {
  it.each([
    ["its own prefix and 26 characters", valid, true],
    ["another prefix", valid.replace("run", "call"), false],
    ["no prefix", valid.slice(4), false],
    ["25 characters", valid.slice(0, -1), false],
    ["27 characters", `${valid}0`, false],
    ["lower case", valid.toLowerCase(), false],
    ["a letter that Crockford leaves out", valid.replace("A", "I"), false],
    ["more than 128 bits", valid.replace("_0", "_8"), false],
    ["a newline behind it", `${valid}\n`, false],
    ["a path", "run_../../../../etc/passwd", false]
  ])("with %s", (_what, text, accepted) => {
    expect(isRunId(text)).toBe(accepted)
  })

  it("say what was expected when one is refused", () => {
    expect(() => Schema.decodeUnknownSync(CallId)("x")).toThrow("Expected call_ and 26 Crockford base-32 characters")
  })

  it.each([
    ["a", true],
    ["A-Z.0:9_-", true],
    ["x".repeat(128), true],
    ["x".repeat(129), false],
    ["", false],
    ["two words", false],
    ["ä", false],
    ["a\n", false]
  ])("operation id %j: %s", (text, accepted) => {
    expect(isOperationId(text)).toBe(accepted)
  })
})
