import { assert, describe, it } from "@effect/vitest"
import type { CallId, OperationInput, RunId } from "@steno/contracts"
import { ProjectionPort } from "@steno/projection-port"
import { Effect } from "effect"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { call, fileAppears, type Hosted, onHosted, operate, printed, says, spawnOperation, startHosted, steps } from "./testing/hosted-runs.ts"

const answerTo = (runId: RunId, callId: CallId | undefined, decision: "allow" | "deny" = "allow") =>
  ({
    operation: "answer",
    runId,
    answer: { approval: { decision } },
    by: "person",
    ...(callId === undefined ? {} : { callId })
  }) as const satisfies OperationInput

const traces = ({ workspace }: Pick<Hosted, "workspace">) =>
  existsSync(join(workspace, "trace")) ? readFileSync(join(workspace, "trace"), "utf8") : ""

const patient = "echo begun >> trace; touch ready; while ! test -e go; do sleep 0.05; done"

/** A Run of two calls that await approval, the first of which is then allowed and runs in a process of its own. */
const halfAnswered = Effect.fnUntraced(function*(hosted: Hosted) {
  hosted.script(steps(
    { content: [call("bash", { command: patient }), call("bash", { command: "echo second >> trace" })] },
    { expect: { resultCount: 2 }, answer: { content: [says("Both are over.")] } }
  ))
  const run = yield* startHosted(hosted, { approvals: "ask" })
  const [first, second] = run.calls.map(({ callId }) => callId)
  const owner = spawnOperation(hosted.home, answerTo(run.runId, first))
  yield* fileAppears(hosted.workspace, "ready")
  return { owner, runId: run.runId, second }
})

const named = (runId: RunId) => ({ text: runId, workspacePath: "" })

describe("a Run that another process drives", () => {
  it.live("takes the answer to a waiting call while a sibling runs there", () =>
    onHosted((hosted) =>
      Effect.gen(function*() {
        const { owner, runId, second } = yield* halfAnswered(hosted)
        const port = yield* ProjectionPort
        const live = yield* port.showRun(named(runId))
        assert.deepStrictEqual([live.state, live.liveness.state, live.calls.map(({ state }) => state)], [
          "blocked",
          "live-elsewhere",
          ["running", "awaiting_approval"]
        ])
        assert.deepStrictEqual(yield* operate(answerTo(runId, second, "deny")), { status: "applied" })
        const stale = yield* operate(answerTo(runId, second, "allow"))
        assert.strictEqual(stale.problem?.code, "interaction-stale")
        hosted.file("go")
        assert.include(yield* printed(owner), `"state":"succeeded"`)
        const run = yield* port.showRun(named(runId))
        assert.deepStrictEqual([run.state, run.calls.map(({ outcome }) => outcome)], ["succeeded", ["completed", "denied"]])
        assert.strictEqual(traces(hosted), "begun\n")
      })
    ))

  it.live("is interrupted by this one", () =>
    onHosted((hosted) =>
      Effect.gen(function*() {
        const { owner, runId } = yield* halfAnswered(hosted)
        assert.deepStrictEqual(yield* operate({ operation: "interrupt", runId }), { status: "applied" })
        assert.include(yield* printed(owner), `"state":"halted"`)
        const port = yield* ProjectionPort
        const run = yield* port.showRun(named(runId))
        assert.deepStrictEqual([run.turns[0]?.result, run.calls.map(({ outcome }) => outcome)], ["interrupted", ["cancelled", "cancelled"]])
      })
    ))
})

describe("a Run whose owner is killed while one call runs and another awaits a person", () => {
  const killed = (hosted: Hosted) =>
    Effect.gen(function*() {
      const { owner, runId, second } = yield* halfAnswered(hosted)
      owner.kill("SIGKILL")
      yield* printed(owner)
      return { runId, second }
    })

  it.live("is shown before it is settled as it is shown afterwards", () =>
    onHosted((hosted) =>
      Effect.gen(function*() {
        const { runId } = yield* killed(hosted)
        const port = yield* ProjectionPort
        const derived = yield* port.showRun(named(runId))
        assert.deepStrictEqual([derived.state, derived.liveness, derived.turns[0]?.result], ["blocked", { state: "resting" }, undefined])
        assert.deepStrictEqual(derived.calls.map(({ outcome, state }) => outcome ?? state), ["indeterminate", "awaiting_approval"])
        return derived
      }), (_, derived) =>
      Effect.gen(function*() {
        const port = yield* ProjectionPort
        const settled = yield* port.showRun(named(derived.runId))
        assert.deepStrictEqual(
          [settled.state, settled.pending, settled.actionOffers, settled.calls.map(({ outcome, reason, state }) => [outcome ?? state, reason])],
          [derived.state, derived.pending, derived.actionOffers, derived.calls.map(({ outcome, reason, state }) => [outcome ?? state, reason])]
        )
      })))

  it.live("keeps the Turn: the running call is indeterminate, the other is answered and the model goes on", () =>
    onHosted(killed, (hosted, { runId, second }) =>
      Effect.gen(function*() {
        const port = yield* ProjectionPort
        const blocked = yield* port.showRun(named(runId))
        assert.deepStrictEqual(blocked.pending.map(({ callId }) => callId), [second])
        assert.deepStrictEqual(yield* operate(answerTo(runId, undefined)), { status: "applied" })
        const run = yield* port.awaitRest(runId)
        assert.deepStrictEqual([run.state, run.turns.map(({ result }) => result)], ["succeeded", ["completed"]])
        assert.deepStrictEqual(run.calls.map(({ outcome }) => outcome), ["indeterminate", "completed"])
        assert.strictEqual(traces(hosted), "begun\nsecond\n")
        assert.strictEqual((yield* hosted.transcript(runId)).entries.at(-1)?.content, "Both are over.")
      })))
})

describe("a Run whose owner is killed while nothing awaits a person", () => {
  it.live("is halted, its Turn lost, and a resume tells the model what nobody knows", () =>
    onHosted((hosted) =>
      Effect.gen(function*() {
        hosted.script(steps(
          { content: [call("bash", { command: patient })] },
          { expect: { input: "Nobody knows whether these calls took effect" }, answer: { content: [says("I look first.")] } }
        ))
        const input: OperationInput = {
          operation: "start",
          workspace: hosted.workspace,
          harness: "hosted",
          model: "script:script.json",
          approvals: "allow",
          session: "main",
          input: "Do it.",
          kind: "once"
        }
        const owner = spawnOperation(hosted.home, input)
        yield* fileAppears(hosted.workspace, "ready")
        owner.kill("SIGKILL")
        return (yield* printed(owner)).trim() as RunId
      }), (hosted, runId) =>
      Effect.gen(function*() {
        const port = yield* ProjectionPort
        const lost = yield* port.showRun(named(runId))
        assert.deepStrictEqual([lost.state, lost.turns[0]?.result, lost.calls[0]?.outcome], ["halted", "lost", "indeterminate"])
        assert.deepStrictEqual(yield* operate({ operation: "resume", runId }), { status: "applied" })
        assert.strictEqual((yield* port.awaitRest(runId)).state, "succeeded")
        assert.strictEqual(traces(hosted), "begun\n")
      })))
})
