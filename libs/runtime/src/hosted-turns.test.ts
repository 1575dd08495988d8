import { assert, describe, it } from "@effect/vitest"
import { RunSnapshot } from "@steno/contracts"
import { ProjectionPort } from "@steno/projection-port"
import { Effect, Fiber, Schema } from "effect"
import { call, fileAppears, hostedInput, onHosted, operate, says, startHosted, steps } from "./testing/hosted-runs.ts"

const isSnapshot = Schema.is(RunSnapshot)

const spoken = (entries: ReadonlyArray<{ readonly role: string; readonly content: string }>) =>
  entries.map(({ content, role }) => [role, content])

describe("a Turn of the built-in loop", () => {
  it.live("with two calls of one message, then an answer: calls and texts in their order, the Run succeeded", () =>
    onHosted((hosted) =>
      Effect.gen(function*() {
        hosted.script(steps(
          { content: [says("I look."), call("bash", { command: "echo one" }), call("bash", { command: "echo two" })] },
          {
            expect: { resultCount: 2, results: [{ tool: "bash", contains: "one" }, { tool: "bash", contains: "two" }] },
            answer: { content: [says("Both ran.")] }
          }
        ))
        const run = yield* startHosted(hosted, { approvals: "allow" })
        assert.isTrue(isSnapshot(run))
        assert.deepStrictEqual([run.state, run.turns.map(({ result }) => result)], ["succeeded", ["completed"]])
        assert.deepStrictEqual(run.calls.map(({ input, outcome, tool }) => [tool, input, outcome]), [
          ["bash", "echo one", "completed"],
          ["bash", "echo two", "completed"]
        ])
        assert.deepStrictEqual([run.requestedModel, run.effectiveModel], ["script:script.json", "script:script.json"])
        assert.deepStrictEqual(spoken((yield* hosted.transcript(run.runId)).entries), [
          ["user", "Do it."],
          ["assistant", "I look."],
          ["assistant", "Both ran."]
        ])
      })
    ))

  it.live("whose provider refuses is failed, with the provider's reason, and runs nothing", () =>
    onHosted((hosted) =>
      Effect.gen(function*() {
        hosted.script({ steps: [{ error: { status: 401, message: "No such key." } }] })
        const run = yield* startHosted(hosted)
        assert.deepStrictEqual([run.state, run.turns[0]?.result], ["failed", "failed"])
        assert.match(run.turns[0]?.detail ?? "", /^auth: .*No such key/)
        assert.deepStrictEqual(run.calls, [])
      })
    ))

  it.live("whose answer breaks off is failed and keeps what was shown, as incomplete", () =>
    onHosted((hosted) =>
      Effect.gen(function*() {
        hosted.script({
          steps: [{
            answer: { content: [says("I begin and then")] },
            pace: { deltaSize: [7, 100] },
            fault: { type: "disconnect", at: 1 }
          }]
        })
        const run = yield* startHosted(hosted)
        assert.strictEqual(run.state, "failed")
        const { entries } = yield* hosted.transcript(run.runId)
        assert.deepStrictEqual(entries.map(({ content, incomplete }) => [content, incomplete]), [
          ["Do it.", undefined],
          ["I begin", true]
        ])
      })
    ))

  it.live("with a wall time is interrupted when that is over, its call ended, the Run halted", () =>
    onHosted((hosted) =>
      Effect.gen(function*() {
        hosted.script(steps({ content: [call("bash", { command: "exec sleep 60" })] }, { content: [says("never")] }))
        const run = yield* startHosted(hosted, { approvals: "allow", timeoutMs: 1_500 })
        assert.deepStrictEqual([run.state, run.turns[0]?.result, run.turns[0]?.detail], ["halted", "interrupted", "timed-out"])
        assert.deepStrictEqual(run.calls.map(({ outcome }) => outcome), ["cancelled"])
      })
    ))

  it.live("is interrupted while a call runs: the call ends, no further request is made, and it goes on by a further Turn", () =>
    onHosted((hosted) =>
      Effect.gen(function*() {
        hosted.script(steps(
          { content: [call("bash", { command: "touch ready; exec sleep 60" })] },
          { expect: { input: "was interrupted" }, answer: { content: [says("I go on.")] } }
        ))
        const port = yield* ProjectionPort
        const { runId } = yield* port.submit({ input: hostedInput(hosted, { approvals: "allow" }) })
        const waiting = yield* Effect.forkChild(port.awaitRest(runId), { startImmediately: true })
        yield* fileAppears(hosted.workspace, "ready")
        assert.deepStrictEqual(yield* operate({ operation: "interrupt", runId, session: "main" }), { status: "applied" })
        const run = yield* Fiber.join(waiting)
        assert.deepStrictEqual([run.state, run.turns[0]?.result], ["halted", "interrupted"])
        assert.deepStrictEqual(run.calls.map(({ outcome }) => outcome), ["cancelled"])
        assert.deepStrictEqual(yield* operate({ operation: "resume", runId }), { status: "applied" })
        const resumed = yield* port.awaitRest(runId)
        assert.deepStrictEqual([resumed.state, resumed.turns.map(({ origin }) => origin)], ["succeeded", ["user", "managed"]])
        assert.strictEqual((yield* hosted.transcript(runId)).entries.at(-1)?.content, "I go on.")
      })
    ))

  it.live("takes a Steer while a call runs: it goes into the next request and stands where it was sent", () =>
    onHosted((hosted) =>
      Effect.gen(function*() {
        hosted.script(steps(
          { content: [says("I wait."), call("bash", { command: "touch ready; while ! test -e go; do sleep 0.05; done" })] },
          { expect: { contains: "Only the tests." }, answer: { content: [says("Only them.")] } }
        ))
        const port = yield* ProjectionPort
        const { runId } = yield* port.submit({ input: hostedInput(hosted, { approvals: "allow" }) })
        yield* fileAppears(hosted.workspace, "ready")
        const steer = { operation: "steer", runId, text: "Only the tests." } as const
        for (const attempt of [1, 2]) {
          assert.deepStrictEqual(yield* operate(steer, "steer:1"), { status: "applied" }, `attempt ${attempt}`)
        }
        assert.strictEqual((yield* operate({ operation: "send", runId, text: "more" })).problem?.code, "turn-busy")
        hosted.file("go")
        const run = yield* port.awaitRest(runId)
        assert.strictEqual(run.state, "succeeded")
        const { entries } = yield* hosted.transcript(runId)
        assert.deepStrictEqual(entries.map(({ content, steer: sent }) => [content, sent?.delivery]), [
          ["Do it.", undefined],
          ["I wait.", undefined],
          ["Only the tests.", "after-boundary"],
          ["Only them.", undefined]
        ])
        const late = yield* operate({ operation: "steer", runId, text: "late" })
        assert.strictEqual(late.problem?.code, "steer-unavailable")
        assert.include(late.problem?.remediation, "steno run send")
      })
    ))

  it.live.each([
    ["harness-unknown", { harness: "nobody" }],
    ["harness-unavailable", { model: "script:missing.json" }],
    ["harness-unavailable", { model: "anthropic/some-model" }],
    ["harness-unavailable", { model: "no-such-provider/x" }],
    ["input-blank", { input: " " }]
  ] as const)("is refused as %s before anything is admitted", ([code, parts]) =>
    onHosted((hosted) =>
      Effect.gen(function*() {
        const port = yield* ProjectionPort
        const { problem } = yield* Effect.flip(port.submit({ input: hostedInput(hosted, parts) }))
        assert.deepStrictEqual([problem.code, problem.possibleEffects], [code, "none"])
        assert.isTrue((yield* port.listRuns({ resumable: false, limit: 5 })).empty)
      })
    ))

  it.live("is started once per Operation id", () =>
    onHosted((hosted) =>
      Effect.gen(function*() {
        hosted.script(steps({ content: [says("once")] }))
        const port = yield* ProjectionPort
        const request = { operationId: "start:1", input: hostedInput(hosted) }
        const first = yield* port.submit(request)
        yield* port.awaitRest(first.runId)
        assert.deepStrictEqual(yield* port.submit(request), first)
        assert.deepStrictEqual((yield* port.awaitRest(first.runId)).turns.length, 1)
        const other = yield* Effect.flip(port.submit({ ...request, input: hostedInput(hosted, { approvals: "ask" }) }))
        assert.strictEqual(other.problem.code, "operation-id-reused")
      })
    ))

  it.live("without a model that somebody names is refused as model-required", () =>
    onHosted((hosted) =>
      Effect.gen(function*() {
        const port = yield* ProjectionPort
        const { model: _, ...input } = hostedInput(hosted)
        assert.strictEqual((yield* Effect.flip(port.submit({ input }))).problem.code, "model-required")
      })
    ))
})

describe("further Turns", () => {
  it.live("of a text that is sent: once per Operation, with everything before in the model's sight", () =>
    onHosted((hosted) =>
      Effect.gen(function*() {
        hosted.script(steps(
          { content: [says("first")] },
          { expect: { input: "And now?", contains: "Do it." }, answer: { content: [says("second")] } }
        ))
        const run = yield* startHosted(hosted)
        const send = { operation: "send", runId: run.runId, session: "main", text: "And now?" } as const
        for (const attempt of [1, 2]) {
          assert.deepStrictEqual(yield* operate(send, "send:1"), { status: "applied" }, `attempt ${attempt}`)
        }
        const port = yield* ProjectionPort
        const rested = yield* port.awaitRest(run.runId)
        assert.deepStrictEqual([rested.state, rested.turns.length], ["succeeded", 2])
        assert.strictEqual((yield* operate({ ...send, session: "other" })).problem?.code, "run-session-not-found")
        assert.strictEqual((yield* operate({ ...send, text: "\n" })).problem?.code, "input-blank")
        assert.strictEqual((yield* operate({ operation: "end", runId: run.runId })).problem?.code, "turn-control-rejected")
      })
    ))

  it.live("of an interactive Run: blocked between them until it is ended", () =>
    onHosted((hosted) =>
      Effect.gen(function*() {
        hosted.script(steps({ content: [says("first")] }, { content: [says("second")] }))
        const port = yield* ProjectionPort
        const run = yield* startHosted(hosted, { kind: "interactive" })
        assert.deepStrictEqual([run.state, run.pending], ["blocked", []])
        assert.deepStrictEqual(
          run.actionOffers.filter(({ available }) => available).map(({ operation }) => operation),
          ["send", "resume", "end", "cancel"]
        )
        yield* operate({ operation: "send", runId: run.runId, text: "more" })
        assert.strictEqual((yield* port.awaitRest(run.runId)).state, "blocked")
        assert.deepStrictEqual(yield* operate({ operation: "end", runId: run.runId, failed: true }), { status: "applied" })
        assert.strictEqual((yield* port.awaitRest(run.runId)).state, "failed")
        const again = yield* operate({ operation: "end", runId: run.runId })
        assert.deepStrictEqual([again.status, again.problem?.code], ["not-applied", "turn-control-rejected"])
        assert.strictEqual((yield* port.awaitRest(run.runId)).state, "failed")
        yield* operate({ operation: "cancel", runId: run.runId })
        const refused = yield* operate({ operation: "send", runId: run.runId, text: "more" })
        assert.strictEqual(refused.problem?.code, "run-terminal")
      })
    ))
})

describe("an owner that leaves", () => {
  it.live("interrupts a Turn at work and leaves a Run that can be resumed", () =>
    onHosted((hosted) =>
      Effect.gen(function*() {
        hosted.script(steps({ content: [call("bash", { command: "touch ready; exec sleep 60" })] }))
        const port = yield* ProjectionPort
        const { runId } = yield* port.submit({ input: hostedInput(hosted, { approvals: "allow" }) })
        yield* fileAppears(hosted.workspace, "ready")
        return runId
      }), (hosted, runId) =>
      Effect.gen(function*() {
        const port = yield* ProjectionPort
        const run = yield* port.showRun({ text: runId, workspacePath: hosted.workspace })
        assert.deepStrictEqual([run.state, run.turns[0]?.result, run.calls[0]?.outcome], ["halted", "interrupted", "cancelled"])
        assert.isTrue(run.actionOffers.some(({ available, operation }) => available && operation === "resume"))
      })))
})
