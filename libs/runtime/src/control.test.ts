import { assert, describe, it } from "@effect/vitest"
import type { RunId } from "@steno/contracts"
import { ProjectionPort } from "@steno/projection-port"
import Database from "better-sqlite3"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { type ChildProcess, spawn } from "node:child_process"
import { existsSync, mkdirSync, readdirSync, readFileSync, watch, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Retention } from "@steno/application"
import { openHome } from "./home.ts"
import { maintenanceLayer } from "./runtime-layer.ts"
import { portOn, runCommand, startInput, temporaryFolder } from "./testing.ts"

const starter = fileURLToPath(new URL("../fixtures/start-command.ts", import.meta.url))

const onHome = <A, E>(test: (workspace: string, home: string) => Effect.Effect<A, E, ProjectionPort>) =>
  Effect.scoped(Effect.gen(function*() {
    const home = join(yield* temporaryFolder, "home")
    const workspace = yield* temporaryFolder
    return yield* test(workspace, home).pipe(Effect.provide(portOn(home)))
  }))

const fileAppears = (folder: string, name: string) =>
  Effect.callback<void>((resume) => {
    const look = () => {
      if (!existsSync(join(folder, name))) return
      watcher.close()
      resume(Effect.void)
    }
    const watcher = watch(folder, look)
    look()
  })

const cancel = Effect.fnUntraced(function*(runId: RunId) {
  const port = yield* ProjectionPort
  const { operationId } = yield* port.submit({ input: { operation: "cancel", runId } })
  return yield* port.awaitOperation(operationId)
})

const remove = Effect.fnUntraced(function*(runId: RunId) {
  const port = yield* ProjectionPort
  const { operationId } = yield* port.submit({ input: { operation: "delete", runId } })
  return yield* port.awaitOperation(operationId)
})

const isRunning = (pid: string) => existsSync(`/proc/${pid}/stat`) && !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "latin1"))

/** Whether nobody is inside a write of the home's record. */
const isUnlocked = (home: string) => {
  const database = new Database(join(home, "core.sqlite"), { timeout: 0 })
  try {
    database.exec("BEGIN IMMEDIATE; ROLLBACK")
    return true
  } catch {
    return false
  } finally {
    database.close()
  }
}

const isStopped = (process: ChildProcess) => /\) T /.test(readFileSync(`/proc/${process.pid}/stat`, "latin1"))

/** Stops a process at a moment at which it writes nothing, so that no lock of its stays behind. */
const stopBetweenWrites = Effect.fnUntraced(function*(process: ChildProcess, home: string) {
  while (true) {
    process.kill("SIGSTOP")
    yield* TestClock.withLive(Effect.sleep("1 millis")).pipe(Effect.repeat({ until: () => isStopped(process) }))
    if (isUnlocked(home)) return
    process.kill("SIGCONT")
  }
})

/** The clock of the test goes on, however long the machine takes to get to a wait. */
const timePasses = Effect.forever(Effect.andThen(TestClock.adjust("1 second"), TestClock.withLive(Effect.sleep("20 millis"))))

describe("run cancel", () => {
  it.live("ends the command of a live Run and leaves it cancelled, its Session ended", () =>
    onHome((workspace) =>
      Effect.gen(function*() {
        const port = yield* ProjectionPort
        const { runId } = yield* port.submit({ input: startInput("echo $$ > pid; touch ready; sleep 60", workspace) })
        yield* fileAppears(workspace, "ready")
        const waiting = yield* Effect.forkChild(port.awaitRest(runId), { startImmediately: true })
        assert.deepStrictEqual(yield* cancel(runId), { status: "applied" })
        const run = yield* Fiber.join(waiting)
        assert.deepStrictEqual([run.state, run.calls[0]?.outcome, run.sessions[0]?.availability], ["cancelled", "cancelled", "ended"])
        assert.isFalse(isRunning(readFileSync(join(workspace, "pid"), "utf8").trim()))
      })
    ))

  it.live("of a resting Run is applied once; a second one is refused as run-terminal", () =>
    onHome((workspace) =>
      Effect.gen(function*() {
        const port = yield* ProjectionPort
        const run = yield* runCommand("true", workspace)
        assert.deepStrictEqual(yield* cancel(run.runId), { status: "applied" })
        const cancelled = yield* port.awaitRest(run.runId)
        assert.deepStrictEqual([cancelled.state, cancelled.sessions[0]?.availability], ["cancelled", "ended"])
        const again = yield* cancel(run.runId)
        assert.deepStrictEqual([again.status, again.problem?.code], ["not-applied", "run-terminal"])
      })
    ))

  it.live("repeated with the same operation id gives the same answer", () =>
    onHome((workspace) =>
      Effect.gen(function*() {
        const port = yield* ProjectionPort
        const run = yield* runCommand("true", workspace)
        const request = { operationId: "cancel:1", input: { operation: "cancel" as const, runId: run.runId } }
        for (const attempt of [1, 2]) {
          const { operationId } = yield* port.submit(request)
          assert.deepStrictEqual(yield* port.awaitOperation(operationId), { status: "applied" }, `attempt ${attempt}`)
        }
      })
    ))

  it.live("of an unknown Run is refused as run-not-found", () =>
    onHome(() =>
      Effect.gen(function*() {
        const error = yield* Effect.flip(cancel("run_01ARZ3NDEKTSV4RRFFQ69G5FAV" as RunId))
        assert.strictEqual(error.problem.code, "run-not-found")
      })
    ))

  it.live("reaches the process that owns the Run", () =>
    Effect.scoped(Effect.gen(function*() {
      const home = yield* temporaryFolder
      const workspace = yield* temporaryFolder
      const owner = spawn(process.execPath, [starter, home, workspace, "touch ready; sleep 60"], { stdio: "ignore" })
      const left = Effect.callback<number | null>((resume) => void owner.on("exit", (code) => resume(Effect.succeed(code))))
      yield* fileAppears(workspace, "ready")
      yield* Effect.gen(function*() {
        const port = yield* ProjectionPort
        const before = yield* port.showRun({ text: "@last", workspacePath: workspace })
        assert.deepStrictEqual([before.state, before.liveness.state], ["running", "live-elsewhere"])
        const [outcome] = yield* Effect.all([cancel(before.runId), left], { concurrency: "unbounded" })
        assert.deepStrictEqual(outcome, { status: "applied" })
        assert.strictEqual((yield* port.awaitRest(before.runId)).state, "cancelled")
      }).pipe(Effect.provide(portOn(home, "read")))
    })))

  it.live("reaches the owner although an Operation before it cannot be settled", () =>
    Effect.scoped(Effect.gen(function*() {
      const home = yield* temporaryFolder
      const workspace = yield* temporaryFolder
      const owner = spawn(process.execPath, [starter, home, workspace, "touch ready; sleep 60"], { stdio: "ignore" })
      const left = Effect.callback<number | null>((resume) => void owner.on("exit", (code) => resume(Effect.succeed(code))))
      yield* fileAppears(workspace, "ready")
      const database = new Database(join(home, "core.sqlite"))
      database.exec(`CREATE TRIGGER stuck BEFORE UPDATE ON operation WHEN OLD.operation_id = 'send:1'
        BEGIN SELECT RAISE(ABORT, 'stuck'); END`)
      yield* Effect.gen(function*() {
        const port = yield* ProjectionPort
        const { runId } = yield* port.showRun({ text: "@last", workspacePath: workspace })
        yield* port.submit({ operationId: "send:1", input: { operation: "send", runId, text: "more" } })
        const [outcome] = yield* Effect.all([cancel(runId), left], { concurrency: "unbounded" })
        assert.deepStrictEqual(outcome, { status: "applied" })
        assert.strictEqual((yield* port.awaitRest(runId)).state, "cancelled")
      }).pipe(Effect.provide(portOn(home)))
      const outcome = database.prepare<[], string>("SELECT outcome FROM operation WHERE operation_id = 'send:1'").pluck().get()
      database.close()
      assert.deepStrictEqual(JSON.parse(outcome ?? "null"), { status: "pending" })
    })))
})

describe("a Run that another process owns", () => {
  it.effect("is named with its owner at once, also while that owner answers nothing; then the Operation is pending and names it too", () =>
    Effect.scoped(Effect.gen(function*() {
      const home = yield* temporaryFolder
      const workspace = yield* temporaryFolder
      const owner = spawn(process.execPath, [starter, home, workspace, "touch ready; sleep 600"], { stdio: "ignore" })
      const left = Effect.callback<void>((resume) => void owner.on("exit", () => resume(Effect.void)))
      const ownerPid = owner.pid ?? 0
      const last = { text: "@last", workspacePath: workspace }
      yield* fileAppears(workspace, "ready")
      yield* stopBetweenWrites(owner, home)
      yield* Effect.gen(function*() {
        const port = yield* ProjectionPort
        const { liveness, runId } = yield* port.showRun(last)
        assert.deepStrictEqual(liveness, { state: "live-elsewhere", ownerPid })
        const [row] = (yield* port.listRuns({ resumable: false, limit: 1 })).rows
        assert.deepStrictEqual([row?.live, row?.ownerPid], [true, ownerPid])
        const waiting = yield* Effect.forkChild(cancel(runId), { startImmediately: true })
        const { problem, status } = yield* Effect.raceFirst(Fiber.join(waiting), timePasses)
        assert.deepStrictEqual([status, problem?.code, problem?.details?.["ownerPid"]], ["pending", "operation-pending", ownerPid])
        assert.include(problem?.explanation, `(${ownerPid})`)
        owner.kill("SIGKILL")
        yield* left
        assert.strictEqual((yield* TestClock.withLive(port.awaitRest(runId))).state, "halted")
      }).pipe(Effect.provide(portOn(home)))
    })))

  it.live("can be ended by whoever comes once its owner was killed", () =>
    Effect.scoped(Effect.gen(function*() {
      const home = yield* temporaryFolder
      const workspace = yield* temporaryFolder
      const owner = spawn(process.execPath, [starter, home, workspace, "echo $$ > pid; touch ready; sleep 600"], { stdio: "ignore" })
      const left = Effect.callback<void>((resume) => void owner.on("exit", () => resume(Effect.void)))
      yield* fileAppears(workspace, "ready")
      yield* Effect.gen(function*() {
        const port = yield* ProjectionPort
        const { runId } = yield* port.showRun({ text: "@last", workspacePath: workspace })
        owner.kill("SIGKILL")
        yield* left
        assert.deepStrictEqual(yield* cancel(runId), { status: "applied" })
        const run = yield* port.showRun({ text: runId, workspacePath: workspace })
        assert.deepStrictEqual([run.state, run.liveness, run.calls[0]?.outcome], ["cancelled", { state: "resting" }, "indeterminate"])
        assert.isFalse(isRunning(readFileSync(join(workspace, "pid"), "utf8").trim()))
      }).pipe(Effect.provide(portOn(home)))
    })))
})

describe("run delete", () => {
  it.live("removes a Run's files and rows, and no other's", () =>
    onHome((workspace, home) =>
      Effect.gen(function*() {
        const port = yield* ProjectionPort
        const gone = yield* runCommand("echo gone", workspace)
        const kept = yield* runCommand("echo kept", workspace)
        assert.deepStrictEqual(yield* remove(gone.runId), { status: "applied" })
        const error = yield* Effect.flip(port.showRun({ text: gone.runId, workspacePath: workspace }))
        assert.strictEqual(error.problem.code, "run-not-found")
        const list = yield* port.listRuns({ resumable: false, limit: 10 })
        assert.deepStrictEqual(list.rows.map((row) => row.runId), [kept.runId])
        assert.deepStrictEqual(readdirSync(join(home, "data", "conversations")), [String(kept.sessions[0]?.conversationId)])
      })
    ))

  it.live("repeated with its operation id is answered as before and removes no other Run; a repeated start of the removed one runs nothing", () =>
    onHome((workspace) =>
      Effect.gen(function*() {
        const port = yield* ProjectionPort
        const start = { operationId: "start-1", input: startInput("echo ran >> runs", workspace) }
        const { runId } = yield* port.submit(start)
        yield* port.awaitRest(runId)
        const kept = yield* runCommand("echo kept", workspace)
        const removal = (of: RunId) => ({ operationId: "delete-1", input: { operation: "delete", runId: of } as const })
        for (const _ of ["first", "again"]) {
          const { operationId } = yield* port.submit(removal(runId))
          assert.deepStrictEqual(yield* port.awaitOperation(operationId), { status: "applied" })
        }
        assert.strictEqual((yield* Effect.flip(port.submit(removal(kept.runId)))).problem.code, "operation-id-reused")
        assert.strictEqual((yield* Effect.flip(port.submit(start))).problem.code, "run-not-found")
        assert.strictEqual(readFileSync(join(workspace, "runs"), "utf8"), "ran\n")
        const list = yield* port.listRuns({ resumable: false, limit: 10 })
        assert.deepStrictEqual(list.rows.map((row) => row.runId), [kept.runId])
      })
    ))

  it.live("of a live Run ends its command first", () =>
    onHome((workspace) =>
      Effect.gen(function*() {
        const port = yield* ProjectionPort
        const { runId } = yield* port.submit({ input: startInput("echo $$ > pid; touch ready; sleep 60", workspace) })
        yield* fileAppears(workspace, "ready")
        assert.deepStrictEqual(yield* remove(runId), { status: "applied" })
        assert.isFalse(isRunning(readFileSync(join(workspace, "pid"), "utf8").trim()))
        assert.isTrue((yield* port.listRuns({ resumable: false, limit: 10 })).empty)
      })
    ))
})

describe("transcripts", () => {
  it.live("hold the inputs of a Session, and a whole Run can be exported", () =>
    onHome((workspace) =>
      Effect.gen(function*() {
        const port = yield* ProjectionPort
        const run = yield* runCommand("echo one; exit 3", workspace)
        const reference = { text: run.runId, workspacePath: workspace }
        const page = yield* port.readTranscript({ run: reference })
        assert.deepStrictEqual(page.entries.map((entry) => [entry.session, entry.role, entry.content]), [["main", "user", "echo one; exit 3"]])
        assert.deepStrictEqual(yield* port.readTranscript({ run: reference, cursor: run.sessions[0]?.transcriptPage ?? "" }), page)
        assert.deepStrictEqual((yield* port.exportTranscript({ run: reference })).entries, page.entries)
        const whole = yield* port.exportRun(reference)
        assert.deepStrictEqual(whole.run, run)
        assert.deepStrictEqual(whole.sessions[0]?.calls.map((call) => [call.input, call.exitCode]), [["echo one; exit 3", 3]])
        const refused = yield* Effect.flip(port.readTranscript({ run: reference, cursor: "x" }))
        assert.strictEqual(refused.problem.code, "run-transcript-cursor-invalid")
        const missing = yield* Effect.flip(port.readTranscript({ run: reference, session: "side" }))
        assert.strictEqual(missing.problem.code, "run-session-not-found")
      })
    ))
})

describe("free space", () => {
  it.live("below the floor that a home sets starts no command and leaves no Run, and says which place is too full", () =>
    Effect.scoped(Effect.gen(function*() {
      const home = yield* temporaryFolder
      const workspace = yield* temporaryFolder
      mkdirSync(join(home, "config"))
      writeFileSync(join(home, "config", "steno.json"), JSON.stringify({ minFreeBytes: Number.MAX_SAFE_INTEGER }))
      const error = yield* Effect.flip(Effect.provide(runCommand("touch started", workspace), portOn(home)))
      assert.strictEqual("problem" in error ? error.problem.code : error, "storage-low")
      assert.isFalse(existsSync(join(workspace, "started")))
      const list = yield* Effect.flatMap(ProjectionPort, (port) => port.listRuns({ resumable: false, limit: 10 })).pipe(Effect.provide(portOn(home)))
      assert.isTrue(list.empty)
    })))

  it.live("with a configuration that has an unknown key is refused as config-invalid", () =>
    Effect.scoped(Effect.gen(function*() {
      const home = yield* temporaryFolder
      const workspace = yield* temporaryFolder
      mkdirSync(join(home, "config"))
      writeFileSync(join(home, "config", "steno.json"), "{\"minFreeByte\":1}")
      const error = yield* Effect.flip(Effect.provide(runCommand("true", workspace), portOn(home)))
      assert.strictEqual("problem" in error ? error.problem.code : error, "config-invalid")
    })))
})

describe("gc", () => {
  const collect = (home: string, options: { readonly olderThanMs?: number; readonly dryRun: boolean }) =>
    Effect.gen(function*() {
      const opened = yield* openHome(home, "write")
      return yield* Effect.flatMap(Retention, (retention) => retention.collect(options)).pipe(
        Effect.provide(maintenanceLayer({ home: opened, environment: {} }))
      )
    })

  it.live("removes exactly what its dry run said, and nothing without an age", () =>
    Effect.scoped(Effect.gen(function*() {
      const home = yield* temporaryFolder
      const workspace = yield* temporaryFolder
      yield* Effect.forEach(["echo a", "seq 1 5000"], (text) => runCommand(text, workspace)).pipe(Effect.provide(portOn(home)))
      const idle = yield* collect(home, { dryRun: false })
      assert.deepStrictEqual([idle.removed, idle.kept.runs], [{ runs: 0, bytes: 0 }, 2])
      const dry = yield* collect(home, { olderThanMs: 0, dryRun: true })
      const real = yield* collect(home, { olderThanMs: 0, dryRun: false })
      assert.strictEqual(dry.removed.runs, 2)
      assert.isAbove(dry.removed.bytes, 0)
      assert.deepStrictEqual({ ...real, dryRun: true }, dry)
      const after = yield* collect(home, { olderThanMs: 0, dryRun: true })
      assert.deepStrictEqual(after, { family: "gc", removed: { runs: 0, bytes: 0 }, kept: { runs: 0, bytes: 0 }, dryRun: true })
      assert.deepStrictEqual(readdirSync(join(home, "data", "conversations")), [])
    })))
})
