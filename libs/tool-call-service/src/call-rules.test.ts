import { describe, expect, it } from "vitest"
import { decideAbandoned, decideEnd, directCommandPath, isLegalChange, isLegalPath } from "./call-rules.ts"
import type { ToolEnd } from "./host-tools.ts"
import { emptyFiles } from "./testing.ts"

const end = (parts: Partial<ToolEnd>): ToolEnd => ({
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
  it("lets every state end and none come back", () => {
    for (const state of ["supervising", "awaiting_approval", "ready", "running", "awaiting_input"] as const) {
      expect(isLegalChange(state, "gone")).toBe(true)
      expect(isLegalChange(state, "supervising")).toBe(false)
    }
  })

  it("never runs a call that was not ready", () => {
    expect(isLegalChange("supervising", "running")).toBe(false)
    expect(isLegalChange("awaiting_approval", "running")).toBe(false)
    expect(isLegalChange("awaiting_input", "running")).toBe(false)
    expect(isLegalChange("ready", "running")).toBe(true)
  })

  it("allows the path that a direct command takes in one commit", () => {
    expect(isLegalPath(directCommandPath)).toBe(true)
  })

  it("has no way on from a settled call", () => {
    expect(isLegalPath(["running", "gone", "running"])).toBe(false)
  })
})
