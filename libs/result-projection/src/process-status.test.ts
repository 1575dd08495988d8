import { describe, expect, it } from "vitest"
import { commandLine, reasonLines, statusLine, survivorLines, warningLines } from "./process-status.ts"
import type { ProcessFacts } from "./result-policy.ts"
import { makeProcessFacts } from "./testing.ts"

const { durationMs: _durationMs, exitCode: _exitCode, ...open } = makeProcessFacts()

const status = (changes: Partial<ProcessFacts>) => statusLine({ ...open, ...changes })

describe("how an end is worded", () => {
  it.each<readonly [string, Partial<ProcessFacts>]>([
    ["Exit code 0 (12 ms).", { exitCode: 0, durationMs: 12 }],
    ["Exit code 3.", { exitCode: 3 }],
    ["Ended by signal SIGSEGV, so there is no exit code.", { signal: "SIGSEGV" }],
    ["No exit status was collected.", {}],
    ["Time limit reached, ended by signal SIGTERM, so there is no exit code (60.0 s).", {
      outcome: "failed",
      signal: "SIGTERM",
      timedOut: true,
      durationMs: 60_000
    }],
    ["Time limit reached, no exit status was collected.", { outcome: "failed", timedOut: true }],
    ["Failed.", { outcome: "failed" }],
    ["Denied: the command was not run.", { outcome: "denied" }],
    ["Cancelled before it started.", { outcome: "cancelled" }],
    ["Cancelled, ended by signal SIGKILL, so there is no exit code; what it did until then is not undone (5 ms).", {
      outcome: "cancelled",
      signal: "SIGKILL",
      durationMs: 5
    }],
    ...["owner-gone", "status-not-collected"].map((code): [string, Partial<ProcessFacts>] => [
      "Outcome unknown: no exit status was collected; the command may have taken effect.",
      { outcome: "indeterminate", reason: { code, text: "" } }
    ]),
    ["Outcome unknown; the command may have taken effect.", {
      outcome: "indeterminate",
      reason: { code: "stop-not-confirmed", text: "" }
    }]
  ])("%s", (sentence, changes) => {
    expect(status(changes)).toBe(sentence)
  })

  it("an unknown end is never worded as failed and never gets a number", () => {
    for (const changes of [{ outcome: "indeterminate" as const }, {}]) {
      expect(status(changes)).not.toMatch(/fail|\d/i)
    }
  })
})

describe("facts around an output", () => {
  it("the command is its first line that says something, at most 200 characters, with nothing hidden", () => {
    expect(commandLine("\n  make all\nmore")).toBe("Command: make all")
    expect(commandLine("touch keep; rm -r data #\u001b[1G\u001b[0Ktouch keep")).toBe(
      "Command: touch keep; rm -r data #\\x1b[1G\\x1b[0Ktouch keep"
    )
    expect(commandLine("rm -r data\rtouch keep\ud800")).toBe("Command: rm -r data\\x0dtouch keep\ufffd")
    expect(commandLine("🙂".repeat(200))).toBe(`Command: ${"🙂".repeat(200)}`)
    expect(commandLine("🙂".repeat(201))).toBe(`Command: ${"🙂".repeat(199)}…`)
    expect(commandLine("x".repeat(100_000))).toBe(`Command: ${"x".repeat(199)}…`)
  })

  it("reasons and warnings are one bounded line each", () => {
    const text = `no such folder:\n /a\u0007 ${"b".repeat(1_000)}`
    const facts = makeProcessFacts({ reason: { code: "spawn", text }, warnings: [{ code: "w", text }] })
    for (const line of [...reasonLines(facts), ...warningLines(facts)]) {
      expect(line).toMatch(/^(Reason|Warning): no such folder: \/a\\x07 b+…$/)
      expect(Buffer.byteLength(line)).toBeLessThanOrEqual(300)
    }
    expect(reasonLines(makeProcessFacts({ reason: { code: "x", text: " " } }))).toEqual([])
  })

  it("survivors are named, the rest is counted", () => {
    expect(survivorLines(makeProcessFacts({ survivors: [{ pid: 7, command: "sleep 300" }] }))).toEqual([
      "Still running: 7 (sleep 300)."
    ])
    const many = Array.from({ length: 5 }, (_, pid) => ({ pid, command: "x" }))
    expect(survivorLines(makeProcessFacts({ survivors: many }))).toEqual([
      "Still running: 0 (x), 1 (x), 2 (x), 2 other processes."
    ])
    expect(survivorLines(makeProcessFacts())).toEqual([])
  })
})
