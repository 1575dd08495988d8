import { HarnessCatalog, OperationDocument, Problem, type ScriptBlock, type ScriptStep, TranscriptDocument } from "@steno/contracts"
import { Schema } from "effect"
import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { fileAppears, makePlace, type Place, runOf, runUntilReady, shell, steno } from "./testing.ts"

const said = (text: string): ScriptBlock => ({ type: "text", text })
const asks = (tool: string, args: Record<string, Schema.Json>): ScriptBlock => ({ type: "call", tool, arguments: args })
const answer = (...content: ReadonlyArray<ScriptBlock>): ScriptStep => ({ answer: { content } })

/** A workspace whose model plays these steps. */
const withScript = (...steps: ReadonlyArray<ScriptStep>): Place => {
  const place = makePlace()
  writeFileSync(join(place.workspace, "script.json"), JSON.stringify({ steps }))
  return place
}

const agent = ["run", "start", "--harness", "hosted", "--model", "script:script.json"]
const start = (place: Place, ...options: ReadonlyArray<string>) => steno(place, [...agent, ...options, "--", "do it"])

/** Of the Problem a document carries, or is. */
const codeOf = (stdout: string): string => {
  const document: { readonly result?: { readonly problem?: unknown }; readonly outcome?: { readonly problem?: unknown } } = JSON.parse(stdout)
  return Schema.decodeUnknownSync(Problem)(document.result?.problem ?? document.outcome?.problem ?? document).code
}

const makesFile = answer(said("I make a file."), asks("bash", { command: "touch made" }))

describe("an approval", () => {
  it("left to a person blocks the Run with exit 2; the line that is shown answers it from another process, and the Run goes on", () => {
    const place = withScript(makesFile, answer(said("It is there.")))
    const started = start(place, "--approvals", "ask")
    expect([started.status, started.stderr]).toEqual([2, ""])
    expect(started.stdout).toMatch(/^Run run_\w+: blocked\n/)
    expect(started.stdout).toContain("\n  Command: touch made\n")
    expect(existsSync(join(place.workspace, "made"))).toBe(false)
    const [, line = ""] = /^ {2}Answer: {2}(.* --allow)$/m.exec(started.stdout) ?? []
    const answered = shell(place, line)
    expect([answered.status, answered.stderr]).toEqual([0, ""])
    expect(answered.stdout).toMatch(/^Run run_\w+: succeeded\n/)
    expect(answered.stdout).toMatch(/I make a file\.[^]+Call 1 \(bash\): touch made\ncompleted[^]+It is there\./)
    expect(existsSync(join(place.workspace, "made"))).toBe(true)
  })

  it("is answered in the home that was named on the command line", () => {
    const place = withScript(makesFile, answer(said("It is there.")))
    const elsewhere = makePlace().home
    const started = start(place, "--approvals", "ask", "--home", elsewhere)
    const [, line = ""] = /^ {2}Answer: {2}(.* --allow)$/m.exec(started.stdout) ?? []
    expect(line).toContain(`steno --home ${elsewhere} run answer `)
    expect(shell(place, line).status).toBe(0)
  })

  it("that is denied with a reason tells the model, and nothing runs", () => {
    const place = withScript(makesFile, { expect: { results: [{ contains: "not today" }] }, answer: { content: [said("Then not.")] } })
    start(place, "--approvals", "ask")
    const answered = steno(place, ["run", "answer", "@last", "--deny", "--reason", "not today", "--json"])
    expect(answered.status).toBe(0)
    const run = runOf(answered.stdout)
    expect([run.state, run.calls[0]?.outcome, run.pending]).toEqual(["succeeded", "denied", []])
    expect(existsSync(join(place.workspace, "made"))).toBe(false)
  })

  it("is answered by the client where that was asked for: denied by default, allowed with --approvals allow", () => {
    const denied = withScript(makesFile, answer(said("ok")))
    expect(runOf(start(denied, "--json").stdout).calls[0]).toMatchObject({ outcome: "denied" })
    const allowed = withScript(makesFile, answer(said("ok")))
    expect(runOf(start(allowed, "--approvals", "allow", "--json").stdout).calls[0]).toMatchObject({ outcome: "completed", exitCode: 0 })
  })

  it("with --always is not asked again", () => {
    const place = withScript(makesFile, makesFile, answer(said("Twice.")))
    start(place, "--approvals", "ask")
    const answered = steno(place, ["run", "answer", "@last", "--allow", "--always", "session", "--json"])
    expect(answered.status).toBe(0)
    expect(runOf(answered.stdout).calls.map(({ outcome }) => outcome)).toEqual(["completed", "completed"])
  })

  it("is answered by another process while its Run is live, and both commands wait for the same end", async () => {
    const place = withScript(
      answer(asks("bash", { command: "touch made" }), asks("bash", { command: "sh wait.sh" })),
      answer(said("Both."))
    )
    writeFileSync(join(place.workspace, "wait.sh"), "touch ready; until test -e made; do sleep 0.05; done")
    mkdirSync(join(place.home, "config"), { recursive: true, mode: 0o700 })
    writeFileSync(join(place.home, "config", "policy.json"), JSON.stringify({ rules: [{ effect: "allow", command: "sh wait.sh" }] }))
    const running = await runUntilReady(place, [...agent, "--approvals", "ask", "--json", "--", "do it"])
    const answered = steno(place, ["run", "answer", "@last", "--allow", "--json"])
    const ended = await running.ended
    expect([answered.status, answered.stderr, ended.code]).toEqual([0, "", 0])
    expect(runOf(answered.stdout)).toEqual(runOf(ended.stdout))
  })

  it("answered again: the same operation id gives the same answer, anything else is refused and has no effect", () => {
    const place = withScript(makesFile, answer(said("ok")))
    start(place, "--approvals", "ask")
    const { runId } = runOf(steno(place, ["run", "show", "@last", "--json"]).stdout)
    const once = ["run", "answer", runId, "--call", "1", "--allow", "--json", "--operation-id", "once"]
    const first = steno(place, once)
    const again = steno(place, once)
    expect([again.status, again.stdout]).toEqual([0, first.stdout])
    const reused = steno(place, ["run", "answer", runId, "--call", "1", "--deny", "--json", "--operation-id", "once"])
    expect([reused.status, codeOf(reused.stdout)]).toEqual([1, "operation-id-reused"])
    const stale = steno(place, ["run", "answer", runId, "--call", "1", "--deny", "--json"])
    expect([stale.status, codeOf(stale.stdout)]).toEqual([1, "interaction-stale"])
  })
})

describe("questions", () => {
  const questions = [
    { id: "db", prompt: "Which?", options: [{ label: "pg" }, { label: "lite" }] },
    { id: "a=b", prompt: "Why?", options: [], allowText: true }
  ]

  it("block the Run whatever the client answers approvals with, and are answered one by one in one command", () => {
    const place = withScript(
      answer(asks("ask_user", { questions })),
      { expect: { results: [{ contains: "because" }] }, answer: { content: [said("I see.")] } }
    )
    const started = start(place, "--approvals", "allow", "--json")
    expect(started.status).toBe(2)
    const [option] = runOf(started.stdout).pending[0]?.questions?.[0]?.options ?? []
    const half = steno(place, ["run", "answer", "@last", "--answer", "db=nonsense", "--json"])
    expect([half.status, codeOf(half.stdout)]).toEqual([1, "answer-shape-mismatch"])
    const answered = steno(place, ["run", "answer", "@last", "--answer", `db=${option?.id}`, "--answer-text", `"a=b"=because`, "--json"])
    expect([answered.status, runOf(answered.stdout).state]).toEqual([0, "succeeded"])
  })

  it("that are dismissed tell the model so", () => {
    const place = withScript(answer(asks("ask_user", { questions })), answer(said("Never mind.")))
    start(place)
    expect(steno(place, ["run", "answer", "@last", "--dismiss"]).status).toBe(0)
  })
})

describe("a Run of an agent", () => {
  it("that is interrupted by Ctrl-C exits 130 and is halted; resume goes on with it", async () => {
    const place = withScript(
      answer(asks("bash", { command: "touch ready; sleep 60" })),
      answer(said("I go on."))
    )
    const running = await runUntilReady(place, [...agent, "--approvals", "allow", "--json", "--", "do it"])
    running.kill("SIGINT")
    const ended = await running.ended
    expect(ended.code).toBe(130)
    const run = runOf(ended.stdout)
    expect([run.state, run.turns[0]?.result, run.calls[0]?.outcome]).toEqual(["halted", "interrupted", "cancelled"])
    const resumed = steno(place, ["run", "resume", "@last", "--json"])
    expect([resumed.status, runOf(resumed.stdout).turns.map(({ origin, result }) => [origin, result])]).toEqual([
      0,
      [["user", "interrupted"], ["managed", "completed"]]
    ])
  })

  it("takes a Steer and an interruption from another process while it works", async () => {
    const place = withScript(
      answer(asks("bash", { command: "touch ready; until test -e go; do sleep 0.05; done" })),
      { expect: { contains: "faster" }, answer: { content: [asks("bash", { command: "touch second; sleep 60" })] } }
    )
    const running = await runUntilReady(place, [...agent, "--approvals", "allow", "--json", "--", "do it"])
    const steered = steno(place, ["run", "steer", "@last", "--json", "--", "go", "faster"])
    expect([steered.status, steered.stderr]).toEqual([0, ""])
    expect(Schema.decodeUnknownSync(OperationDocument)(JSON.parse(steered.stdout)).outcome).toEqual({ status: "applied" })
    const busy = steno(place, ["run", "send", "@last", "--json", "--", "more"])
    expect([busy.status, codeOf(busy.stdout)]).toEqual([1, "turn-busy"])
    writeFileSync(join(place.workspace, "go"), "")
    await fileAppears(place.workspace, "second")
    expect(steno(place, ["run", "interrupt", "@last/main"]).status).toBe(0)
    const ended = await running.ended
    expect([ended.code, runOf(ended.stdout).state]).toEqual([1, "halted"])
  })

  it("takes another input once it rests; its transcript holds what both said", () => {
    const place = withScript({ times: "always", answer: { content: [said("answer {{step}}")] } })
    expect(start(place).status).toBe(0)
    const sent = steno(place, ["run", "send", "@last", "-"], "and again\n")
    expect(sent.status).toBe(0)
    expect(sent.stdout).toMatch(/user:\n {2}do it\n\nassistant:\n {2}answer 1\n\nuser:\n {2}and again\n\nassistant:\n {2}answer 2\n$/)
    const document: unknown = JSON.parse(steno(place, ["run", "read", "@last", "--transcript", "--json"]).stdout)
    expect(Schema.decodeUnknownSync(TranscriptDocument, { onExcessProperty: "error" })(document)).toEqual(document)
    expect(document).toMatchObject({ page: { entries: [{ role: "user" }, { role: "assistant" }, { role: "user" }, { role: "assistant" }] } })
  })

  it("that is interactive is blocked between its Turns until it is ended", () => {
    const place = withScript({ times: "always", answer: { content: [said("yes")] } })
    expect(start(place, "--interactive").status).toBe(2)
    expect(steno(place, ["run", "send", "@last", "--", "more"]).status).toBe(2)
    expect(steno(place, ["run", "end", "@last", "--failed"]).stdout).toMatch(/^Run run_\w+: ended, failed\.\n$/)
    expect(runOf(steno(place, ["run", "show", "@last", "--json"]).stdout).state).toBe("failed")
  })

  it("may say that it is done only where that is offered; held for review it waits for a person", () => {
    const done = answer(asks("run_done", { reason: "all is well" }))
    const refused = withScript(done, answer(said("Well.")))
    expect(runOf(start(refused, "--json").stdout)).toMatchObject({ state: "succeeded", calls: [{ outcome: "failed" }] })
    const held = withScript(done, answer(said("It is said.")))
    const started = start(held, "--agent-calls", "review")
    expect(started.status).toBe(2)
    expect(started.stdout).toMatch(/^ {2}Answer: {2}steno run answer run_\w+ .*--continue$/m)
    expect(steno(held, ["run", "answer", "@last", "--stop"]).status).toBe(0)
  })

  it("is halted, exit 1, when its first Turn takes longer than it may", () => {
    const place = withScript(answer(asks("bash", { command: "sleep 60" })))
    const started = start(place, "--approvals", "allow", "--timeout-ms", "500", "--json")
    expect([started.status, runOf(started.stdout).state]).toEqual([1, "halted"])
  })

  it("whose model fails says why, in text and in JSON, and exits 1", () => {
    const place = withScript({ error: { status: 401, message: "no such key" } })
    const started = start(place)
    expect(started.status).toBe(1)
    expect(started.stdout).toMatch(/^Turn: {6}failed: .+$/m)
    expect(runOf(steno(place, ["run", "show", "@last", "--json"]).stdout).turns[0]?.detail).toBeTypeOf("string")
  })

  it("is what a Run takes that names no harness where the home says so", () => {
    const place = withScript(answer(said("hello")))
    const refused = steno(place, ["run", "start", "--model", "script:script.json", "--", "hi"])
    expect([refused.status, refused.stdout]).toEqual([64, ""])
    mkdirSync(join(place.home, "config"), { recursive: true, mode: 0o700 })
    writeFileSync(join(place.home, "config", "steno.json"), JSON.stringify({ defaultHarness: "hosted", models: { default: "script:script.json" } }))
    expect(runOf(steno(place, ["run", "start", "--json", "--", "hi"]).stdout)).toMatchObject({ harness: { id: "hosted" }, state: "succeeded" })
  })
})

describe("a start that cannot be", () => {
  it.each([
    ["without a model", ["--harness", "hosted"], "model-required"],
    ["with a provider whose key is missing", ["--harness", "hosted", "--model", "anthropic/x"], "harness-unavailable"],
    ["with a script that is missing", ["--harness", "hosted", "--model", "script:none.json"], "harness-unavailable"],
    ["with a harness nobody knows", ["--harness", "nobody", "--model", "m"], "harness-unknown"]
  ])("%s is a Problem, and no Run is left", (_, options, code) => {
    const place = makePlace()
    const refused = steno(place, ["run", "start", ...options, "--json", "--", "hi"])
    expect([refused.status, codeOf(refused.stdout)]).toEqual([1, code])
    expect(steno(place, ["run", "list"]).stdout).toMatch(/^No Runs in /)
  })
})

describe("harness list and check", () => {
  it("say which variables give which models, whether they are set, and never what they hold", () => {
    const place = makePlace()
    const checked = shell(place, "ANTHROPIC_API_KEY=sk-secret-value steno harness check hosted --json")
    expect([checked.status, checked.stderr]).toEqual([0, ""])
    expect(checked.stdout).not.toContain("sk-secret-value")
    const { harnesses } = Schema.decodeUnknownSync(HarnessCatalog)(JSON.parse(checked.stdout))
    expect(harnesses[0]?.models).toMatchObject([
      { name: "anthropic/MODEL", available: true, needs: expect.stringContaining("ANTHROPIC_API_KEY") },
      { name: "openai/MODEL", available: false, needs: expect.stringContaining("OPENAI_API_KEY") },
      { name: "openai-compatible/MODEL", available: false },
      { name: "script:FILE", available: true }
    ])
    expect(steno(place, ["harness", "list"]).stdout).toContain("command: Direct command, qualified, the default\n")
    expect(existsSync(place.home)).toBe(false)
  })
})
