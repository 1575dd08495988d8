import { describe, expect, it } from "@effect/vitest"
import { memoryPort } from "@steno/projection-port/testing"
import { Effect } from "effect"
import { runSteno } from "./testing.ts"

describe("harness list", () => {
  it.effect("says of each whether it is there, what it needs and which models can be asked, without capabilities", () =>
    Effect.gen(function*() {
      const { exitCode, stderr, stdout } = yield* runSteno(["harness", "list"], { port: memoryPort() })
      expect(stdout).toBe(`hosted: Hosted loop, qualified, the default
  Needs:     A model.
  Models:
    anthropic/MODEL  no   ANTHROPIC_API_KEY, which is not set
    script:FILE      yes  a script file and no key

codex: Codex 1.2.3, limited
  Program:   /usr/bin/codex
  Reason:    Its version is newer than any that was tried.

claude-code: Claude Code, not found
  Reason:    No program claude on PATH.
`)
      expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" })
    }))
})

describe("harness check", () => {
  it.effect("shows each capability with its evidence and limits; a missing key is no failure", () =>
    Effect.gen(function*() {
      const { exitCode, stdout } = yield* runSteno(["harness", "check", "hosted"], { port: memoryPort() })
      expect(stdout).toContain(`  Capabilities:
    interruption  supported    active-turn; by probe, recording
    steer         limited      by documented; A Steer goes into the next request
    turn-diff     unsupported
`)
      expect(exitCode).toBe(0)
    }))

  it.effect.each([["codex", 0], ["claude-code", 1], ["nobody", 1]] as const)("of %s exits %i: 1 only where it cannot be used at all", ([id, code]) =>
    Effect.gen(function*() {
      expect(yield* runSteno(["harness", "check", id], { port: memoryPort() })).toMatchObject({ exitCode: code })
    }))

  it.effect("no path, name or reason acts on the terminal or makes a line of its own", () =>
    Effect.gen(function*() {
      const forged = "x\u001b[2J\nhosted: ok"
      const port = memoryPort({
        harnesses: [{
          id: forged, name: forged, found: true, version: forged, path: forged, qualification: "limited", reason: forged, needs: forged,
          models: [{ name: forged, available: true, needs: forged }],
          capabilities: [{ name: forged, state: "limited", evidence: ["probe"], limits: [forged] }]
        }]
      })
      const { stdout } = yield* runSteno(["harness", "check", forged], { port })
      expect(stdout).not.toContain("\u001b")
      expect(stdout.match(/^hosted: ok/m)).toBeNull()
    }))
})
