import { Result } from "effect"
import { describe, expect, it } from "vitest"
import { carryOver, decideAbandoned, decideEnd, directCommandPath, IllegalChange } from "./call-rules.ts"
import type { ProcessEnd } from "./host-tools.ts"
import { emptyFiles } from "./testing.ts"

const end = (parts: Partial<ProcessEnd>): ProcessEnd => ({
  kind: "process",
  exit: undefined,
  timedOut: false,
  stopped: undefined,
  survivors: [],
  durationMs: 1,
  captured: emptyFiles,
  ...parts
})
const exited = (code: number) => ({ kind: "exited", code }) as const
const signalled = (signal: string) => ({ kind: "signalled", signal }) as const

describe("the outcome of a tool that ran", () => {
  it("is completed with the exit code, also when it is not zero", () => {
    expect(decideEnd(end({ exit: exited(0) }), false)).toEqual({ outcome: "completed", exitCode: 0 })
    expect(decideEnd(end({ exit: exited(3) }), false)).toEqual({ outcome: "completed", exitCode: 3 })
  })

  it("is completed with the signal and without an exit code when a foreign signal ended it", () => {
    expect(decideEnd(end({ exit: signalled("SIGSEGV") }), false)).toEqual({ outcome: "completed", signal: "SIGSEGV" })
  })

  it("is failed and timed out when the limit ended it, with the collected signal", () => {
    const decided = decideEnd(end({ exit: signalled("SIGTERM"), timedOut: true, stopped: "confirmed" }), false)
    expect(decided).toMatchObject({ outcome: "failed", timedOut: true, signal: "SIGTERM" })
  })

  it("is cancelled exactly when everything is confirmed gone", () => {
    expect(decideEnd(end({ exit: signalled("SIGTERM"), stopped: "confirmed" }), true).outcome).toBe("cancelled")
    expect(decideEnd(end({ exit: signalled("SIGTERM"), stopped: "unconfirmed" }), true).outcome).toBe("indeterminate")
    expect(decideEnd(end({ exit: exited(0), stopped: "confirmed" }), true)).toMatchObject({ outcome: "cancelled", exitCode: 0 })
  })

  it("is its own when it had ended by itself before somebody asked it to, also with processes left", () => {
    const survivors = [{ pid: 7, command: "sleep 33" }]
    expect(decideEnd(end({ exit: exited(7), survivors }), true)).toEqual({ outcome: "completed", exitCode: 7 })
    expect(decideEnd(end({ exit: signalled("SIGSEGV") }), true)).toEqual({ outcome: "completed", signal: "SIGSEGV" })
    expect(decideEnd(end({}), true)).toMatchObject({ outcome: "indeterminate", reason: { code: "status-not-collected" } })
  })

  it("is indeterminate without a number when nobody collected the status", () => {
    const decided = decideEnd(end({}), false)
    expect(decided.outcome).toBe("indeterminate")
    expect(decided).not.toHaveProperty("exitCode")
    expect(decided).not.toHaveProperty("signal")
  })

  it("has no status when a stop was not confirmed", () => {
    expect(decideEnd(end({ exit: exited(0), stopped: "unconfirmed" }), true)).not.toHaveProperty("exitCode")
  })
})

describe("a call whose owner is gone", () => {
  it("is indeterminate if it was running, else cancelled", () => {
    expect(decideAbandoned("running").outcome).toBe("indeterminate")
    for (const state of ["supervising", "awaiting_approval", "ready", "awaiting_input"] as const) {
      expect(decideAbandoned(state).outcome).toBe("cancelled")
    }
  })
})

describe("the state machine", () => {
  it("carries a direct command to running in one commit", () => {
    expect(carryOver(...directCommandPath)).toEqual(Result.succeed("running"))
  })

  it("names the first illegal step", () => {
    expect(carryOver("supervising", "running", "gone")).toEqual(
      Result.fail(new IllegalChange({ from: "supervising", to: "running" }))
    )
    expect(carryOver("running", "gone", "running")).toEqual(Result.fail(new IllegalChange({ from: "gone", to: "running" })))
  })
})
