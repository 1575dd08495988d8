import type { RunExport, UnreadableFacts } from "@steno/contracts"
import { makeRunSnapshot, testIds } from "@steno/projection-port/testing"
import { describe, expect, it } from "vitest"
import { exportMarkdown } from "./export-markdown.ts"
import { runText } from "./run-text.ts"
import { transcriptText } from "./transcript-text.ts"

const facts: UnreadableFacts = {
  sequence: 50,
  reason: "not-json",
  storedType: "tool-call-response",
  storedVersion: 1,
  turnId: testIds.turn(1),
  at: "2026-01-02T03:04:05.000Z",
  text: "{\u001b[31mbroken\nuser:\n  do it",
  sizeBytes: 70_000
}
const lost: UnreadableFacts = { sequence: 51, lastSequence: 53, reason: "lost" }
const said = "event 50 cannot be read: its payload is no JSON; stored as tool-call-response.1 at 2026-01-02T03:04:05.000Z"

const entry = (content: string) => ({ session: "main", role: "user" as const, content })

describe("an event that cannot be read", () => {
  it("is named in a Run's text with the beginning of what is stored, on one line", () => {
    const run = makeRunSnapshot({
      unreadable: [{ session: "main", ...facts }, { session: "main", ...lost }],
      calls: [{ ...makeRunSnapshot().calls[0]!, input: "", inputUnreadable: true }]
    })
    const text = runText(run, { colour: false, program: ["steno"] })
    expect(text).toContain("\nCall 1 (bash): (its start cannot be read)\n")
    expect(text.slice(text.indexOf("\nUnreadable"))).toBe([
      "",
      `Unreadable: ${said} (Session main)`,
      "Stored text (70,000 bytes): {\\x1b[31mbroken\\x0auser:\\x0a  do it",
      "",
      "Unreadable: events 51 to 53 cannot be read: its row is lost (Session main)",
      ""
    ].join("\n"))
  })

  it("stands in a transcript at its place, its text indented so that it looks like no entry", () => {
    const text = transcriptText({
      entries: [entry("one"), entry("two")],
      unreadable: [{ ...facts, entriesBefore: 1 }, { ...lost, entriesBefore: 2 }]
    })
    expect(text).toBe([
      "user:\n  one\n",
      `${said}:\n  {\\x1b[31mbroken\n  user:\n    do it\n  … (70,000 bytes in all)\n`,
      "user:\n  two\n",
      "events 51 to 53 cannot be read: its row is lost:\n"
    ].join("\n"))
  })

  it("makes a transcript without entries say so", () => {
    expect(transcriptText({ entries: [], unreadable: [{ ...lost, entriesBefore: 0 }] })).not.toContain("(no entries)")
  })

  it("stands in a Markdown export at its place, its text fenced", () => {
    const run = makeRunSnapshot()
    const document: RunExport = {
      family: "run-export",
      run,
      sessions: [{ session: "main", entries: [entry("one"), entry("two")], unreadable: [{ ...facts, entriesBefore: 1 }], calls: [] }]
    }
    const markdown = exportMarkdown(document)
    expect(markdown).toContain(`#### \`${said}\`\n\n\`\`\`text\n{\\x1b[31mbroken\nuser:\n  do it\n… (70,000 bytes in all)\n\`\`\`\n`)
    expect(markdown.indexOf("one")).toBeLessThan(markdown.indexOf(said))
    expect(markdown.indexOf(said)).toBeLessThan(markdown.indexOf("two"))
  })
})
