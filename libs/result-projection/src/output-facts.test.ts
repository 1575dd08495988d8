import { describe, expect, it } from "vitest"
import { type OutputFile, outputFacts } from "./output-facts.ts"
import { processDiagnostics } from "./process-diagnostics.ts"
import { projectionDocument } from "./projection-document.ts"

const projected = (text: string, file: Partial<OutputFile> = {}) => {
  const bytes = new TextEncoder().encode(text)
  const projector = processDiagnostics.begin()
  projector.push(bytes)
  return projector.finish(outputFacts({ bytes: bytes.length, ...file }))
}
const long = Array.from({ length: 500 }, (_, line) => `step ${line}\n`).join("")

describe("an output of which nobody asked how its process ended", () => {
  it.each([
    ["one\ntwo\n", "Output (2 lines, 8 bytes):\none\ntwo"],
    ["", "No output."],
    ["\n\n", "No output but 2 blank lines."]
  ])("(%j) is shown without a word about an end", (text, agent) => {
    expect(projected(text).agent).toBe(agent)
  })

  it("says none either where it is long or binary, whatever else it says", () => {
    for (const text of [long, "\0".repeat(20_000)]) {
      const { agent } = projected(text, { path: "/logs/build.log" })
      expect(agent).not.toMatch(/exit|status|code|signal|ended|fail|command:|time limit/i)
      expect(agent).toContain("/logs/build.log")
    }
  })

  it("names no file where there is none to read again", () => {
    expect(projected(long).agent).not.toContain("to read or search")
  })
})

it("an exit code that was given is said", () => {
  expect(projected("one\n", { exitCode: 2 }).agent).toBe("Exit code 2.\nOutput (1 line, 4 bytes):\none")
})

it("a projection as a document keeps what its policy warned of, and leaves out what it did not", () => {
  const projection = projected("one\n")
  const warnings = [{ code: "policy-failed", text: "It was shown by the fallback." }]
  expect(projectionDocument(projection)).not.toHaveProperty("warnings")
  expect(projectionDocument({ ...projection, decision: { ...projection.decision, warnings: [] } })).not.toHaveProperty("warnings")
  expect(projectionDocument({ ...projection, decision: { ...projection.decision, warnings } }).warnings).toEqual(warnings)
})
