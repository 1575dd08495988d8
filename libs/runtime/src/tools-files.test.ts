import { assert, describe, it } from "@effect/vitest"
import { pngBytes } from "@steno/asset-store/testing"
import { ToolCallService } from "@steno/tool-call-service"
import { Effect } from "effect"
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { readStoredImage } from "./result-images.ts"
import { admitHostedRun, awaited, marked, onCore } from "./testing/model-calls.ts"

const allowed = { approval: "allow" } as const

describe("the tools of a model on a real home", () => {
  it.live("read, search, list, change and run, each with its result", () =>
    onCore(({ workspace }) =>
      Effect.gen(function*() {
        writeFileSync(join(workspace, "a.txt"), "one\ntwo\n")
        const { record, run } = yield* admitHostedRun(workspace, allowed.approval)
        const [read, grep, find, ls] = yield* run(
          ["read", { path: "a.txt" }],
          ["grep", { pattern: "two" }],
          ["find", { pattern: "*.txt" }],
          ["ls", {}]
        )
        assert.deepStrictEqual([read, grep, find, ls].map((response) => response?.outcome), Array(4).fill("completed"))
        assert.include(read?.agentProjection, "two")
        assert.include(grep?.agentProjection, "a.txt:2")
        assert.include(find?.agentProjection, "a.txt")
        assert.include(ls?.agentProjection, "a.txt")
        const [write, edit, bash] = yield* run(
          ["write", { path: "b/c.txt", content: "x\n" }],
          ["edit", { path: "a.txt", edits: [{ oldText: "two", newText: "zwei" }] }],
          ["bash", { command: "cat a.txt; echo $GREETING; exit 3", env: { GREETING: "hi" }, timeoutSeconds: 30 }]
        )
        assert.deepStrictEqual([write?.outcome, edit?.outcome, bash?.outcome, bash?.exitCode], ["completed", "completed", "completed", 3])
        assert.strictEqual(readFileSync(join(workspace, "b", "c.txt"), "utf8"), "x\n")
        assert.strictEqual(readFileSync(join(workspace, "a.txt"), "utf8"), "one\nzwei\n")
        assert.include(bash?.retainedOutput?.text, "hi\n")
        for (const response of [read, grep, find, ls, write, edit]) {
          assert.deepStrictEqual([response?.capture, response?.retainedOutput, response?.assetIds], [undefined, undefined, []])
        }
        assert.deepStrictEqual([read, grep, find, ls, write, edit, bash].map((response) => response?.supervision?.by), [
          "policy", "policy", "policy", "policy", "client-policy", "client-policy", "client-policy"
        ])
        const found = yield* record
        assert.deepStrictEqual(found?.unfinished, [])
        assert.strictEqual(found?.assets.filter(({ category }) => category === "output").length, bash?.assetIds.length)
      })))

  it.live("fail by name: what is missing, what changed meanwhile, what does not fit", () =>
    onCore(({ workspace }) =>
      Effect.gen(function*() {
        const { one } = yield* admitHostedRun(workspace, allowed.approval)
        const missing = yield* one("read", { path: "nowhere.txt" })
        assert.deepStrictEqual([missing.outcome, missing.reason?.code], ["failed", "path-not-found"])
        assert.include(missing.agentProjection, "nowhere.txt")
        yield* one("write", { path: "a.txt", content: "mine" })
        writeFileSync(join(workspace, "a.txt"), "theirs")
        const changed = yield* one("write", { path: "a.txt", content: "again" })
        assert.deepStrictEqual([changed.outcome, changed.reason?.code], ["failed", "changed-meanwhile"])
        assert.include(changed.agentProjection, "a.txt (not touched)")
        assert.strictEqual(readFileSync(join(workspace, "a.txt"), "utf8"), "theirs")
        assert.strictEqual((yield* one("rm", { path: "a" })).reason?.code, "unknown-tool")
        const wrong = yield* one("read", { path: "a.txt", ofset: 1 })
        assert.deepStrictEqual([wrong.outcome, wrong.reason?.code], ["failed", "invalid-arguments"])
        const folder = yield* one("bash", { command: "true", cwd: "nowhere" })
        assert.deepStrictEqual([folder.outcome, folder.reason?.code, folder.exitCode], ["failed", "path-not-found", undefined])
      })))

  it.live("write one file in the order of their message", () =>
    onCore(({ workspace }) =>
      Effect.gen(function*() {
        const { run } = yield* admitHostedRun(workspace, allowed.approval)
        const numbers = Array.from({ length: 12 }, (_, at) => at)
        const responses = yield* run(
          ["write", { path: "f", content: "start" }],
          ...numbers.map((at) => ["edit", { path: "f", edits: [{ oldText: at === 0 ? "start" : `step ${at - 1}`, newText: `step ${at}` }] }] as const)
        )
        assert.deepStrictEqual(responses.map(({ outcome }) => outcome), responses.map(() => "completed"))
        assert.strictEqual(readFileSync(join(workspace, "f"), "utf8"), "step 11")
      })))

  it.live("write in that order also where a person allows the later one first; a Turn that then only awaits them can be let go of", () =>
    onCore(({ workspace }) =>
      Effect.gen(function*() {
        const calls = yield* ToolCallService
        const run = yield* admitHostedRun(workspace)
        yield* run.propose(["write", { path: "f", content: "one" }], ["write", { path: "f", content: "two" }])
        const [first, second] = yield* awaited(run)
        if (first === undefined || second === undefined) return assert.fail("two calls wait")
        yield* run.answer(second.callId, { decision: "allow" })
        yield* calls.onlyAwaits(run.turn.turnId)
        assert.isTrue(yield* calls.release(run.turn.turnId))
        assert.deepStrictEqual((yield* run.unfinished).map(({ state }) => state), ["awaiting_approval", "awaiting_approval"])
        assert.isFalse(existsSync(join(workspace, "f")))
        const { settled } = yield* calls.adopt(run.turn)
        yield* run.answer(first.callId, { decision: "allow" })
        yield* settled
        assert.strictEqual(readFileSync(join(workspace, "f"), "utf8"), "two")
      })))

  it.live("do not hold up a Turn behind a call that awaits a person: one that nobody is asked about is told so", () =>
    onCore(({ home, workspace }) =>
      Effect.gen(function*() {
        mkdirSync(join(home, "config"))
        writeFileSync(join(home, "config", "policy.json"), JSON.stringify({ rules: [{ effect: "allow", tool: "edit" }] }))
        writeFileSync(join(workspace, "f"), "one")
        const run = yield* admitHostedRun(workspace)
        const edits = [{ oldText: "one", newText: "two" }]
        const step = yield* run.propose(["edit", { path: "f", edits: [...edits] }], ["write", { path: "f", content: "three" }], ["edit", { path: "f", edits }])
        const [waiting, ...others] = yield* awaited(run)
        assert.deepStrictEqual([waiting?.tool, others.length], ["write", 0])
        if (waiting !== undefined) yield* run.answer(waiting.callId, { decision: "allow" })
        const responses = yield* step.settled
        assert.deepStrictEqual(responses.map(({ outcome, reason }) => [outcome, reason?.code]), [
          ["completed", undefined],
          ["completed", undefined],
          ["failed", "file-awaited"]
        ])
        assert.strictEqual(readFileSync(join(workspace, "f"), "utf8"), "three")
      })))

  it.live("run no more at once than the home allows", () =>
    onCore(({ workspace }) =>
      Effect.gen(function*() {
        const { run } = yield* admitHostedRun(workspace, allowed.approval)
        const responses = yield* run(...Array.from({ length: 4 }, () => ["bash", { command: "mkdir one && sleep 0.05 && rmdir one" }] as const))
        assert.deepStrictEqual(responses.map(({ exitCode }) => exitCode), [0, 0, 0, 0])
      }), { config: { maxCalls: 1 } }))

  it.live("use the path that was judged and no other, also when a person took their time", () =>
    onCore(({ workspace }) =>
      Effect.gen(function*() {
        mkdirSync(join(workspace, "d"))
        writeFileSync(join(workspace, "d", "f"), "kept")
        const run = yield* admitHostedRun(workspace)
        const step = yield* run.propose(["write", { path: "l", content: "x" }], ["bash", { command: "pwd", cwd: "c" }])
        const [write, bash] = yield* awaited(run)
        symlinkSync("d/f", join(workspace, "l"))
        symlinkSync("d", join(workspace, "c"))
        for (const row of [write, bash]) if (row !== undefined) yield* run.answer(row.callId, { decision: "allow" })
        const responses = yield* step.settled
        assert.deepStrictEqual(responses.map(({ outcome, reason }) => [outcome, reason?.code]), Array(2).fill(["failed", "path-moved"]))
        assert.strictEqual(readFileSync(join(workspace, "d", "f"), "utf8"), "kept")
      })))

  it.live("a large write goes through the policy whole, and stands once in the record", () =>
    onCore(({ home, workspace }) =>
      Effect.gen(function*() {
        const run = yield* admitHostedRun(workspace)
        const content = `${"x".repeat(99)}\n`.repeat(1_000)
        const step = yield* run.propose(["write", { path: "big.txt", content }])
        const [row] = yield* awaited(run)
        assert.isFalse(existsSync(join(workspace, "big.txt")))
        if (row !== undefined) yield* run.answer(row.callId, { decision: "allow" })
        const [response] = yield* step.settled
        assert.strictEqual(response?.outcome, "completed")
        assert.strictEqual(readFileSync(join(workspace, "big.txt"), "utf8"), content)
        assert.notInclude(JSON.stringify(response), "x".repeat(200))
        assert.isBelow(JSON.stringify((yield* run.record)?.events).length, content.length * 1.2)
        assert.isFalse(existsSync(join(home, "data")))
      })))
})

describe("the whole result of a tool", () => {
  it.live("lies in result.json where a model's text leaves something out, and is named there", () =>
    onCore(({ home, workspace }) =>
      Effect.gen(function*() {
        const lines = Array.from({ length: 400 }, (_, at) => `line ${at} of a file that is long`)
        writeFileSync(join(workspace, "long.txt"), lines.join("\n"))
        const { one, record } = yield* admitHostedRun(workspace, allowed.approval)
        const response = yield* one("grep", { pattern: "line", limit: 1000 })
        const asset = (yield* record)?.assets.find(({ assetId }) => response.assetIds.includes(assetId))
        assert.strictEqual(asset?.category, "payload")
        const path = join(home, asset?.path ?? "")
        assert.include(response.agentProjection, path)
        const { matches } = JSON.parse(readFileSync(path, "utf8")) as { readonly matches: ReadonlyArray<{ readonly text: string }> }
        assert.deepStrictEqual(matches.map(({ text }) => text), lines)
        const again = yield* one("read", { path, limit: 20 })
        assert.deepStrictEqual([again.outcome, again.supervision?.decision], ["completed", "allow"])
      })))

  it.live("holds the references of images, which are files of the call and are found again", () =>
    onCore(({ home, workspace }) =>
      Effect.gen(function*() {
        const bytes = pngBytes(3, 2)
        writeFileSync(join(workspace, "a.png"), bytes)
        const { one, record } = yield* admitHostedRun(workspace, allowed.approval)
        const response = yield* one("read", { path: "a.png" })
        const [image] = response.agentImages ?? []
        assert.strictEqual(image?.mediaType, "image/png")
        const assets = (yield* record)?.assets ?? []
        assert.deepStrictEqual(assets.map(({ category }) => category), ["image", "payload"])
        assert.deepStrictEqual(assets.map(({ assetId }) => assetId), response.assetIds)
        if (image === undefined) return
        assert.deepStrictEqual(response.cardProjection?.result.images, [image.assetId])
        assert.deepStrictEqual(yield* readStoredImage(image), new Uint8Array(bytes))
        writeFileSync(join(home, assets[0]?.path ?? ""), "damaged")
        assert.isUndefined(yield* readStoredImage(image))
      })))
})

describe("a tool that is stopped", () => {
  it.live("leaves no search, no file beside its own, and changes nothing", () =>
    onCore(({ workspace }) =>
      Effect.gen(function*() {
        const calls = yield* ToolCallService
        const run = yield* admitHostedRun(workspace, allowed.approval)
        const step = yield* run.propose(["bash", { command: "touch begun; sleep 300" }], ["write", { path: "f", content: "x" }])
        yield* Effect.eventually(Effect.suspend(() => existsSync(join(workspace, "begun")) ? Effect.void : Effect.fail("not begun")))
        yield* calls.stopTurn(run.turn.turnId, { force: true })
        const [bash, write] = yield* step.settled
        assert.strictEqual(bash?.outcome, "cancelled")
        assert.include(["completed", "cancelled"], write?.outcome)
        assert.deepStrictEqual(readdirSync(workspace).filter((name) => name.startsWith(".steno")), [])
      })))

  it.live("leaves no process of a search", () =>
    onCore(({ workspace }) =>
      Effect.gen(function*() {
        const run = yield* admitHostedRun(workspace, allowed.approval)
        const step = yield* run.propose(["grep", { pattern: "no such text anywhere", path: "/usr" }])
        const callId = step.calls[0]?.callId
        yield* Effect.eventually(Effect.suspend(() => marked(callId).length > 0 ? Effect.void : Effect.fail("not begun")))
        yield* Effect.flatMap(ToolCallService, (calls) => calls.stopTurn(run.turn.turnId, { force: false }))
        const [grep] = yield* step.settled
        assert.deepStrictEqual([grep?.outcome, grep?.exitCode, marked(callId)], ["cancelled", undefined, []])
      })))
})
