import { describe, expect, it } from "vitest"
import { type CommandFacts, commandPolicy } from "./command-policy.ts"
import { processDiagnostics } from "./process-diagnostics.ts"
import { makeProcessFacts } from "./testing.ts"

const { exitCode: _exitCode, ...open } = makeProcessFacts({ origin: "model" })

const project = (output: string, changes: Partial<CommandFacts> = {}) => {
  const projector = commandPolicy.begin()
  projector.push(new TextEncoder().encode(output))
  return projector.finish({ ...open, ...changes })
}

describe("the policy of bash", () => {
  it("is process diagnostics for a command's own end, a time limit and a start that failed", () => {
    for (
      const changes of [
        { exitCode: 3 },
        { outcome: "failed", timedOut: true, signal: "SIGTERM" },
        { outcome: "failed", reason: { code: "spawn-failed", text: "no such folder" } }
      ] as const
    ) {
      const plain = processDiagnostics.begin()
      plain.push(new TextEncoder().encode("out\n"))
      expect(project("out\n", changes).agent).toBe(plain.finish({ ...open, ...changes }).agent)
    }
  })

  it("says how a call ended that somebody else ended, then shows what was printed before", () => {
    const { agent, card, decision } = project("out\n", { outcome: "cancelled", interrupted: true, signal: "SIGTERM", origin: "user" })
    expect(agent.split("\n").slice(0, 5)).toEqual([
      "Command: npm test",
      "Interrupted while it ran; nothing it did is rolled back.",
      "Tool: bash",
      "Next: look at what it left behind before running it again.",
      "Process: ended by signal SIGTERM, so there is no exit code (1.2 s)."
    ])
    expect(agent).toMatch(/\nout$/)
    expect(agent.match(/^Command:/gm)).toHaveLength(1)
    expect(agent.match(/SIGTERM/g)).toHaveLength(1)
    expect(decision).toMatchObject({ profile: "process_diagnostics", totalLines: 1 })
    expect(card).toMatchObject({ result: { lines: ["out"] }, stats: { lines: 1, bytes: 4, signal: "SIGTERM", durationMs: 1_234 } })
  })

  it("shows no output of a call that printed none, and what happened on its card", () => {
    const { agent, card, decision } = project("", { outcome: "denied", denial: { by: "policy", rule: "deny rm *", segment: "rm -rf x" } })
    expect(agent).toBe([
      "Denied by policy, rule deny rm *, because of: rm -rf x; the call was not run.",
      "Tool: bash",
      "Next: do not repeat it unchanged; go a way that is permitted, or ask the person."
    ].join("\n"))
    expect(card.result.lines).toEqual(agent.split("\n"))
    expect(decision).toMatchObject({ profile: "terminal_outcome", fits: true })
  })

  it("gives an end nobody saw neither a code nor a failure", () => {
    const { agent } = project("", { outcome: "indeterminate", reason: { code: "owner-gone", text: "its owner is gone" } })
    expect(agent).toContain("Reason: its owner is gone")
    expect(agent).not.toMatch(/fail|\d/i)
  })

  it("puts size and end on the card, bytes that were not captured counted", () => {
    const { capture } = open
    const output = { ...capture.output, observedBytes: 900, observedLines: 90 }
    expect(project("out\n", { exitCode: 0, capture: { ...capture, output } }).card.stats).toEqual({
      lines: 90,
      bytes: 900,
      exitCode: 0,
      durationMs: 1_234
    })
  })
})
