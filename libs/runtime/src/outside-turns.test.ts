import { describe, expect, it } from "@effect/vitest"
import type { ClientExecution } from "@steno/harness-seam"
import { completed, end, report } from "@steno/harness-seam/testing"
import { ProjectionPort } from "@steno/projection-port"
import { Effect, Predicate } from "effect"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { operate } from "./testing/hosted-runs.ts"
import { onOutsideAgent } from "./testing/outside-runs.ts"

const deny = { id: "no", kind: "deny", label: "Deny" } as const
const allow = { id: "yes", kind: "allow", label: "Allow" } as const
const first = { id: "a", kind: "option", label: "The old" } as const
const second = { id: "b", kind: "option", label: "The new" } as const
const always = { id: "ever", kind: "allow-always", label: "Always" } as const

const isStarted = (answer: unknown): answer is ClientExecution => Predicate.hasProperty(answer, "kind") && answer.kind === "started"

describe("a Turn of an outside agent", () => {
  it.live("leaves its texts, Thoughts, model and calls on record, in the order it told them", () =>
    onOutsideAgent([{
      coordinate: "thread-1",
      steps: [
        report(() => ({ type: "model", model: "large" })),
        report((item) => ({ type: "thought", summaryId: item("why"), content: "To see." })),
        report((item) => ({ type: "call-started", call: { itemId: item("make"), tool: "command", input: "make", cwd: "/w" } })),
        report((item) => ({ type: "call-ended", call: { itemId: item("make"), exitCode: 3 }, output: "no rule\n", ending: { outcome: "failed" } })),
        report((item) => ({ type: "call-ended", call: { itemId: item("edit"), tool: "file-change", input: "a" }, ending: { outcome: "denied", reason: "No." } })),
        report((item) => ({ type: "message", messageId: item("said"), content: "There is no rule." })),
        end(completed)
      ]
    }], Effect.fnUntraced(function*({ begin, sessions, stored }) {
      const port = yield* ProjectionPort
      const run = yield* port.awaitRest(yield* begin())
      expect(run).toMatchObject({ state: "succeeded", effectiveModel: "large", harness: { id: "fake", version: "1" } })
      expect(run.calls).toMatchObject([
        { tool: "command", input: "make", outcome: "completed", exitCode: 3 },
        { tool: "file-change", input: "a", outcome: "denied" }
      ])
      const facts = stored()
      expect(facts.map(([type]) => type)).toEqual([
        "model", "thought", "tool-call-started", "tool-call-response", "tool-call-started", "tool-call-response",
        "assistant-content", "turn-settled"
      ])
      expect(facts[3]?.[1]).toMatchObject({ origin: "observed", retainedOutput: { text: "no rule\n" } })
      expect(facts[3]?.[1]).not.toHaveProperty("supervision")
      expect(facts[5]?.[1]).toMatchObject({ reason: { code: "reported-denied", text: "No." } })
      expect(sessions()).toEqual([{ availability: "open", recovery_coordinate: "thread-1" }])
      const page = yield* port.exportTranscript({ run: { text: run.runId, workspacePath: "" } })
      expect(page.entries.map(({ content }) => content)).toEqual(["Do it.", "There is no rule."])
    })))

  it.live("keeps the output that it supplies of a call in a file of the call, whole, as it was given last", () =>
    onOutsideAgent([{
      steps: [
        report((item) => ({ type: "call-started", call: { itemId: item("make"), tool: "command", input: "make" } })),
        report((item) => ({ type: "call-updated", call: { itemId: item("make") }, outputDelta: "one\n" })),
        report((item) => ({ type: "call-updated", call: { itemId: item("make") }, outputDelta: "two\n" })),
        report((item) => ({ type: "call-ended", call: { itemId: item("make") }, output: `${"x".repeat(40_000)}\nend\n`, ending: { outcome: "completed" } })),
        report((item) => ({ type: "call-ended", call: { itemId: item("read"), tool: "read", input: "a" }, ending: { outcome: "completed" } })),
        end(completed)
      ]
    }], Effect.fnUntraced(function*({ begin, stored }) {
      const port = yield* ProjectionPort
      const run = yield* port.awaitRest(yield* begin())
      expect(run.calls[0]?.output).toMatchObject({ lines: 2, bytes: 40_005 })
      expect(run.calls[1]).not.toHaveProperty("output")
      const page = yield* port.readCall({ run: { text: run.runId, workspacePath: "" }, call: "1", stream: "output", offset: 1 })
      expect(page.lines).toEqual(["end"])
      expect(stored()[1]?.[1]).toMatchObject({ retainedOutput: { dropped: true }, capture: { output: { observedBytes: 40_005 } } })
    })))

  it.live("keeps output that comes faster than it is written whole and in order", () =>
    onOutsideAgent([{
      steps: [
        report((item) => ({ type: "call-updated", call: { itemId: item("make"), tool: "command", input: "make" }, outputDelta: "first\n" })),
        ...Array.from({ length: 300 }, (_, line) =>
          report((item) => ({ type: "call-updated", call: { itemId: item("make") }, outputDelta: `${line}\n` }))),
        report((item) => ({ type: "call-ended", call: { itemId: item("make") }, ending: { outcome: "completed" } })),
        end(completed)
      ]
    }], Effect.fnUntraced(function*({ begin }) {
      const port = yield* ProjectionPort
      const run = yield* port.awaitRest(yield* begin())
      const page = yield* port.readCall({ run: { text: run.runId, workspacePath: "" }, call: "1", stream: "output", offset: 0, limit: 400 })
      expect(page.lines).toEqual(["first", ...Array.from({ length: 300 }, (_, line) => String(line))])
    })))

  it.live.each([
    ["deny", "no", "deny"],
    ["allow", "yes", "allow"]
  ] as const)("has its approvals answered by the client's policy: %s", ([approvals, decision, word]) =>
    onOutsideAgent([{
      steps: [
        { do: "request", name: "ask", request: () => ({ kind: "approval", description: "Run make", decisions: [always, allow, deny] }) },
        { do: "await", name: "ask" },
        end(completed)
      ]
    }], Effect.fnUntraced(function*({ begin, fake, stored }) {
      const port = yield* ProjectionPort
      const run = yield* port.awaitRest(yield* begin({ approvals }))
      expect(fake.answers.get("ask")).toEqual({ kind: "answered", decision, by: "client-policy" })
      expect(stored().map(([type]) => type)).toEqual(["request-raised", "request-answered", "turn-settled"])
      expect(run.timeline.map(({ detail, event }) => [event, detail])).toContainEqual(["request-answered", word])
    })))

  it.live("expires a question that nobody answers, before its Turn is settled", () =>
    onOutsideAgent([{
      steps: [
        { do: "request", name: "ask", request: () => ({ kind: "clarification", description: "Which?", decisions: [] }) },
        end(completed)
      ]
    }], Effect.fnUntraced(function*({ begin, stored }) {
      const port = yield* ProjectionPort
      yield* port.awaitRest(yield* begin())
      expect(stored().map(([type]) => type)).toEqual(["request-raised", "request-expired", "turn-settled"])
    })))

  it.live("has its question answered by a person while it is live, by the label of an option, and is told in the person's words", () =>
    onOutsideAgent([{
      steps: [
        { do: "request", name: "ask", request: () => ({ kind: "clarification", description: "Which?", decisions: [first, second] }) },
        { do: "await", name: "ask" },
        end(completed)
      ]
    }], Effect.fnUntraced(function*({ begin, fake, stored }) {
      const port = yield* ProjectionPort
      const runId = yield* begin()
      const asking = yield* port.showRun({ text: runId, workspacePath: "" }).pipe(
        Effect.repeat({ until: ({ pending }) => pending.length > 0 })
      )
      expect(asking.pending).toMatchObject([{ kind: "question", reason: "Which?", options: ["a", "b"] }])
      const answer = (options: ReadonlyArray<string>) =>
        operate({ operation: "answer", runId, answer: { only: { options, text: "The new one." } }, by: "person" })
      expect(yield* answer(["c"])).toMatchObject({ status: "not-applied", problem: { code: "answer-shape-mismatch" } })
      expect(yield* answer(["The new"])).toEqual({ status: "applied" })
      yield* port.awaitRest(runId)
      expect(fake.answers.get("ask")).toEqual({ kind: "answered", decision: "b", by: "person", text: "The new one." })
      expect(stored().map(([type]) => type)).toEqual(["request-raised", "request-answered", "turn-settled"])
    })))

  it.live("asks its client for a command, which runs once and is one call", () =>
    onOutsideAgent([{
      steps: [
        { do: "execute", name: "run", tool: "bash", input: { command: "echo hello; exit 4" }, item: "run" },
        { do: "await", name: "run" },
        { do: "gate", name: "ran" },
        end(completed)
      ]
    }], Effect.fnUntraced(function*({ begin, fake }) {
      const port = yield* ProjectionPort
      const runId = yield* begin({ approvals: "allow" })
      yield* port.showRun({ text: runId, workspacePath: "" }).pipe(
        Effect.repeat({ until: ({ calls }) => calls.some(({ outcome }) => outcome !== undefined) })
      )
      yield* fake.openGate("ran")
      const run = yield* port.awaitRest(runId)
      expect(fake.answers.get("run")).toMatchObject({ kind: "started", callId: run.calls[0]?.callId })
      expect(run.calls).toMatchObject([{ tool: "bash", input: "echo hello; exit 4", outcome: "completed", exitCode: 4 }])
    })))

  it.live("asks its client for a file, and gets its text beside the one call", () =>
    onOutsideAgent([{
      steps: [
        { do: "execute", name: "read", tool: "read", input: { path: "notes.txt", offset: 2, limit: 2_000 }, item: "read" },
        { do: "await", name: "read" },
        { do: "execute", name: "none", tool: "read", input: { path: "none.txt" }, item: "none" },
        { do: "await", name: "none" },
        { do: "gate", name: "read" },
        end(completed)
      ]
    }], Effect.fnUntraced(function*({ begin, fake, workspace }) {
      const port = yield* ProjectionPort
      writeFileSync(join(workspace, "notes.txt"), "one\ntwo\nthree")
      const runId = yield* begin()
      yield* port.showRun({ text: runId, workspacePath: "" }).pipe(
        Effect.repeat({ until: ({ calls }) => calls.filter(({ outcome }) => outcome !== undefined).length === 2 })
      )
      yield* fake.openGate("read")
      const run = yield* port.awaitRest(runId)
      const ends = yield* Effect.forEach(["read", "none"], (name) => {
        const answer = fake.answers.get(name)
        return isStarted(answer) ? answer.settled : Effect.die(new Error("It was not started"))
      })
      expect(ends).toEqual([
        { outcome: "completed", value: { kind: "text", content: "two\nthree", firstLine: 2, totalLines: 3 } },
        { outcome: "failed", reason: expect.stringContaining("none.txt") }
      ])
      expect(run.calls).toMatchObject([{ tool: "read", outcome: "completed" }, { tool: "read", outcome: "failed" }])
    })))

  it.live("goes on with its conversation in the next Turn, by the coordinate of the last one", () =>
    onOutsideAgent([
      { coordinate: "thread-1", steps: [{ do: "checkpoint", coordinate: "thread-2" }, end(completed)] },
      { steps: [end(completed)] }
    ], Effect.fnUntraced(function*({ begin, fake, sessions }) {
      const port = yield* ProjectionPort
      const runId = yield* begin({ kind: "interactive" })
      yield* port.awaitRest(runId)
      expect(sessions()).toEqual([{ availability: "open", recovery_coordinate: "thread-2" }])
      expect(yield* operate({ operation: "send", runId, text: "And now?" })).toEqual({ status: "applied" })
      yield* port.awaitRest(runId)
      expect(fake.inputs).toEqual(["Do it.", "And now?"])
      expect(fake.running()).toBe(0)
    })))

  it.live.each([
    ["accept", "accepted", "failed", 0],
    ["review", "held-for-review", "blocked", 1],
    ["off", "refused", "succeeded", 0]
  ] as const)("that calls its Run failed is replied to as the Run was started: %s, %s; it rests %s", ([agentCalls, reply, state, reviews]) =>
    onOutsideAgent([{
      steps: [
        { do: "agent-call", name: "failed", call: { id: "native", call: "run_failed", reason: "There is no rule." } },
        { do: "await", name: "failed" },
        end(completed)
      ]
    }], Effect.fnUntraced(function*({ begin, fake, stored }) {
      const port = yield* ProjectionPort
      const run = yield* port.awaitRest(yield* begin({ agentCalls }))
      expect(fake.answers.get("failed")).toMatchObject({ kind: reply })
      expect(stored().map(([type]) => type)).toEqual(["agent-call", "agent-call", "turn-settled"])
      expect(stored()[1]?.[1]).toMatchObject({ call: "run_failed", reason: "There is no rule.", reply })
      expect(run).toMatchObject({ state, calls: [] })
      expect(run.pending).toHaveLength(reviews)
    })))

  it.live("that ends before its call was replied to leaves the call expired, and it counts for nothing", () =>
    onOutsideAgent([{
      steps: [
        { do: "agent-call", name: "failed", call: { id: "native", call: "run_failed", reason: "There is no rule." } },
        end(completed)
      ]
    }], Effect.fnUntraced(function*({ begin, fake, stored }) {
      const port = yield* ProjectionPort
      expect(yield* port.awaitRest(yield* begin({ agentCalls: "accept" }))).toMatchObject({ state: "succeeded" })
      expect(fake.answers.get("failed")).toMatchObject({ kind: "refused" })
      expect(stored().map(([type]) => type)).toEqual(["agent-call", "agent-call-expired", "turn-settled"])
    })))

  it.live("whose call is held rests as the agent said where a person says so", () =>
    onOutsideAgent([{
      steps: [
        { do: "agent-call", name: "done", call: { id: "native", call: "run_done", reason: "The tests pass." } },
        { do: "await", name: "done" },
        end(completed)
      ]
    }], Effect.fnUntraced(function*({ begin }) {
      const port = yield* ProjectionPort
      const runId = yield* begin({ agentCalls: "review" })
      const held = yield* port.awaitRest(runId)
      expect(held.pending).toMatchObject([{ kind: "review", reason: "run_done: The tests pass." }])
      expect(yield* operate({ operation: "answer", runId, answer: { review: "stop" }, by: "person" })).toEqual({ status: "applied" })
      expect(yield* port.awaitRest(runId)).toMatchObject({ state: "succeeded", pending: [] })
    })))

  it.live("is refused with approvals that only a later person could answer, before anything starts", () =>
    onOutsideAgent([], Effect.fnUntraced(function*({ begin, fake }) {
      const problem = yield* Effect.flip(begin({ approvals: "ask" }))
      expect(problem).toMatchObject({ problem: { code: "approvals-ask-unsupported" } })
      expect(fake.running()).toBe(0)
    })))
})
