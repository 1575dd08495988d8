import { describe, expect, it } from "vitest"
import { projectValue } from "./project-value.ts"
import type { EndFacts } from "./strategy-terminal-outcome.ts"
import { makeValueCall } from "./testing.ts"

const project = (end: EndFacts, args: unknown = { path: "/w/a.ts", content: "x" }, tool = "write") =>
  projectValue(makeValueCall({ tool, end, arguments: args }))

const reason = (text: string) => ({ code: "code", text })

describe("how a call without a result is told", () => {
  it.each<readonly [string, EndFacts, string]>([
    ["a person", { outcome: "denied", denial: { by: "person" } }, "Denied: a person refused it; the call was not run."],
    [
      "a policy",
      { outcome: "denied", denial: { by: "policy", rule: "deny rm *", segment: "rm -rf x" } },
      "Denied by policy, rule deny rm *, because of: rm -rf x; the call was not run."
    ],
    [
      "a guardrail",
      { outcome: "denied", denial: { by: "guardrail", rule: "no writes into the home" } },
      "Denied by a guardrail that no rule lifts, rule no writes into the home; the call was not run."
    ],
    [
      "the client",
      { outcome: "denied", denial: { by: "client-policy" } },
      "Denied by the client's policy, nobody was asked; the call was not run."
    ],
    ["nobody known", { outcome: "denied" }, "Denied, and it is not known by whom; the call was not run."],
    ["an interrupt", { outcome: "cancelled", interrupted: true }, "Interrupted while it ran; nothing it did is rolled back."],
    ["a cancel", { outcome: "cancelled" }, "Cancelled while it ran; nothing it did is rolled back."],
    ["a cancel before the start", { outcome: "cancelled", begun: false }, "Cancelled before it started; it had no effect."],
    ["a fault", { outcome: "failed", reason: reason("ENOSPC: no space left") }, "Failed with a fault."],
    [
      "nobody who saw the end",
      { outcome: "indeterminate" },
      "Outcome unknown: it may have taken effect, and nobody can say whether it did."
    ]
  ])("ended by %s", (_who, end, headline) => {
    const { agent, card, decision } = project(end)
    expect(agent.split("\n").slice(0, 2)).toEqual([headline, "Tool: write"])
    expect(agent).toMatch(/\nResource: \/w\/a\.ts \(.+\)\nNext: .+$/)
    expect(decision).toMatchObject({ profile: "terminal_outcome", strategy: "terminal-outcome" })
    expect(card.result.lines[0]).toBe(headline)
  })

  it.each<readonly [string, string, EndFacts]>([
    ["not touched", "write", { outcome: "denied" }],
    ["not touched", "write", { outcome: "cancelled", begun: false }],
    ["it may have been changed", "write", { outcome: "cancelled" }],
    ["it may have been changed", "edit", { outcome: "failed" }],
    ["unchanged, it is only read", "read", { outcome: "failed" }],
    ["its state is not known", "write", { outcome: "indeterminate" }]
  ])("the resource is %s (%s, %j)", (state, tool, end) => {
    expect(project(end, { path: "/w/a" }, tool).agent).toContain(`Resource: /w/a (${state})`)
  })

  it("wins over the tool's own policy, whatever the tool returned; a failure with a result does not", () => {
    const result = { matches: [] }
    const grep = (end: EndFacts) => projectValue(makeValueCall({ tool: "grep", result, end })).decision.strategy
    expect(grep({ outcome: "indeterminate" })).toBe("terminal-outcome")
    expect(grep({ outcome: "cancelled" })).toBe("terminal-outcome")
    expect(grep({ outcome: "failed" })).toBe("unchanged")
  })

  it("an unknown end is never called failed", () => {
    expect(project({ outcome: "indeterminate", reason: reason("the owner is gone") }).agent).not.toMatch(/fail/i)
  })

  it("takes user info and secret-looking values out of a URL, in the resource and in the reason", () => {
    const url = "https://me:pw@host/x?access_token=abc&page=2&sig=xyz#frag"
    const { agent } = project({ outcome: "failed", reason: reason(`GET ${url} failed`) }, { url }, "fetch")
    expect(agent).toContain("Resource: https://host/x?access_token=…&page=2&sig=…#frag")
    expect(agent).not.toMatch(/pw|abc|xyz/)
  })

  it("keeps the end of a long reason and counts the rest, inside 40 lines and 4,000 bytes", () => {
    const { agent, decision } = project({
      outcome: "failed",
      reason: reason(Array.from({ length: 500 }, (_, line) => `frame ${line} ${"x".repeat(80)}`).join("\n"))
    })
    expect(agent.split("\n").length).toBeLessThanOrEqual(40)
    expect(Buffer.byteLength(agent)).toBeLessThanOrEqual(4_000)
    const shown = Number(/Reason, its end: \[(\d+) of 500 lines shown/.exec(agent)?.[1])
    expect(agent).toContain(`, ${500 - shown} not shown]\nframe ${500 - shown} `)
    expect(agent).toContain("\nframe 499 ")
    expect(decision).toMatchObject({ fits: false, omitted: [{ from: 1, to: 500 - shown }] })
  })

  it("keeps the end of one long line", () => {
    const { agent } = project({ outcome: "failed", reason: reason(`start ${"日".repeat(5_000)} the cause`) })
    expect(Buffer.byteLength(agent)).toBeLessThanOrEqual(4_000)
    expect(agent).toContain("of 15016 bytes of the last of 1 line shown]")
    expect(agent).toContain("日 the cause\n")
    expect(agent).not.toContain("\ufffd")
  })

  it("leaves out a resource that would leave no room for the reason, and cuts none", () => {
    const path = `/${"p".repeat(3_900)}`
    const { agent } = project({ outcome: "failed", reason: reason("the cause") }, { path })
    expect(agent).toContain("Reason: the cause")
    expect(agent).not.toContain("ppp")
  })
})
