import { describe, expect, it } from "@effect/vitest"
import { OperationId } from "@steno/contracts"
import { OutputReadings } from "@steno/result-projection"
import { Effect, Stream } from "effect"
import { type CallEnd, projectCall } from "./projected-call.ts"

const file = { observedBytes: 0, storedBytes: 0, droppedBytes: 0, observedLines: 0, storedLines: 0 }
const captured = { stdout: file, stderr: file, output: file }

const end: CallEnd = { tool: "bash", origin: "user", outcome: "completed", survivors: [], warnings: [] }

const projected = Effect.fnUntraced(function*(changes: Partial<CallEnd>, capture: typeof captured | undefined) {
  const readings = yield* OutputReadings
  const reading = yield* readings.read({ bytes: Stream.empty })
  return projectCall(reading, { ...end, ...changes }, { command: "make", capture, assets: [], home: "/home" })
}, Effect.provide(OutputReadings.layer()))

describe("a call of which no output was captured", () => {
  it.effect("and that never began had no effect", () =>
    Effect.gen(function*() {
      const { agent } = yield* projected({ outcome: "cancelled", reason: { code: "owner-gone", text: "Its process is gone." } }, undefined)
      expect(agent).toMatch(/^Command: make\nCancelled before it started; it had no effect\.\n/)
      expect(agent).not.toMatch(/output/i)
    }))

  it.effect("and of which nobody knows what it did is neither said to have printed nothing nor to have had no effect", () =>
    Effect.gen(function*() {
      const { agent } = yield* projected({ outcome: "indeterminate", reason: { code: "stop-not-confirmed", text: "Not confirmed." } }, undefined)
      expect(agent).toMatch(/^Command: make\nOutcome unknown: it may have taken effect/)
      expect(agent).not.toMatch(/output|before it started/i)
    }))
})

describe("a call that was refused", () => {
  const denied = { outcome: "denied", reason: { code: "denied", text: "No." } } as const
  const segment = "rm -rf build"
  it.effect.each([
    [{ decision: "deny", by: "policy", layer: "user", rule: { effect: "deny", command: "rm *" }, segment }, `policy, rule deny command "rm *", because of: ${segment};`],
    [{ decision: "deny", by: "policy", layer: "guardrails", segment }, `guardrail that no rule lifts, because of: ${segment};`],
    [{ decision: "deny", by: "user" }, "a person refused it;"],
    [{ decision: "deny", by: "client-policy" }, "the client's policy, nobody was asked;"]
  ] as const)("says who refused it and why: %j", ([supervision, words]) =>
    Effect.gen(function*() {
      expect((yield* projected({ ...denied, supervision }, undefined)).agent).toContain(words)
    }))

  it.effect("by an answer says whose that was", () =>
    Effect.gen(function*() {
      const { agent } = yield* projected({
        ...denied,
        supervision: { decision: "approval", by: "policy", layer: "default" },
        interactions: [{
          request: { kind: "approval", reason: "", segments: [], suggestedRules: [] },
          resolution: { id: OperationId.make("op"), value: { approval: { decision: "deny" } }, by: "person", at: "2026-01-01T00:00:00.000Z" }
        }]
      }, undefined)
      expect(agent).toContain("a person refused it;")
    }))
})

it.effect("a call that was stopped while it ran may have done something", () =>
  Effect.gen(function*() {
    const { agent } = yield* projected({ outcome: "cancelled", durationMs: 5, signal: "SIGTERM" }, captured)
    expect(agent).toContain("\nCancelled while it ran; nothing it did is rolled back.\n")
  }))
