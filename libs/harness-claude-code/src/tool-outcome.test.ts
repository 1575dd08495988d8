import { describe, expect, it } from "vitest"
import type { Fields } from "./frame-fields.ts"
import { toolOutcome } from "./tool-outcome.ts"

const accepted: Fields = { permission_decision: { decision: "accept", source: "config" } }
const outcome = (structured: unknown, block: Fields = { content: "said" }, meta: Fields = accepted) =>
  toolOutcome({ block, structured, meta })
const completed = { outcome: "completed" }

describe("the result of a call", () => {
  it("that an interrupt wrote is no evidence of an end", () => {
    expect(outcome("User rejected tool use", { content: "no", is_error: true }, { non_execution_kind: "user-rejected" })).toBeUndefined()
  })

  it("that was refused is denied, with the words of the refusal", () => {
    const meta = { non_execution_kind: "permission-rule", permission_decision: { decision: "reject", source: "user_reject" } }
    expect(outcome("Error: no", { content: "A person refused this call.", is_error: true }, meta)).toEqual({
      ending: { outcome: "denied", reason: "A person refused this call." },
      call: {}
    })
  })

  it("that failed keeps its output and has no exit code", () => {
    expect(outcome("Error: Exit code 3\nbefore", { content: "Exit code 3\nbefore", is_error: true })).toEqual({
      ending: { outcome: "failed", error: "Exit code 3" },
      output: "Exit code 3\nbefore",
      call: {}
    })
  })

  it("of a command is what it printed, empty or not", () => {
    expect(outcome({ stdout: "", stderr: "" })).toEqual({ ending: completed, output: "", call: {} })
    expect(outcome({ stdout: "a", stderr: "b" })).toMatchObject({ output: "a\nb" })
    expect(outcome({ stdout: "a", stderr: "", interrupted: true })).toMatchObject({ ending: { outcome: "failed" }, output: "a" })
  })

  it("that was left out in part says so in the program's words", () => {
    expect(outcome({ stdout: "a", persistedOutputPath: "/kept" }, { content: "<x>\nToo large. Saved to: /kept\n\na" })).toMatchObject({
      call: { nativeOmission: "Too large. Saved to: /kept" }
    })
  })

  it("of a search has the count that was asked for, zero too", () => {
    expect(outcome({ mode: "files_with_matches", numFiles: 0, filenames: [] })).toMatchObject({ call: { count: { value: 0, unit: "files" } } })
    expect(outcome({ mode: "content", numFiles: 1, numLines: 4 })).toMatchObject({ call: { count: { value: 4, unit: "lines" } } })
    expect(outcome({ mode: "count", numFiles: 1, numMatches: 7 })).toMatchObject({ call: { count: { value: 7, unit: "matches" } } })
    expect(outcome({ filenames: ["a"], numFiles: 1, truncated: false })).toMatchObject({ call: { count: { value: 1, unit: "files" } } })
  })

  it("of a change has its hunks; a new file has none", () => {
    const hunk = { oldStart: 1, oldLines: 1, newStart: 1, newLines: 1, lines: ["-a", "+b"] }
    expect(outcome({ filePath: "/f", structuredPatch: [hunk] })).toEqual({
      ending: completed,
      call: { files: [{ path: "/f", kind: "update", patch: [hunk] }] }
    })
    expect(outcome({ type: "create", filePath: "/f", structuredPatch: [] })).toMatchObject({
      call: { files: [{ path: "/f", kind: "create", patch: [] }] }
    })
  })

  it("of a sub-agent is its report; one in the background has none", () => {
    const content = [{ type: "text", text: "<tools-used-before-summary>Bash</tools-used-before-summary>\n" }, { type: "text", text: "One." }]
    expect(outcome({ agentId: "x", status: "completed", content })).toEqual({ ending: completed, output: "One.", call: {} })
    expect(outcome({ agentId: "x", isAsync: true })).toEqual({ ending: completed, call: {} })
  })

  it("without a structured form is the text the model got, several parts as lines", () => {
    const parts = [{ type: "text", text: "Hello" }, { type: "image" }, { type: "text", text: "Ada" }]
    expect(outcome(undefined, { content: parts })).toEqual({ ending: completed, output: "Hello\nAda", call: {} })
    expect(outcome(undefined, {})).toEqual({ ending: completed, call: {} })
  })
})
