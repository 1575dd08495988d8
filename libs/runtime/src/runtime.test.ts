import { assert, describe, it } from "@effect/vitest"
import { CallOutput, RunListDocument, RunSnapshot } from "@steno/contracts"
import { ProjectionPort } from "@steno/projection-port"
import { Effect, Fiber, Schema, Stream } from "effect"
import { createHash } from "node:crypto"
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, watch, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { portOn, runCommand, startInput, temporaryFolder } from "./testing.ts"

const isSnapshot = Schema.is(RunSnapshot)
const isList = Schema.is(RunListDocument)
const isOutput = Schema.is(CallOutput)

/** Runs a test on the Port of a fresh home, with a fresh workspace. */
const onHome = <A, E>(test: (workspace: string, home: string) => Effect.Effect<A, E, ProjectionPort>) =>
  Effect.scoped(Effect.gen(function*() {
    const folder = yield* temporaryFolder
    const workspace = yield* temporaryFolder
    const home = join(folder, "home")
    return yield* test(workspace, home).pipe(Effect.provide(portOn(home)))
  }))

const problemCode = <A, R>(effect: Effect.Effect<A, { readonly problem: { readonly code: string } }, R>) =>
  Effect.map(Effect.flip(effect), (error) => error.problem.code)

/** Resolves when a file of this name exists in the folder. */
const fileAppears = (folder: string, name: string) =>
  Effect.callback<void>((resume) => {
    const watcher = watch(folder, () => {
      if (existsSync(join(folder, name))) done()
    })
    const done = () => {
      watcher.close()
      resume(Effect.void)
    }
    if (existsSync(join(folder, name))) done()
  })

describe("a direct command", () => {
  it.live("that prints on both streams and exits with 3: lines in order, files byte-exact, Run failed", () =>
    onHome((workspace, home) =>
      Effect.gen(function*() {
        const run = yield* runCommand("printf 'out\\n'; printf 'err\\n' >&2; exit 3", workspace)
        assert.isTrue(isSnapshot(run))
        assert.strictEqual(run.state, "failed")
        assert.deepStrictEqual(run.liveness, { state: "resting" })
        const call = run.calls[0]
        assert.strictEqual(call?.outcome, "completed")
        assert.strictEqual(call?.exitCode, 3)
        assert.strictEqual(call?.output?.lines, 2)
        assert.strictEqual(call?.output?.bytes, 8)
        const path = call?.output?.path ?? ""
        assert.isTrue(path.startsWith(join(home, "data", "conversations")))
        assert.strictEqual(readFileSync(path, "utf8"), "out\nerr\n")
        assert.strictEqual(readFileSync(join(dirname(path), "stdout.txt"), "utf8"), "out\n")
        assert.strictEqual(readFileSync(join(dirname(path), "stderr.txt"), "utf8"), "err\n")
        assert.deepStrictEqual(readdirSync(dirname(path)).toSorted(), ["output.txt", "stderr.txt", "stdout.txt"])
        assert.strictEqual(statSync(path).mode & 0o777, 0o600)
        assert.strictEqual(statSync(dirname(path)).mode & 0o777, 0o700)
        assert.deepStrictEqual(run.timeline.map((entry) => entry.event), [
          "turn-admitted",
          "tool-call-started",
          "tool-call-settled",
          "turn-settled"
        ])
      })
    ))

  it.live("that succeeds makes the Run succeeded, in its workspace's real path", () =>
    onHome((workspace) =>
      Effect.gen(function*() {
        const run = yield* runCommand("pwd", workspace)
        assert.strictEqual(run.state, "succeeded")
        assert.strictEqual(run.workspacePath, workspace)
        assert.include(run.calls[0]?.output?.projection ?? "", workspace)
      })
    ))

  it.live("that prints nothing leaves no file", () =>
    onHome((workspace) =>
      Effect.gen(function*() {
        const port = yield* ProjectionPort
        const run = yield* runCommand("true", workspace)
        assert.strictEqual(run.calls[0]?.output?.bytes, 0)
        assert.notProperty(run.calls[0]?.output, "path")
        const page = yield* port.readCall({ run: { text: run.runId, workspacePath: workspace }, call: "1", stream: "output" })
        assert.isTrue(isOutput(page))
        assert.deepStrictEqual([page.totalLines, page.complete, page.lines], [0, true, []])
      })
    ))

  it.live("that a signal ends has that signal and no exit code", () =>
    onHome((workspace) =>
      Effect.gen(function*() {
        const run = yield* runCommand("echo part; kill -SEGV $$", workspace)
        assert.strictEqual(run.state, "failed")
        assert.strictEqual(run.calls[0]?.outcome, "completed")
        assert.strictEqual(run.calls[0]?.signal, "SIGSEGV")
        assert.notProperty(run.calls[0], "exitCode")
      })
    ))

  it.live("whose combined output no file could take is shown from memory, with the file's fault as a warning", () =>
    onHome((workspace) =>
      Effect.gen(function*() {
        const run = yield* runCommand("mkdir \"$(dirname \"$0\")/output.txt.part\"; echo out; echo err >&2; exit 3", workspace)
        const call = run.calls[0]
        assert.strictEqual(call?.exitCode, 3)
        assert.deepStrictEqual(call?.warnings?.map(({ code }) => code), ["capture-storage-failed"])
        assert.match(call?.output?.projection ?? "", /8 bytes were not captured\):\n(out\nerr|err\nout)$/)
        assert.deepStrictEqual([call?.output?.bytes, call?.output?.droppedBytes, call?.output?.path], [8, 8, undefined])
        const port = yield* ProjectionPort
        const query = { run: { text: run.runId, workspacePath: workspace }, call: "1" }
        const { problem } = yield* Effect.flip(port.readCall({ ...query, stream: "output" }))
        assert.strictEqual(problem.code, "asset-not-found")
        assert.include(problem.remediation, "--stream stdout")
        assert.deepStrictEqual((yield* port.readCall({ ...query, stream: "stderr" })).lines, ["err"])
      })
    ))

  it.live("whose long output no file could take to its end shows the head of the file, the end from memory, and what is lost between", () =>
    onHome((workspace) =>
      Effect.gen(function*() {
        const run = yield* runCommand("mkdir \"$(dirname \"$0\")/stdout.txt.tail-a\"; echo error: at the head; seq 1 2000000; echo the end; exit 3", workspace)
        const call = run.calls[0]
        const projection = call?.output?.projection ?? ""
        const stored = statSync(call?.output?.path ?? "").size
        assert.deepStrictEqual([call?.exitCode, call?.output?.bytes, call?.output?.droppedBytes], [3, 14_888_923, 14_888_923 - stored])
        assert.deepStrictEqual(call?.warnings?.map(({ code }) => code), ["capture-storage-failed"])
        assert.match(projection, /\n1: error: at the head\n/)
        assert.match(projection, /\n\d+: the end\n/)
        assert.include(projection, `${14_888_923 - stored} bytes were not captured`)
        assert.include(projection, ", the 65536 bytes after that come from memory")
      })
    ))

  it.live("that reaches its limit is failed and timed out, with its output", () =>
    onHome((workspace) =>
      Effect.gen(function*() {
        const run = yield* runCommand("echo before; sleep 60", workspace, { timeoutMs: 300 })
        assert.strictEqual(run.state, "failed")
        assert.strictEqual(run.calls[0]?.outcome, "failed")
        assert.strictEqual(run.calls[0]?.timedOut, true)
        assert.include(run.calls[0]?.output?.projection ?? "", "before")
      })
    ))

  it.live("that is interrupted is cancelled and the Run halted; nothing of it is left", () =>
    onHome((workspace) =>
      Effect.gen(function*() {
        const port = yield* ProjectionPort
        const { runId } = yield* port.submit({
          input: startInput("echo $$ > pid.part; mv pid.part pid; exec sleep 60", workspace)
        })
        yield* fileAppears(workspace, "pid")
        const pid = readFileSync(join(workspace, "pid"), "utf8").trim()
        const shown = yield* port.showRun({ text: runId, workspacePath: workspace })
        assert.strictEqual(shown.state, "running")
        assert.strictEqual(shown.liveness.state, "live")
        yield* port.submit({ input: { operation: "interrupt", runId } })
        const run = yield* port.awaitRest(runId)
        assert.strictEqual(run.state, "halted")
        assert.strictEqual(run.calls[0]?.outcome, "cancelled")
        assert.isFalse(existsSync(`/proc/${pid}`))
      })
    ))

  it.live("passes every byte of its text to the shell", () =>
    onHome((workspace) =>
      Effect.gen(function*() {
        const run = yield* runCommand("printf '%s' \"a  b\" '`x`' \"é\" '*'", workspace)
        assert.strictEqual(readFileSync(run.calls[0]?.output?.path ?? "", "utf8"), "a  b`x`é*")
      })
    ))

  it.live("still running can be read, and its page says that more may come", () =>
    onHome((workspace) =>
      Effect.gen(function*() {
        const port = yield* ProjectionPort
        const { runId } = yield* port.submit({ input: startInput("echo one; touch ready; sleep 60", workspace) })
        yield* fileAppears(workspace, "ready")
        const query = { run: { text: runId, workspacePath: workspace }, call: "1", stream: "output" } as const
        const page = yield* port.readCall(query).pipe(
          Effect.repeat({ until: (found) => found.totalLines === 1 })
        )
        assert.deepStrictEqual([page.lines, page.status, page.complete], [["one"], "running", false])
        yield* port.submit({ input: { operation: "interrupt", runId, force: true } })
        yield* port.awaitRest(runId)
      })
    ))
})

describe("a capture that outgrew its cap", () => {
  it.live("tells what it lost already while its command runs", () =>
    onHome((workspace) =>
      Effect.gen(function*() {
        const port = yield* ProjectionPort
        const { runId } = yield* port.submit({ input: startInput("seq 1 3000000; touch ready; sleep 60", workspace) })
        const query = { run: { text: runId, workspacePath: workspace }, call: "1", stream: "output" } as const
        yield* fileAppears(workspace, "ready")
        const page = yield* port.readCall(query).pipe(
          Effect.repeat({ until: (found) => found.lines.at(-1) === "3000000" })
        )
        assert.strictEqual(page.status, "running")
        assert.isDefined(page.captureTruncated)
        assert.strictEqual((page.captureTruncated?.droppedBytes ?? 0) + page.totalBytes, 22_888_896)
        yield* port.submit({ input: { operation: "interrupt", runId, force: true } })
        yield* port.awaitRest(runId)
      })
    ))
})

describe("a home that is closed right after a start", () => {
  it.live("ends the command and leaves its Run at rest", () =>
    Effect.scoped(Effect.gen(function*() {
      const home = yield* temporaryFolder
      const workspace = yield* temporaryFolder
      const submit = Effect.flatMap(ProjectionPort, (port) => port.submit({ input: startInput("sleep 60", workspace) }))
      const { runId } = yield* Effect.provide(submit, portOn(home))
      const show = Effect.flatMap(ProjectionPort, (port) => port.showRun({ text: runId, workspacePath: workspace }))
      const run = yield* Effect.provide(show, portOn(home, "read"))
      assert.deepStrictEqual([run.state, run.liveness.state], ["halted", "resting"])
    })))
})

describe("an Operation", () => {
  it.live("repeated with the same id and input is the same Run, without a second effect", () =>
    onHome((workspace) =>
      Effect.gen(function*() {
        const port = yield* ProjectionPort
        const request = { operationId: "deploy:1", input: startInput("echo x >> count", workspace) }
        const first = yield* port.submit(request)
        yield* port.awaitRest(first.runId)
        const second = yield* port.submit(request)
        assert.strictEqual(second.runId, first.runId)
        assert.strictEqual(readFileSync(join(workspace, "count"), "utf8"), "x\n")
      })
    ))

  it.live("repeated after its workspace was removed is still the same Run", () =>
    onHome((parent) =>
      Effect.gen(function*() {
        const port = yield* ProjectionPort
        const workspace = join(parent, "gone")
        mkdirSync(workspace)
        const request = { operationId: "deploy:2", input: startInput("true", workspace) }
        const first = yield* port.submit(request)
        yield* port.awaitRest(first.runId)
        rmSync(workspace, { recursive: true })
        assert.strictEqual((yield* port.submit(request)).runId, first.runId)
      })
    ))

  it.live("repeated at once by many callers starts one Run", () =>
    onHome((workspace) =>
      Effect.gen(function*() {
        const port = yield* ProjectionPort
        const request = { operationId: "once", input: startInput("echo x >> count", workspace) }
        const all = yield* Effect.forEach(Array.from({ length: 8 }), () => port.submit(request), { concurrency: "unbounded" })
        assert.strictEqual(new Set(all.map((submitted) => submitted.runId)).size, 1)
        const [first] = all
        if (first !== undefined) yield* port.awaitRest(first.runId)
        assert.strictEqual(readFileSync(join(workspace, "count"), "utf8"), "x\n")
      })
    ))

  it.live("with a used id and another input is refused", () =>
    onHome((workspace) =>
      Effect.gen(function*() {
        const port = yield* ProjectionPort
        const { runId } = yield* port.submit({ operationId: "a", input: startInput("true", workspace) })
        yield* port.awaitRest(runId)
        const code = yield* problemCode(port.submit({ operationId: "a", input: startInput("false", workspace) }))
        assert.strictEqual(code, "operation-id-reused")
      })
    ))

  it.live.each(
    [
      ["input-blank", { input: " \n" }, undefined],
      ["harness-unknown", { harness: "nobody" }, undefined],
      ["workspace-not-found", { workspace: "/nowhere/at/all" }, undefined],
      ["limit-invalid", { timeoutMs: 0 }, undefined],
      ["usage-invalid", {}, "not an id"]
    ] as const
  )("is refused as %s before anything happens", ([code, parts, operationId]) =>
    onHome((workspace) =>
      Effect.gen(function*() {
        const port = yield* ProjectionPort
        const input = startInput("true", workspace, parts)
        const error = yield* Effect.flip(port.submit(operationId === undefined ? { input } : { operationId, input }))
        assert.strictEqual(error.problem.code, code)
        assert.strictEqual(error.problem.possibleEffects, "none")
        const list = yield* port.listRuns({ resumable: false, limit: 10 })
        assert.isTrue(list.empty)
      })
    ))

  it.live("to interrupt a resting Run is not applied", () =>
    onHome((workspace) =>
      Effect.gen(function*() {
        const port = yield* ProjectionPort
        const run = yield* runCommand("true", workspace)
        const { operationId } = yield* port.submit({ input: { operation: "interrupt", runId: run.runId } })
        const outcome = yield* port.awaitOperation(operationId)
        assert.deepStrictEqual([outcome.status, outcome.problem?.code], ["not-applied", "turn-control-rejected"])
      })
    ))
})

describe("Runs and calls", () => {
  it.live("are found by id, prefix, ordinal and @last, and otherwise named as unknown", () =>
    onHome((workspace) =>
      Effect.gen(function*() {
        const port = yield* ProjectionPort
        const run = yield* runCommand("echo hello", workspace)
        const find = (text: string, from = workspace) => port.showRun({ text, workspacePath: from })
        for (const text of [run.runId, run.runId.slice(0, -6), run.runId.slice(4), "@last"]) {
          assert.strictEqual((yield* find(text)).runId, run.runId)
        }
        assert.strictEqual(yield* problemCode(find("run_01234567")), "run-not-found")
        assert.strictEqual(yield* problemCode(find("nonsense!")), "run-not-found")
        assert.strictEqual(yield* problemCode(find(run.runId.slice(0, 8))), "id-ambiguous")
        assert.strictEqual(yield* problemCode(find("@last", "/elsewhere")), "run-not-found")
        const callId = run.calls[0]?.callId ?? ""
        const read = (call: string) =>
          port.readCall({ run: { text: run.runId, workspacePath: workspace }, call, stream: "stdout" })
        for (const call of ["1", callId, callId.slice(0, -4)]) assert.deepStrictEqual((yield* read(call)).lines, ["hello"])
        assert.strictEqual(yield* problemCode(read("2")), "call-not-found")
      })
    ))

  it.live("are listed newest first, page by page, until the beginning of history", () =>
    onHome((workspace) =>
      Effect.gen(function*() {
        const port = yield* ProjectionPort
        const started = yield* Effect.forEach(["a", "b", "c"], (text) => runCommand(`echo ${text}`, workspace))
        const first = yield* port.listRuns({ workspacePath: workspace, resumable: false, limit: 2 })
        assert.isTrue(isList(first))
        assert.deepStrictEqual(first.rows.map((row) => row.input), ["echo c", "echo b"])
        assert.isFalse(first.beginningOfHistory)
        const rest = yield* port.listRuns({
          workspacePath: workspace,
          resumable: false,
          limit: 2,
          ...(first.nextCursor === undefined ? {} : { before: first.nextCursor })
        })
        assert.deepStrictEqual(rest.rows.map((row) => row.runId), [started[0]?.runId])
        assert.isTrue(rest.beginningOfHistory)
        assert.notProperty(rest, "nextCursor")
        assert.isTrue((yield* port.listRuns({ workspacePath: "/elsewhere", resumable: false, limit: 2 })).empty)
        for (const limit of [0, 201, 1.5]) {
          assert.strictEqual(yield* problemCode(port.listRuns({ resumable: false, limit })), "limit-invalid")
        }
      })
    ))

  it.live("give pages that join to the file and bytes that equal it", () =>
    onHome((workspace) =>
      Effect.gen(function*() {
        const port = yield* ProjectionPort
        const run = yield* runCommand("seq 1 1234", workspace)
        const query = { run: { text: run.runId, workspacePath: workspace }, call: "1", stream: "output" } as const
        const lines: Array<string> = []
        let offset: number | undefined = 0
        while (offset !== undefined) {
          const page: CallOutput = yield* port.readCall({ ...query, offset, limit: 500 })
          lines.push(...page.lines)
          offset = page.nextOffset
        }
        const file = readFileSync(run.calls[0]?.output?.path ?? "")
        assert.strictEqual(`${lines.join("\n")}\n`, file.toString("utf8"))
        const hash = createHash("sha256")
        yield* Stream.runForEach(port.callBytes(query), (block) => Effect.sync(() => hash.update(block)))
        assert.strictEqual(hash.digest("hex"), createHash("sha256").update(file).digest("hex"))
        const last = yield* port.readCall(query)
        assert.deepStrictEqual([last.offset, last.endOffset, last.lines.at(-1), last.complete], [1134, 1234, "1234", true])
        assert.strictEqual(yield* problemCode(port.readCall({ ...query, limit: 501 })), "limit-invalid")
      })
    ))

  it.live.each([
    ["was overwritten", "digest-mismatch", (path: string) => writeFileSync(path, "fals\n")],
    ["got 512 NUL bytes and more data", "digest-mismatch", (path: string) => appendFileSync(path, Buffer.concat([Buffer.alloc(512), Buffer.from("more\n")]))],
    ["was cut", "digest-mismatch", (path: string) => truncateSync(path, 2)],
    ["is gone", "asset-not-found", (path: string) => rmSync(path)]
  ] as const)("whose file %s afterwards are refused as %s naming the asset; nothing is served", ([, code, change]) =>
    onHome((workspace, home) =>
      Effect.gen(function*() {
        const port = yield* ProjectionPort
        const run = yield* runCommand("echo true", workspace)
        const path = run.calls[0]?.output?.path ?? ""
        const query = { run: { text: run.runId, workspacePath: workspace }, call: "1", stream: "output" } as const
        assert.deepStrictEqual((yield* port.readCall(query)).lines, ["true"])
        change(path)
        const served: Array<Uint8Array> = []
        const bytes = Stream.runForEach(port.callBytes(query), (block) => Effect.sync(() => served.push(block)))
        for (const reading of [port.readCall(query), bytes]) {
          const { problem } = yield* Effect.flip(reading)
          assert.strictEqual(problem.code, code)
          assert.match(problem.explanation, /^Asset asset_[0-9A-Z]{26}: /)
          assert.strictEqual(`${home}/${String(problem.details?.["path"])}`, path)
        }
        assert.deepStrictEqual(served, [])
      })
    ))

  it.live("run side by side without disturbing each other", () =>
    onHome((workspace) =>
      Effect.gen(function*() {
        const fibers = yield* Effect.forEach(Array.from({ length: 6 }), (_, index) =>
          Effect.forkChild(runCommand(`echo ${index}; exit ${index}`, workspace)))
        const runs = yield* Effect.forEach(fibers, Fiber.join)
        assert.deepStrictEqual(runs.map((run) => run.calls[0]?.exitCode), [0, 1, 2, 3, 4, 5])
      })
    ))
})
