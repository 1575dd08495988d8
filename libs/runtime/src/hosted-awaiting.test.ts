import { assert, describe, it } from "@effect/vitest"
import type { CallId, RunId } from "@steno/contracts"
import { ProjectionPort } from "@steno/projection-port"
import Database from "better-sqlite3"
import { Effect } from "effect"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { call, fileAppears, type Hosted, inAnotherProcess, onHosted, operate, says, startHosted, steps } from "./testing/hosted-runs.ts"

const allow = { approval: { decision: "allow" } } as const
const deny = { approval: { decision: "deny", reason: "Not now." } } as const
const answerTo = (runId: RunId, answer: typeof allow | typeof deny, callId?: CallId) =>
  ({ operation: "answer", runId, answer, by: "person", ...(callId === undefined ? {} : { callId }) }) as const

/** Asks about a command that leaves a trace each time it runs, then reports. */
const asking = steps(
  { content: [says("I need to write."), call("bash", { command: "echo ran >> trace" })] },
  { content: [says("Done.")] }
)

const question = { id: "db", prompt: "Which?", options: [{ label: "PostgreSQL" }, { label: "SQLite" }] }

const traces = ({ workspace }: Pick<Hosted, "workspace">) =>
  existsSync(join(workspace, "trace")) ? readFileSync(join(workspace, "trace"), "utf8") : ""

/** Leaves an answer on record as an owner does that dies before it acts on it. */
const storeAnswer = ({ home }: Pick<Hosted, "home">) => {
  const database = new Database(join(home, "core.sqlite"))
  const resolution = JSON.stringify({ id: "op-lost", value: allow, by: "person", at: "2026-01-01T00:00:00.000Z" })
  database.prepare("UPDATE tool_call SET interactions = json_set(interactions, '$[#-1].resolution', json(?))").run(resolution)
  database.close()
}

/** Starts a Run whose approvals are left to a person. */
const startAsking = Effect.fnUntraced(function*(hosted: Hosted, script: Parameters<Hosted["script"]>[0] = asking) {
  hosted.script(script)
  return yield* startHosted(hosted, { approvals: "ask" })
})

describe("a Run that only awaits a person", () => {
  it.live("rests blocked with its Turn open, says what it asks and how it is answered, and has run nothing", () =>
    onHosted((hosted) =>
      Effect.gen(function*() {
        const run = yield* startAsking(hosted)
        assert.deepStrictEqual([run.state, run.liveness, run.turns[0]?.result], ["blocked", { state: "resting" }, undefined])
        assert.deepStrictEqual(run.calls.map(({ state }) => state), ["awaiting_approval"])
        assert.deepInclude(run.pending[0], { kind: "approval", tool: "bash", input: "echo ran >> trace" })
        assert.deepStrictEqual(run.pending.map(({ callId }) => callId), run.calls.map(({ callId }) => callId))
        assert.deepStrictEqual(
          run.actionOffers.filter(({ available }) => available).map(({ operation }) => operation),
          ["answer", "interrupt", "cancel"]
        )
        assert.include(run.timeline.map(({ event }) => event), "request-raised")
        assert.strictEqual(traces(hosted), "")
        const port = yield* ProjectionPort
        assert.deepStrictEqual((yield* port.listRuns({ resumable: true, limit: 5 })).rows.map(({ state }) => state), ["blocked"])
      })
    ))

  it.live("is answered by another process, which drives it on to its end", () =>
    onHosted((hosted) =>
      Effect.gen(function*() {
        const { runId } = yield* startAsking(hosted)
        assert.deepStrictEqual(yield* inAnotherProcess(hosted.home, answerTo(runId, allow)), {
          outcome: { status: "applied" },
          state: "succeeded"
        })
        const port = yield* ProjectionPort
        const run = yield* port.showRun({ text: runId, workspacePath: hosted.workspace })
        assert.deepStrictEqual([run.turns.length, run.turns[0]?.result, run.calls[0]?.outcome], [1, "completed", "completed"])
        assert.strictEqual(traces(hosted), "ran\n")
        assert.deepStrictEqual((yield* hosted.transcript(runId)).entries.map(({ content }) => content), [
          "Do it.",
          "I need to write.",
          "Done."
        ])
        const answered = run.timeline.filter(({ event }) => event.startsWith("request-") || event === "tool-call-settled")
        assert.deepStrictEqual(answered.map(({ detail, event }) => [event, detail]), [
          ["request-raised", "approval"],
          ["request-answered", "allow"],
          ["tool-call-settled", "completed"]
        ])
      })
    ))

  it.live("that is denied goes on without the call", () =>
    onHosted((hosted) =>
      Effect.gen(function*() {
        const { runId } = yield* startAsking(hosted)
        assert.deepStrictEqual(yield* operate(answerTo(runId, deny)), { status: "applied" })
        const port = yield* ProjectionPort
        const run = yield* port.awaitRest(runId)
        assert.deepStrictEqual([run.state, run.calls[0]?.outcome, traces(hosted)], ["succeeded", "denied", ""])
      })
    ))

  it.live("takes an answer once: repeated it is the same, another one is stale, and nothing runs twice", () =>
    onHosted((hosted) =>
      Effect.gen(function*() {
        const { calls, runId } = yield* startAsking(hosted)
        const callId = calls[0]?.callId
        const port = yield* ProjectionPort
        for (const attempt of [1, 2]) {
          assert.deepStrictEqual(yield* operate(answerTo(runId, allow), "answer:1"), { status: "applied" }, `attempt ${attempt}`)
          yield* port.awaitRest(runId)
        }
        const again = yield* operate(answerTo(runId, allow, callId), "answer:2")
        assert.deepStrictEqual([again.status, again.problem?.code], ["not-applied", "interaction-stale"])
        const none = yield* operate(answerTo(runId, allow), "answer:3")
        assert.strictEqual(none.problem?.code, "call-not-found")
        assert.strictEqual(traces(hosted), "ran\n")
      })
    ))

  it.live("keeps waiting after an answer of the wrong kind, to an unknown call or with a scope that nothing suggests", () =>
    onHosted((hosted) =>
      Effect.gen(function*() {
        const { calls, runId } = yield* startAsking(hosted)
        const asking = calls[0]?.callId ?? ""
        const other = `${asking.slice(0, -1)}${asking.endsWith("0") ? "1" : "0"}` as CallId
        const only = { only: { options: ["1"] } }
        for (const [input, code] of [
          [{ operation: "answer", runId, answer: only, by: "person" }, "answer-shape-mismatch"],
          [{ operation: "answer", runId, answer: { dismissed: true }, by: "person" }, "answer-shape-mismatch"],
          [{ operation: "answer", runId, answer: { review: "stop" }, by: "person" }, "answer-shape-mismatch"],
          [answerTo(runId, allow, other), "call-not-found"]
        ] as const) {
          const outcome = yield* operate(input)
          assert.deepStrictEqual([outcome.status, outcome.problem?.code], ["not-applied", code])
        }
        const port = yield* ProjectionPort
        const run = yield* port.awaitRest(runId)
        assert.deepStrictEqual([run.state, run.pending.length], ["blocked", 1])
        assert.deepStrictEqual([(yield* operate({ operation: "send", runId, text: "x" })).problem?.code], ["turn-busy"])
        const resumed = yield* operate({ operation: "resume", runId })
        assert.strictEqual(resumed.problem?.code, "turn-busy")
        assert.include(resumed.problem?.remediation, "steno run interrupt")
        const steered = yield* operate({ operation: "steer", runId, text: "x" })
        assert.strictEqual(steered.problem?.code, "steer-unavailable")
        assert.notInclude(steered.problem?.remediation, "steno run send")
      })
    ))

  it.live("asks a question, which another process answers by its only option", () =>
    onHosted((hosted) =>
      Effect.gen(function*() {
        hosted.script(steps(
          { content: [call("ask_user", { questions: [question] })] },
          { expect: { results: [{ tool: "ask_user", contains: "SQLite" }] }, answer: { content: [says("SQLite it is.")] } }
        ))
        const run = yield* startHosted(hosted, { approvals: "allow" })
        assert.deepStrictEqual([run.state, run.calls[0]?.state], ["blocked", "awaiting_input"])
        assert.deepInclude(run.pending[0], { kind: "question", reason: "Which?", options: ["1", "2"] })
        const wrong = yield* operate({ operation: "answer", runId: run.runId, answer: { only: { options: ["9"] } }, by: "person" })
        assert.strictEqual(wrong.problem?.code, "answer-shape-mismatch")
        assert.include(wrong.problem?.explanation, `"9" names no single option of question "db"; its options are "1" (PostgreSQL), "2" (SQLite).`)
        const answer = { operation: "answer", runId: run.runId, answer: { only: { options: ["2"] } }, by: "person" } as const
        const done = yield* inAnotherProcess(hosted.home, answer)
        assert.deepStrictEqual(done, { outcome: { status: "applied" }, state: "succeeded" })
      })
    ))

  it.live("takes the exact label of an option for its id, unless another option has it as its id", () =>
    onHosted((hosted) =>
      Effect.gen(function*() {
        const numbers = { id: "n", prompt: "How many?", options: [{ label: "2" }, { label: "many" }] }
        hosted.script(steps(
          { content: [call("ask_user", { questions: [question, { ...numbers, multiSelect: true }] })] },
          { content: [says("I see.")] }
        ))
        const { runId } = yield* startHosted(hosted)
        const given = (options: ReadonlyArray<string>) =>
          ({ operation: "answer", runId, answer: { answers: { db: { options: ["SQLite"] }, n: { options } } }, by: "person" }) as const
        assert.include((yield* operate(given(["Many"]))).problem?.explanation, `"Many" names no single option of question "n"`)
        assert.include((yield* operate(given(["many", "2"]))).problem?.explanation, `Option "2" of question "n" is chosen more than once.`)
        for (const _ of [1, 2]) {
          assert.deepStrictEqual(yield* operate(given(["many", "1"]), "op-label"), { status: "applied" })
        }
        const [answered] = (yield* (yield* ProjectionPort).awaitRest(runId)).calls
        assert.include(answered?.output?.projection, "db: SQLite")
        assert.include(answered?.output?.projection, "n: 2, many")
      })
    ))

  it.live("with two calls that wait rests again after the first answer, and names both where none is named", () =>
    onHosted((hosted) =>
      Effect.gen(function*() {
        const run = yield* startAsking(hosted, steps(
          { content: [call("bash", { command: "echo ran >> trace" }), call("bash", { command: "echo ran too >> trace" })] },
          { expect: { resultCount: 2 }, answer: { content: [says("Done.")] } }
        ))
        const { runId } = run
        const [first, second] = run.calls.map(({ callId }) => callId)
        const unnamed = yield* operate(answerTo(runId, allow))
        assert.strictEqual(unnamed.problem?.code, "id-ambiguous")
        assert.strictEqual(unnamed.problem?.details?.["calls"], `${first} ${second}`)
        const port = yield* ProjectionPort
        yield* operate(answerTo(runId, allow, second))
        const between = yield* port.awaitRest(runId)
        assert.deepStrictEqual([between.state, between.calls.map(({ outcome, state }) => outcome ?? state)], ["blocked", ["awaiting_approval", "completed"]])
        yield* operate(answerTo(runId, deny))
        const done = yield* port.awaitRest(runId)
        assert.deepStrictEqual([done.state, done.calls.map(({ outcome }) => outcome)], ["succeeded", ["denied", "completed"]])
        assert.strictEqual(traces(hosted), "ran too\n")
      })
    ))

  it.live("delivers a Steer that was sent before it rested, once it goes on", () =>
    onHosted((hosted) =>
      Effect.gen(function*() {
        const run = yield* startAsking(hosted, steps(
          { content: [call("bash", { command: "touch ready; while ! test -e go; do sleep 0.05; done" }), call("bash", { command: "true" })] },
          { expect: { contains: "Only the tests.", resultCount: 2 }, answer: { content: [says("Only them.")] } }
        ))
        const { runId } = run
        const [first, second] = run.calls.map(({ callId }) => callId)
        const port = yield* ProjectionPort
        yield* operate(answerTo(runId, allow, first))
        yield* fileAppears(hosted.workspace, "ready")
        assert.deepStrictEqual(yield* operate({ operation: "steer", runId, text: "Only the tests." }), { status: "applied" })
        hosted.file("go")
        assert.strictEqual((yield* port.awaitRest(runId)).state, "blocked")
        assert.notInclude((yield* hosted.transcript(runId)).entries.map(({ kind }) => kind), "steer")
        assert.deepStrictEqual((yield* inAnotherProcess(hosted.home, answerTo(runId, allow, second))).state, "succeeded")
        assert.deepStrictEqual((yield* hosted.transcript(runId)).entries.map(({ content, kind }) => [kind, content]), [
          ["message", "Do it."],
          ["steer", "Only the tests."],
          ["message", "Only them."]
        ])
      })
    ))

  it.live("whose answer is stored and not acted on is driven on by resume, the call run once", () =>
    onHosted((hosted) =>
      Effect.gen(function*() {
        const run = yield* startAsking(hosted)
        storeAnswer(hosted)
        const port = yield* ProjectionPort
        const stored = yield* port.awaitRest(run.runId)
        assert.isTrue(stored.pending[0]?.answered)
        const other = yield* operate(answerTo(run.runId, deny))
        assert.deepStrictEqual([other.status, other.problem?.code], ["not-applied", "call-not-found"])
        assert.deepStrictEqual(yield* operate({ operation: "resume", runId: run.runId }), { status: "applied" })
        const done = yield* port.awaitRest(run.runId)
        assert.deepStrictEqual([done.state, done.turns.length, done.calls[0]?.outcome], ["succeeded", 1, "completed"])
        assert.strictEqual(traces(hosted), "ran\n")
      })
    ))

  it.live.each([
    ["interrupt", "halted"],
    ["cancel", "cancelled"]
  ] as const)("is ended by %s: its call cancelled, its Turn interrupted, the Run %s", ([operation, state]) =>
    onHosted((hosted) =>
      Effect.gen(function*() {
        const { runId } = yield* startAsking(hosted)
        assert.deepStrictEqual(yield* operate({ operation, runId }), { status: "applied" })
        const port = yield* ProjectionPort
        const run = yield* port.awaitRest(runId)
        assert.deepStrictEqual(
          [run.state, run.turns[0]?.result, run.calls[0]?.outcome, run.pending, traces(hosted)],
          [state, "interrupted", "cancelled", [], ""]
        )
        const stale = yield* operate(answerTo(runId, allow, run.calls[0]?.callId))
        assert.strictEqual(stale.problem?.code, "interaction-stale")
      })
    ))

  it.live("is ended by cancel also where an answer is stored: what it allows does not run any more", () =>
    onHosted((hosted) =>
      Effect.gen(function*() {
        const { runId } = yield* startAsking(hosted)
        storeAnswer(hosted)
        assert.deepStrictEqual(yield* operate({ operation: "cancel", runId }), { status: "applied" })
        const port = yield* ProjectionPort
        const run = yield* port.awaitRest(runId)
        assert.deepStrictEqual([run.state, run.calls[0]?.outcome, traces(hosted)], ["cancelled", "cancelled", ""])
      })
    ))

  it.live("is deleted with everything of it", () =>
    onHosted((hosted) =>
      Effect.gen(function*() {
        const { runId } = yield* startAsking(hosted)
        assert.deepStrictEqual(yield* operate({ operation: "delete", runId }), { status: "applied" })
        const port = yield* ProjectionPort
        assert.isTrue((yield* port.listRuns({ resumable: false, limit: 5 })).empty)
      })
    ))
})

describe("approvals by the policy of a client", () => {
  it.live.each([
    ["deny", "denied", ""],
    ["allow", "completed", "ran\n"]
  ] as const)("%s each at once, recorded as the client's: the call is %s", ([approvals, outcome, trace]) =>
    onHosted((hosted) =>
      Effect.gen(function*() {
        hosted.script(asking)
        const run = yield* startHosted(hosted, { approvals })
        assert.deepStrictEqual([run.state, run.calls[0]?.outcome, traces(hosted)], ["succeeded", outcome, trace])
      })
    ))
})

describe("an Agent call", () => {
  const done = steps({ content: [call("run_done", { reason: "all tests pass" })] }, { content: [says("Bye.")] })

  it.live("that is accepted rests the Run as it says", () =>
    onHosted((hosted) =>
      Effect.gen(function*() {
        hosted.script(steps({ content: [call("run_failed", { reason: "no disk" })] }, { content: [says("Bye.")] }))
        const run = yield* startHosted(hosted, { agentCalls: "accept", kind: "interactive" })
        assert.deepStrictEqual([run.state, run.turns[0]?.result, run.pending], ["failed", "completed", []])
        assert.deepInclude(run.timeline.map(({ detail, event }) => ({ event, detail })), { event: "agent-call", detail: "run_failed" })
      })
    ))

  it.live("is not offered and not heard where the Run takes none", () =>
    onHosted((hosted) =>
      Effect.gen(function*() {
        hosted.script({ steps: [{ expect: { tools: ["run_done"] }, answer: { content: [says("offered")] } }] })
        assert.strictEqual((yield* startHosted(hosted)).state, "failed")
        hosted.script(done)
        const run = yield* startHosted(hosted, { kind: "interactive" })
        assert.deepStrictEqual([run.state, run.calls[0]?.outcome], ["blocked", "failed"])
      })
    ))

  it.live("that is held blocks the Run until a person stops it there", () =>
    onHosted((hosted) =>
      Effect.gen(function*() {
        hosted.script(done)
        const run = yield* startHosted(hosted, { agentCalls: "review" })
        assert.strictEqual(run.state, "blocked")
        assert.deepInclude(run.pending[0], { kind: "review", reason: "run_done: all tests pass", options: ["continue", "stop"] })
        const wrong = yield* operate(answerTo(run.runId, allow))
        assert.strictEqual(wrong.problem?.code, "answer-shape-mismatch")
        const busy = yield* operate({ operation: "send", runId: run.runId, text: "x" })
        assert.strictEqual(busy.problem?.code, "turn-busy")
        assert.notInclude(busy.problem?.remediation, "interrupt")
        const stop = { operation: "answer", runId: run.runId, answer: { review: "stop" }, by: "person" } as const
        assert.deepStrictEqual(yield* inAnotherProcess(hosted.home, stop), { outcome: { status: "applied" }, state: "succeeded" })
        assert.strictEqual((yield* operate(stop)).problem?.code, "call-not-found")
      })
    ))

  it.live("that is held goes on in a further Turn where a person says so", () =>
    onHosted((hosted) =>
      Effect.gen(function*() {
        hosted.script(steps(
          { content: [call("run_done", { reason: "all tests pass" })] },
          { content: [says("Bye.")] },
          { expect: { input: "wants the work to go on" }, answer: { content: [says("More.")] } }
        ))
        const run = yield* startHosted(hosted, { agentCalls: "review" })
        yield* operate({ operation: "answer", runId: run.runId, answer: { review: "continue" }, by: "person" })
        const port = yield* ProjectionPort
        const on = yield* port.awaitRest(run.runId)
        assert.deepStrictEqual([on.state, on.turns.length, on.pending], ["succeeded", 2, []])
      })
    ))
})
