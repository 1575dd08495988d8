import { assert, describe, it } from "@effect/vitest"
import { toPortProblem } from "@steno/application/problems"
import type { ApprovalAnswer, PolicyRule } from "@steno/contracts"
import { ToolCallService } from "@steno/tool-call-service"
import { Effect } from "effect"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { admitHostedRun, awaited, onCore } from "./testing/model-calls.ts"

const writeRules = (file: string, ...rules: ReadonlyArray<PolicyRule>) => {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, JSON.stringify({ rules }))
}
const userFile = (home: string) => join(home, "config", "policy.json")
const workspaceFile = (workspace: string) => join(workspace, ".steno", "policy.json")

/** Types a command and waits for its response. */
const typed = Effect.fnUntraced(function*(command: string, workspace: string) {
  const { turn } = yield* admitHostedRun(workspace)
  const calls = yield* ToolCallService
  return yield* (yield* calls.runDirectCommand({ ...turn, arguments: { command, cwd: workspace } })).settled
})

describe("a command that a person typed", () => {
  it.live("is refused by a rule of theirs that denies a part of it, and nothing of it starts", () =>
    onCore(({ home, workspace }) =>
      Effect.gen(function*() {
        writeRules(userFile(home), { effect: "deny", command: "touch *" })
        const response = yield* typed("echo x > before; touch after", workspace)
        assert.deepStrictEqual([response.outcome, response.exitCode, response.startedAt], ["denied", undefined, undefined])
        assert.include(response.supervision, { decision: "deny", by: "policy", layer: "user", segment: "touch after" })
        assert.match(response.agentProjection ?? "", /^Command: echo x > before; touch after\nDenied by policy, rule deny command "touch \*"/)
        assert.deepStrictEqual([existsSync(join(workspace, "before")), existsSync(join(workspace, "after"))], [false, false])
        assert.isFalse(existsSync(join(home, "data")))
      })))

  it.live("is refused by a guardrail, also where a rule allows everything", () =>
    onCore(({ home, workspace }) =>
      Effect.gen(function*() {
        writeRules(userFile(home), { effect: "allow" })
        const response = yield* typed(`echo x > '${home}/core.sqlite.note'`, workspace)
        assert.deepStrictEqual([response.outcome, response.supervision?.layer], ["denied", "guardrails"])
        assert.include(response.agentProjection, "guardrail")
        assert.isFalse(existsSync(join(home, "core.sqlite.note")))
      })))

  it.live("is refused as policy-invalid, with the position, while a file of rules is invalid; nothing is recorded of it", () =>
    onCore(({ home, workspace }) =>
      Effect.gen(function*() {
        mkdirSync(dirname(userFile(home)))
        writeFileSync(userFile(home), "{\n  \"rules\": [}")
        const { problem } = toPortProblem(yield* Effect.flip(typed("touch ran", workspace)))
        assert.deepStrictEqual([problem.code, problem.possibleEffects, problem.details?.["position"]], ["policy-invalid", "none", "line 2, column 13"])
        assert.strictEqual(problem.details?.["path"], userFile(home))
        assert.isFalse(existsSync(join(workspace, "ran")))
        writeRules(userFile(home))
        assert.strictEqual((yield* typed("touch ran", workspace)).exitCode, 0)
      })))
})

describe("a call of a model", () => {
  it.live("reads in the Workspace and the Session's own files without asking, and not elsewhere", () =>
    onCore(({ home, workspace }) =>
      Effect.gen(function*() {
        const own = yield* admitHostedRun(workspace, "deny")
        writeFileSync(join(workspace, "a"), "x")
        writeFileSync(join(home, "note"), "x")
        const outcomes = yield* own.run(
          ["read", { path: "a" }],
          ["read", { path: "/etc/hostname" }],
          ["read", { path: join(home, "note") }],
          ["ls", { path: join(home, "data", "conversations", own.conversationId) }]
        )
        assert.deepStrictEqual(outcomes.map(({ outcome }) => outcome), ["completed", "denied", "denied", "failed"])
        assert.strictEqual(outcomes[1]?.supervision?.by, "client-policy")
      })))

  it.live("is denied by a rule where it stands in a line, and by no other's allowance", () =>
    onCore(({ home, workspace }) =>
      Effect.gen(function*() {
        writeRules(userFile(home), { effect: "allow", command: "echo *" }, { effect: "deny", command: "touch *", reason: "no files" })
        const { one } = yield* admitHostedRun(workspace, "allow")
        const denied = yield* one("bash", { command: "echo a && (sh -c 'touch b')" })
        assert.deepStrictEqual([denied.outcome, denied.supervision?.segment], ["denied", "touch b"])
        assert.isFalse(existsSync(join(workspace, "b")))
        assert.strictEqual((yield* one("bash", { command: "echo a" })).supervision?.by, "policy")
      })))

  it.live("asks while a file of rules is invalid, whatever the others allow", () =>
    onCore(({ home, workspace }) =>
      Effect.gen(function*() {
        mkdirSync(dirname(userFile(home)))
        writeFileSync(userFile(home), "{")
        const run = yield* admitHostedRun(workspace)
        yield* run.propose(["read", { path: "a" }])
        const [row] = yield* awaited(run)
        assert.include(row?.interactions?.[0]?.request, { kind: "approval" })
        assert.include(row?.supervision?.reason, "invalid")
      })))

  it.live("with variables of its own asks, showing what they are set to; Steno's own are refused", () =>
    onCore(({ home, workspace }) =>
      Effect.gen(function*() {
        writeRules(userFile(home), { effect: "allow" })
        const run = yield* admitHostedRun(workspace)
        const step = yield* run.propose(["bash", { command: "true", env: { LD_PRELOAD: "/nowhere.so" } }], ["bash", { command: "true", env: { STENO_CALL_ID: "x" } }])
        const [row] = yield* awaited(run)
        assert.strictEqual(row?.supervision?.segment, "LD_PRELOAD=/nowhere.so")
        if (row !== undefined) yield* run.answer(row.callId, { decision: "deny", reason: "no" })
        const [preload, own] = yield* step.settled
        assert.deepStrictEqual([preload?.outcome, preload?.reason?.code !== undefined], ["denied", true])
        assert.deepStrictEqual([own?.outcome, own?.reason?.code], ["failed", "invalid-arguments"])
      })))
})

describe("an always-allow answer", () => {
  const command = "cp a b"
  const rule: PolicyRule = { effect: "allow", command }
  const answered = (scope: NonNullable<ApprovalAnswer["approval"]["scope"]>) =>
    onCore(({ home, workspace }) =>
      Effect.gen(function*() {
        writeFileSync(join(workspace, "a"), "x")
        const run = yield* admitHostedRun(workspace)
        const step = yield* run.propose(["bash", { command }])
        const [row] = yield* awaited(run)
        const asked = row?.interactions?.[0]?.request
        assert.deepStrictEqual(asked?.kind === "approval" ? asked.suggestedRules[0] : undefined, rule)
        if (row !== undefined) yield* run.answer(row.callId, { decision: "allow", scope })
        const [first] = yield* step.settled
        const next = yield* run.one("bash", { command })
        const elsewhere = yield* (yield* admitHostedRun(workspace, "deny")).one("bash", { command })
        const rulesIn = (file: string) => existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : undefined
        return { first, next, elsewhere, user: rulesIn(userFile(home)), workspace: rulesIn(workspaceFile(workspace)) }
      }))

  it.live("for the Session holds for its next call, in no file and in no other Session", () =>
    Effect.gen(function*() {
      const { elsewhere, first, next, user, workspace } = yield* answered("session")
      assert.deepStrictEqual([first?.outcome, next.outcome, next.supervision?.layer], ["completed", "completed", "session"])
      assert.strictEqual(elsewhere.outcome, "denied")
      assert.deepStrictEqual([user, workspace], [undefined, undefined])
    }))

  it.live("for the Workspace is written to its file, which is confirmed with it, and holds for every Session there", () =>
    Effect.gen(function*() {
      const { elsewhere, first, next, user, workspace } = yield* answered("workspace")
      assert.deepStrictEqual([first?.outcome, next.supervision?.layer, elsewhere.supervision?.layer], ["completed", "workspace", "workspace"])
      assert.deepStrictEqual([user, workspace], [undefined, { rules: [rule] }])
    }))

  it.live("for the person is written to their file and holds for every Session", () =>
    Effect.gen(function*() {
      const { elsewhere, first, next, user, workspace } = yield* answered("user")
      assert.deepStrictEqual([first?.outcome, next.supervision?.layer, elsewhere.supervision?.layer], ["completed", "user", "user"])
      assert.deepStrictEqual([user, workspace], [{ rules: [rule] }, undefined])
    }))

  it.live("that cannot be saved allows the call once, with a warning", () =>
    onCore(({ workspace }) =>
      Effect.gen(function*() {
        const run = yield* admitHostedRun(workspace)
        const step = yield* run.propose(["bash", { command: "pwd" }])
        const [row] = yield* awaited(run)
        writeRules(workspaceFile(workspace), { effect: "deny", command: "rm *" })
        if (row !== undefined) yield* run.answer(row.callId, { decision: "allow", scope: "workspace" })
        const [response] = yield* step.settled
        assert.deepStrictEqual([response?.outcome, response?.warnings.map(({ code }) => code)], ["completed", ["rule-not-saved"]])
        assert.deepStrictEqual(JSON.parse(readFileSync(workspaceFile(workspace), "utf8")), { rules: [{ effect: "deny", command: "rm *" }] })
      })))
})

describe("the keys that reach models", () => {
  const environment = { PATH: process.env["PATH"], MINE: "1", ANTHROPIC_API_KEY: "sk-one", OPENAI_API_KEY: "sk-two", OPENAI_COMPATIBLE_API_KEY: "sk-three" }

  it.live("never reach a command of a model; a person's own command sees the person's variables", () =>
    onCore(({ workspace }) =>
      Effect.gen(function*() {
        const { one } = yield* admitHostedRun(workspace, "allow")
        const asked = (yield* one("bash", { command: "env" })).retainedOutput?.text ?? ""
        const own = (yield* typed("env", workspace)).retainedOutput?.text ?? ""
        for (const secret of ["sk-one", "sk-two", "sk-three"]) {
          assert.notInclude(asked, secret)
          assert.include(own, secret)
        }
        assert.include(asked, "MINE=1")
      }), { environment }))
})
