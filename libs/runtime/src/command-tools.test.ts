import { assert, describe, it } from "@effect/vitest"
import { ProjectionPort } from "@steno/projection-port"
import { Effect } from "effect"
import { existsSync, readFileSync, watch } from "node:fs"
import { join } from "node:path"
import { portOn, runCommand, startInput, temporaryFolder } from "./testing.ts"

/** A dead process that nobody collected yet still has an entry; it runs no more. */
const isRunning = (pid: number): boolean => {
  const stat = existsSync(`/proc/${pid}/stat`) ? readFileSync(`/proc/${pid}/stat`, "latin1") : ""
  return stat !== "" && !/\) [ZX] /.test(stat)
}

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

const survivorsCommand = "sleep 300 & setsid sleep 301 & echo hi; echo $$ >pid; mv pid ready; exit 7"

describe("processes that outlive their command", () => {
  it.live("are named in the record, and ended when their owner leaves", () =>
    Effect.scoped(Effect.gen(function*() {
      const home = yield* temporaryFolder
      const workspace = yield* temporaryFolder
      const run = yield* runCommand(survivorsCommand, workspace).pipe(
        Effect.tap((found) =>
          Effect.sync(() => {
            for (const { pid } of found.calls[0]?.survivors ?? []) assert.isTrue(isRunning(pid), `process ${pid} is gone too early`)
          })
        ),
        Effect.provide(portOn(home))
      )
      const survivors = run.calls[0]?.survivors ?? []
      assert.deepStrictEqual(survivors.map((one) => one.command.slice(-9)).toSorted(), ["sleep 300", "sleep 301"])
      for (const { pid } of survivors) assert.isFalse(isRunning(pid), `process ${pid} is left`)
      const shown = yield* Effect.flatMap(ProjectionPort, (port) => port.showRun({ text: "@last", workspacePath: workspace })).pipe(
        Effect.provide(portOn(home, "read"))
      )
      assert.deepStrictEqual(shown.calls[0]?.survivors, survivors)
    })))

  it.live("are ended by an interrupt, which leaves the command its exit code", () =>
    Effect.scoped(Effect.gen(function*() {
      const home = yield* temporaryFolder
      const workspace = yield* temporaryFolder
      yield* Effect.gen(function*() {
        const port = yield* ProjectionPort
        const { runId } = yield* port.submit({ input: startInput(survivorsCommand, workspace) })
        yield* fileAppears(workspace, "ready")
        const shell = Number(readFileSync(join(workspace, "ready"), "utf8"))
        while (isRunning(shell)) yield* Effect.sleep(1)
        yield* port.submit({ input: { operation: "interrupt", runId } })
        const { calls: [call], state } = yield* port.awaitRest(runId)
        assert.deepStrictEqual([state, call?.outcome, call?.exitCode], ["failed", "completed", 7])
        assert.deepStrictEqual(call?.survivors ?? [], [])
      }).pipe(Effect.provide(portOn(home)))
    })))
})
