import { describe, expect, it } from "@effect/vitest"
import type { RunCall, RunSnapshot } from "@steno/contracts"
import { makeRunSnapshot } from "@steno/projection-port/testing"
import { durationText } from "./quantity-text.ts"
import { runText } from "./run-text.ts"

const plain = { colour: false, program: ["steno"] }
const call = makeRunSnapshot().calls[0]!

const textOfCall = (changes: Partial<RunCall>, run: Partial<RunSnapshot> = {}): string =>
  runText(makeRunSnapshot({ ...run, calls: [{ ...call, ...changes }] }), plain)

const { exitCode: _exitCode, outcome: _outcome, ...unfinished } = call

describe("a Run in words", () => {
  it("says state, place, time, each call, its projection and where everything lies", () => {
    expect(runText(makeRunSnapshot(), plain)).toBe(`Run run_01ARZ3NDEKTSV4RRFFQ0000001: succeeded
Harness:   command
Workspace: /workspace
Started:   2026-01-02T03:04:05.000Z, 1.5 s

Call 1 (bash): echo hello
completed · exit code 0 · 12 ms

As a model sees it:
Command: echo hello
Exit code 0 after 12 ms.
hello

Output: 1 line, 6 bytes
Complete output: /home/data/output.txt
`)
  })

  it.each<readonly [string, Partial<RunCall>]>([
    ["failed · exit code 3 · 12 ms", { exitCode: 3 }],
    ["failed · ended by SIGSEGV · 12 ms", { outcome: "completed", exitCode: undefined, signal: "SIGSEGV" } as never],
    ["failed · time limit reached, ended by SIGTERM · 12 ms", {
      outcome: "failed",
      exitCode: undefined,
      signal: "SIGTERM",
      timedOut: true
    } as never],
    ["indeterminate · no exit status was collected · 12 ms", { outcome: "indeterminate", exitCode: undefined } as never],
    ["cancelled", { outcome: "cancelled", exitCode: undefined, durationMs: undefined } as never]
  ])("%s", (facts, changes) => {
    expect(textOfCall(changes).split("\n")).toContain(facts)
  })

  it("never words an unknown end as failed or as exit code 0", () => {
    const text = textOfCall({ outcome: "indeterminate", exitCode: undefined } as never)
    expect(text).not.toMatch(/failed|exit code 0 ·/)
  })

  it.each<readonly [string, Partial<RunCall>]>([
    ["completed · 12 ms", {}],
    ["failed · 12 ms", { outcome: "failed" }],
    ["indeterminate · 12 ms", { outcome: "indeterminate" }],
    ["denied", { outcome: "denied", durationMs: undefined } as never]
  ])("a tool without a process has no exit status to miss: %s", (facts, changes) => {
    expect(textOfCall({ tool: "read", exitCode: undefined, output: undefined, ...changes } as never).split("\n")).toContain(facts)
  })

  it("a call that could not start says that and why, and nothing of an exit status", () => {
    const text = textOfCall({
      outcome: "failed",
      exitCode: undefined,
      durationMs: undefined,
      output: undefined,
      reason: { code: "could-not-start", text: "The command holds a NUL byte." }
    } as never)
    expect(text).toContain("\nfailed · did not start\nReason: The command holds a NUL byte.\n")
    expect(text).not.toContain("exit status")
  })

  it("says why, what went wrong beside and who outlived the call", () => {
    const text = textOfCall({
      reason: { code: "timed-out", text: "The limit was reached." },
      warnings: [{ code: "w", text: "A file is gone." }],
      survivors: [{ pid: 7, command: "sleep 60" }, { pid: 8, command: "sleep 61" }]
    })
    expect(text).toContain(
      "\nReason: The limit was reached.\nWarning: A file is gone.\nLeft running: 7 (sleep 60), 8 (sleep 61)\n"
    )
  })

  it("does not repeat what the projection says already, and adds what it left out", () => {
    const told = {
      reason: { code: "timed-out", text: "The limit was reached." },
      warnings: [{ code: "w", text: "A file is gone." }],
      survivors: [{ pid: 7, command: "sleep 60" }]
    }
    const projection = "Reason: The limit was reached.\nWarning: A file is gone.\nStill running: 7 (sleep 60)."
    const whole = textOfCall({ ...told, output: { lines: 0, bytes: 0, projection } })
    expect(whole.match(/The limit was reached|A file is gone|7 \(sleep 60\)/g)).toHaveLength(3)
    const partly = textOfCall({ ...told, output: { lines: 0, bytes: 0, projection: "Reason: The limit was reached." } })
    expect(partly).toContain("\nWarning: A file is gone.\nLeft running: 7 (sleep 60)\n")
  })

  it("names twenty processes that were left running and counts the others", () => {
    const survivors = Array.from({ length: 23 }, (_, index) => ({ pid: index + 1, command: "x" }))
    expect(textOfCall({ survivors })).toContain(", 20 (x), 3 other processes\n")
  })

  it("no path, name or reason makes a line of its own", () => {
    const forged = "x\nRun run_01ARZ3NDEKTSV4RRFFQ0000002: succeeded"
    const text = textOfCall(
      {
        input: forged,
        tool: forged,
        signal: forged,
        exitCode: undefined,
        reason: { code: "r", text: forged },
        warnings: [{ code: "w", text: forged }],
        survivors: [{ pid: 1, command: forged }],
        output: { lines: 1, bytes: 1, path: forged }
      } as never,
      { workspacePath: forged, harness: { id: forged }, pending: [{ kind: "approval", reason: forged }] }
    )
    expect(text.match(/^Run /gm)).toHaveLength(1)
    expect(text).toContain("Workspace: x\\x0aRun run_01ARZ3NDEKTSV4RRFFQ0000002: succeeded\n")
  })

  it.each(["lost", "not-started"] as const)("has no elapsed time when its Turn is %s", (result) => {
    const turn = { ...makeRunSnapshot().turns[0]!, result }
    expect(runText(makeRunSnapshot({ turns: [turn] }), plain)).toContain("\nStarted:   2026-01-02T03:04:05.000Z\n")
  })

  it("a call that still runs has its state and no end", () => {
    const text = runText(
      makeRunSnapshot({
        state: "running",
        liveness: { state: "live-elsewhere", ownerPid: 42 },
        calls: [{ ...unfinished, state: "running" }]
      }),
      plain
    )
    expect(text).toMatch(/^Run run_\w+: running \(live in process 42\)\n/)
    expect(text).toContain("\nrunning · 12 ms\n")
  })

  it("names bytes that were not captured", () => {
    const text = textOfCall({ output: { lines: 1_234_567, bytes: 16_777_216, droppedBytes: 1_000 } })
    expect(text).toContain("Output: 1,234,567 lines, 16,777,216 bytes\nNot captured: 1,000 bytes\n")
  })

  it("a command without output names no file", () => {
    const text = textOfCall({ output: { lines: 0, bytes: 0 } })
    expect(text).toContain("\nOutput: none\n")
    expect(text).not.toContain("Complete output")
  })

  it("shows control sequences of commands, paths and reasons instead of sending them to the terminal", () => {
    const hostile = "\u001b]0;owned\u0007\u001b[2Jrm \rx"
    const text = textOfCall(
      { input: hostile, output: { lines: 1, bytes: 1, projection: hostile, path: hostile } },
      { workspacePath: hostile, pending: [{ kind: "approval", reason: hostile }] }
    )
    expect(text).not.toMatch(/[\u0007\u001b\r]/)
    expect(text).toContain("Call 1 (bash): \\x1b]0;owned\\x07\\x1b[2Jrm \\x0dx\n")
  })

  it("only the first line of a command is named, at most 200 characters of it", () => {
    const text = textOfCall({ input: `${"x".repeat(300)}\nsecond` })
    expect(text).toContain(`Call 1 (bash): ${"x".repeat(199)}…\n`)
    expect(text).not.toContain("second")
  })

  it("colours the state only when asked to", () => {
    expect(runText(makeRunSnapshot(), { ...plain, colour: true })).toContain(": \u001b[32msucceeded\u001b[0m\n")
    expect(runText(makeRunSnapshot(), plain)).not.toContain("\u001b")
  })

  it("says what a halted Run's Turn came to", () => {
    const turn = { ...makeRunSnapshot().turns[0]!, result: "lost" as const }
    expect(runText(makeRunSnapshot({ state: "halted", turns: [turn] }), plain)).toContain("\nTurn:      lost\n")
  })
})

describe("durationText", () => {
  it.each([
    [0, "0 ms"],
    [999, "999 ms"],
    [1_000, "1.0 s"],
    [59_949, "59.9 s"],
    [59_950, "1 min 00 s"],
    [125_000, "2 min 05 s"],
    [3_600_000, "1 h 00 min"],
    [86_400_000, "24 h 00 min"]
  ])("%i ms is %s", (durationMs, text) => {
    expect(durationText(durationMs)).toBe(text)
  })
})
