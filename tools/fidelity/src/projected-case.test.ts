import { describe, expect, it } from "vitest"
import { caseSets } from "./labelled-case.ts"
import { payloadOf, projectCase } from "./projected-case.ts"

describe("the payload", () => {
  const decision = { kept: [{ line: 5, why: "error" }, { line: 12, why: "the last line" }] }

  it("is the numbered lines of the text, with a newline each", () => {
    expect(payloadOf("Exit code 1.\n5: wrong\n[… 6 lines not shown …]\n12: é\n5 lines are shown.", decision)).toEqual({ lines: 2, bytes: 16 })
  })

  it("is refused where a line that was decided is not in the text", () => {
    expect(() => payloadOf("Exit code 1.\n5: wrong\n123: not twelve", decision)).toThrow("Line 12")
  })
})

describe("a case as a model sees it", () => {
  const [first] = caseSets().flatMap(({ cases }) => cases).filter(({ exitCode }) => exitCode !== 0)
  if (first === undefined) throw new Error("No case fails")

  it("has the exit code and the totals of the recorded run, and is the same twice", () => {
    const { text } = projectCase(first)
    expect(text).toContain(`Exit code ${first.exitCode}`)
    expect(text).toContain(`${first.lines} lines, ${first.bytes} bytes`)
    expect(projectCase(first).text).toBe(text)
  })

  it("has no payload of its own where the output is shown as a whole", () => {
    const output = Buffer.from("one\ntwo\n")
    expect(projectCase({ ...first, output, text: "one\ntwo\n", lines: 2, bytes: 8 }).payload).toBeUndefined()
  })
})
