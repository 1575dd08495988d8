import { describe, expect, it } from "vitest"
import { checkFileClaims } from "./file-claims.ts"
import { projectValue } from "./project-value.ts"
import { makeResultFile, makeValueCall } from "./testing.ts"

const claim = (changes: object = {}) => ({
  path: "/call/files/chart.png",
  label: "Chart",
  role: "primary",
  format: "png",
  tools: ["read"],
  ...changes
})
const found = [{ path: "/call/files/chart.png", sizeBytes: 77 }]

describe("file claims", () => {
  it("count when a file of the call has exactly that path, with the size of the file", () => {
    expect(checkFileClaims([claim({ sizeBytes: 5 })], found)).toEqual({ files: [{ ...claim(), sizeBytes: 77 }], dropped: 0 })
  })

  it.each([
    ["another path", claim({ path: "/etc/passwd" })],
    ["a path that only leads there", claim({ path: "/call/files/../files/chart.png" })],
    ["an unknown role", claim({ role: "main" })],
    ["an unknown tool", claim({ tools: ["open"] })],
    ["a negative size", claim({ sizeBytes: -1 })],
    ["no label", claim({ label: undefined })],
    ["null", null],
    ["text", "/call/files/chart.png"]
  ])("are dropped: %s", (_what, dropped) => {
    expect(checkFileClaims([dropped], found)).toEqual({ files: [], dropped: 1 })
  })

  it("count once per path", () => {
    expect(checkFileClaims([claim(), claim({ label: "again" })], found)).toMatchObject({ files: [{ label: "Chart" }], dropped: 1 })
  })

  it("are shown with label, size, path and tool; a dropped one is shown to nobody, and counted", () => {
    const other = claim({ path: "/etc/passwd", label: "Other" })
    const { agent, card, decision } = projectValue(makeValueCall({
      tool: "other",
      arguments: { wanted: other },
      result: { ok: true, files: [claim(), other] },
      claims: [claim(), other],
      found
    }))
    expect(agent).toContain("Chart (png, 77 bytes): /call/files/chart.png; look at it with read")
    expect(JSON.stringify({ agent, card })).not.toContain("/etc/passwd")
    expect(card.result.lines.join("\n")).toContain("/call/files/chart.png")
    expect(decision.warnings).toContainEqual({ code: "file-claims-dropped", text: "1 claim about files matched no file of the call." })
  })

  it("name twelve files and count the others", () => {
    const files = Array.from({ length: 15 }, (_, at) => makeResultFile({ path: `/f/${at}`, role: "supporting" }))
    const { agent } = projectValue(makeValueCall({ tool: "grep", result: { matches: [] }, files }))
    expect(agent.split("\n")).toHaveLength(14)
    expect(agent).toMatch(/\/f\/11.*\nand 3 other files written$/)
  })
})

describe("files that hold the rest", () => {
  const overflowing = { tool: "grep", result: { matches: Array.from({ length: 200 }, (_, at) => ({ path: "a", line: at, text: "" })) } }
  const agent = (files: ReadonlyArray<ReturnType<typeof makeResultFile>>) => projectValue(makeValueCall({ ...overflowing, files })).agent

  it("are only one when it holds everything, else all, in the order given", () => {
    const { complete: _complete, ...part } = makeResultFile({ path: "/part" })
    expect(agent([part, makeResultFile()])).not.toContain("/part")
    expect(agent([part, { ...part, path: "/other" }])).toMatch(/\/part;.*\n.*\/other;/)
  })

  it("are not named when nothing is left out", () => {
    expect(projectValue(makeValueCall({ tool: "grep", result: { matches: [] }, files: [makeResultFile()] })).agent).toBe("No matches.")
  })

  it("have their path whole, quoted when it could be misread", () => {
    const path = `/a b/${"x".repeat(500)}\n`
    expect(agent([makeResultFile({ path })])).toContain(JSON.stringify(path))
  })
})
