import { assert, describe, it } from "@effect/vitest"
import { ProjectionPort } from "@steno/projection-port"
import Database from "better-sqlite3"
import { Effect } from "effect"
import { spawn } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, readFileSync, watch } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { portOn, runCommand, temporaryFolder } from "./testing.ts"

const starter = fileURLToPath(new URL("../fixtures/start-command.ts", import.meta.url))

/** Starts a command in a process of its own, waits until the command made the file `ready`, then kills that process. */
const killWhileRunning = (home: string, workspace: string, command: string) =>
  Effect.callback<void>((resume) => {
    const owner = spawn(process.execPath, [starter, home, workspace, command], { stdio: ["ignore", "ignore", "inherit"] })
    const ready = join(workspace, "ready")
    const watcher = watch(workspace, () => {
      if (!existsSync(ready)) return
      watcher.close()
      owner.kill("SIGKILL")
    })
    owner.on("exit", () => {
      watcher.close()
      resume(existsSync(ready) ? Effect.void : Effect.die(new Error("The command did not start")))
    })
  })

const pidsIn = (workspace: string) => readFileSync(join(workspace, "pids"), "utf8").trim().split("\n")

/** Prints on both streams, leaves children in its own and in another session, and says who they are. */
const familyCommand = [
  "echo kept; echo warned >&2",
  "setsid sleep 300 & echo $! >> pids",
  "sleep 300 & echo $! >> pids",
  "echo $$ >> pids",
  "sleep 0.3; touch ready; wait"
].join("\n")

/** A dead process that nobody collected yet still has an entry; it runs no more. */
const isRunning = (pid: string): boolean => {
  const stat = existsSync(`/proc/${pid}/stat`) ? readFileSync(`/proc/${pid}/stat`, "latin1") : ""
  return stat !== "" && !/\) [ZX] /.test(stat)
}

const lastOf = (workspace: string) => ({ text: "@last", workspacePath: workspace })
const digest = (path: string) => createHash("sha256").update(readFileSync(path)).digest("hex")

describe("after the owner was killed while a command ran", () => {
  it.live("the next process says halted and indeterminate, ends the children and keeps the output", () =>
    Effect.scoped(Effect.gen(function*() {
      const home = yield* temporaryFolder
      const workspace = yield* temporaryFolder
      yield* killWhileRunning(home, workspace, familyCommand)
      yield* Effect.gen(function*() {
        const port = yield* ProjectionPort
        const run = yield* port.showRun(lastOf(workspace))
        assert.strictEqual(run.state, "halted")
        assert.deepStrictEqual(run.liveness, { state: "resting" })
        assert.strictEqual(run.turns[0]?.result, "lost")
        const call = run.calls[0]
        assert.strictEqual(call?.outcome, "indeterminate")
        assert.notProperty(call, "exitCode")
        assert.notProperty(call, "signal")
        for (const pid of pidsIn(workspace)) assert.isFalse(isRunning(pid), `process ${pid} is left`)
        const page = yield* port.readCall({ run: lastOf(workspace), call: "1", stream: "output" })
        assert.deepStrictEqual([page.lines, page.status, page.complete], [["kept", "warned"], "indeterminate", true])
        const next = yield* runCommand("echo next", workspace)
        assert.strictEqual(next.state, "succeeded")
      }).pipe(Effect.provide(portOn(home, "read")))
    })))

  it.live.each<readonly [string, string]>([
    ["start of its call", "tool-call-started"],
    ["admission of its Turn", "turn-admitted"]
  ])("a Run in whose record the %s cannot be read is settled like any other, its processes ended, its output kept", ([, type]) =>
    Effect.scoped(Effect.gen(function*() {
      const home = yield* temporaryFolder
      const workspace = yield* temporaryFolder
      yield* killWhileRunning(home, workspace, familyCommand)
      const database = new Database(join(home, "core.sqlite"))
      assert.strictEqual(database.prepare("UPDATE event SET payload = '{broken' WHERE type = ?").run(type).changes, 1)
      database.close()
      yield* Effect.gen(function*() {
        const port = yield* ProjectionPort
        const run = yield* port.showRun(lastOf(workspace))
        assert.deepStrictEqual([run.state, run.turns[0]?.result, run.calls[0]?.outcome], ["halted", "lost", "indeterminate"])
        assert.deepStrictEqual(run.calls[0]?.input, type === "turn-admitted" ? familyCommand : "")
        assert.deepStrictEqual(run.unreadable?.map((event) => [event.storedType, event.reason, event.text]), [[type, "not-json", "{broken"]])
        assert.deepStrictEqual(run.timeline.map(({ event, unreadable }) => [event, unreadable === true]), [
          ["turn-admitted", type === "turn-admitted"],
          ["tool-call-started", type === "tool-call-started"],
          ["tool-call-settled", false],
          ["turn-settled", false]
        ])
        const page = yield* port.readCall({ run: lastOf(workspace), call: "1", stream: "output" })
        assert.deepStrictEqual([page.lines, page.status], [["kept", "warned"], "indeterminate"])
        const list = yield* port.listRuns({ resumable: false, limit: 5 })
        assert.deepStrictEqual(list.rows.map((row) => row.state), ["halted"])
      }).pipe(Effect.provide(portOn(home)))
      for (const pid of pidsIn(workspace)) assert.isFalse(isRunning(pid), `process ${pid} is left`)
    })))

  it.live("a process that may only read shows the same states and leaves the home as it was", () =>
    Effect.scoped(Effect.gen(function*() {
      const home = yield* temporaryFolder
      const workspace = yield* temporaryFolder
      yield* killWhileRunning(home, workspace, familyCommand)
      const { runtimeLayer } = yield* Effect.promise(() => import("./runtime-layer.ts"))
      const readOnly = runtimeLayer({ home: { path: home, access: "read" }, environment: {} })
      const before = digest(join(home, "core.sqlite"))
      yield* Effect.gen(function*() {
        const port = yield* ProjectionPort
        const run = yield* port.showRun(lastOf(workspace))
        assert.strictEqual(run.state, "halted")
        assert.strictEqual(run.calls[0]?.outcome, "indeterminate")
        assert.strictEqual(run.turns[0]?.result, "lost")
        const list = yield* port.listRuns({ resumable: true, limit: 5 })
        assert.deepStrictEqual(list.rows.map((row) => row.state), ["halted"])
        const page = yield* port.readCall({ run: lastOf(workspace), call: "1", stream: "stdout" })
        assert.deepStrictEqual(page.lines, ["kept"])
        const refused = yield* Effect.flip(runCommand("true", workspace))
        assert.strictEqual(refused.problem.code, "home-read-only")
      }).pipe(Effect.provide(readOnly))
      assert.strictEqual(digest(join(home, "core.sqlite")), before)
      yield* Effect.flatMap(ProjectionPort, (port) => port.showRun(lastOf(workspace))).pipe(Effect.provide(portOn(home)))
    })))

  it.live("many processes that open the home at once settle the Run exactly once", () =>
    Effect.scoped(Effect.gen(function*() {
      const home = yield* temporaryFolder
      const workspace = yield* temporaryFolder
      yield* killWhileRunning(home, workspace, familyCommand)
      const show = Effect.flatMap(ProjectionPort, (port) => port.showRun(lastOf(workspace)))
      const shown = yield* Effect.forEach(
        Array.from({ length: 4 }),
        () => show.pipe(Effect.provide(portOn(home))),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(new Set(shown.map((run) => run.state)), new Set(["halted"]))
      const settled = yield* show.pipe(Effect.provide(portOn(home)))
      assert.deepStrictEqual(
        settled.timeline.filter((entry) => entry.event.endsWith("settled")).map((entry) => entry.event),
        ["tool-call-settled", "turn-settled"]
      )
    })))
})
