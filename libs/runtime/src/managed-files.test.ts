import { assert, describe, it } from "@effect/vitest"
import { Retention } from "@steno/application"
import { Failpoint as StoreFailpoint } from "@steno/asset-store/testing"
import { Failpoint as LedgerFailpoint } from "@steno/ledger"
import { ProjectionPort } from "@steno/projection-port"
import { Clock, Effect } from "effect"
import { existsSync, mkdirSync, readdirSync, symlinkSync, watch, writeFileSync } from "node:fs"
import { join } from "node:path"
import { openHome } from "./home.ts"
import { maintenanceLayer } from "./runtime-layer.ts"
import { portOn, runCommand, startInput, temporaryFolder } from "./testing.ts"

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

const everyRun = Effect.flatMap(ProjectionPort, (port) => port.listRuns({ resumable: false, limit: 10 }))

describe("a link in place of a folder of the data", () => {
  it.live.each(["conversations", "."])("(%s) is not followed: the command does not start, nothing is made outside", (name) =>
    Effect.scoped(Effect.gen(function*() {
      const home = join(yield* temporaryFolder, "home")
      const workspace = yield* temporaryFolder
      const outside = yield* temporaryFolder
      const link = join(home, "data", name)
      mkdirSync(join(link, ".."), { recursive: true, mode: 0o700 })
      symlinkSync(outside, link)
      const run = yield* Effect.provide(runCommand("touch started", workspace), portOn(home))
      assert.deepStrictEqual([run.state, run.calls[0]?.outcome, run.calls[0]?.reason?.code], ["failed", "failed", "capture-not-opened"])
      assert.include(run.calls[0]?.reason?.text ?? "", "is a link")
      assert.deepStrictEqual(readdirSync(outside), [])
      assert.isFalse(existsSync(join(workspace, "started")))
    })))
})

describe("a sweep", () => {
  /** Two hours from now. */
  const later = Effect.map(Effect.service(Clock.Clock), (clock): Clock.Clock => {
    const ahead = 2 * 3_600_000
    return {
      currentTimeMillisUnsafe: () => clock.currentTimeMillisUnsafe() + ahead,
      currentTimeMillis: Effect.map(clock.currentTimeMillis, (now) => now + ahead),
      currentTimeNanosUnsafe: () => clock.currentTimeNanosUnsafe(),
      currentTimeNanos: clock.currentTimeNanos,
      monotonicTimeNanosUnsafe: () => clock.monotonicTimeNanosUnsafe(),
      monotonicTimeNanos: clock.monotonicTimeNanos,
      sleep: (duration) => clock.sleep(duration)
    }
  })

  it.live("beside a running call takes what has no row and nothing of the call", () =>
    Effect.scoped(Effect.gen(function*() {
      const home = yield* temporaryFolder
      const workspace = yield* temporaryFolder
      yield* Effect.gen(function*() {
        const port = yield* ProjectionPort
        const { runId } = yield* port.submit({
          input: startInput("mkfifo more; echo kept; echo err >&2; touch ready; read -r go < more; echo end; exit 5", workspace)
        })
        yield* fileAppears(workspace, "ready")
        const [conversation = ""] = readdirSync(join(home, "data", "conversations"))
        const calls = join(home, "data", "conversations", conversation, "tool-calls")
        const orphan = join(calls, "call_orphan")
        mkdirSync(orphan)
        writeFileSync(join(orphan, "stdout.txt"), "nobody's")
        const opened = yield* openHome(home, "write")
        const collected = yield* Effect.flatMap(Retention, (retention) => retention.collect({ dryRun: false })).pipe(
          Effect.provide(maintenanceLayer({ home: opened, environment: {} })),
          Effect.provideServiceEffect(Clock.Clock, later)
        )
        assert.isAbove(collected.removed.bytes, 0)
        assert.isFalse(existsSync(orphan))
        writeFileSync(join(workspace, "more"), "go\n")
        const run = yield* port.awaitRest(runId)
        assert.strictEqual(run.calls[0]?.exitCode, 5)
        const page = yield* port.readCall({ run: { text: runId, workspacePath: workspace }, call: "1", stream: "output" })
        assert.deepStrictEqual([page.lines.toSorted(), page.complete], [["end", "err", "kept"], true])
      }).pipe(Effect.provide(portOn(home)))
    })))
})

describe("a removal", () => {
  const steps: ReadonlyArray<readonly [side: "ledger" | "store", point: string, nth: number]> = [
    ["ledger", "buryRun:before-commit", 1],
    ["ledger", "buryRun:after-commit", 1],
    ["store", "open-folder", 1],
    ["store", "list", 1],
    ["store", "unlink", 1],
    ["store", "unlink", 3],
    ["store", "remove-folder", 1],
    ["store", "remove-folder", 3],
    ["ledger", "removeRun:begin", 1],
    ["ledger", "removeRun:before-commit", 1],
    ["ledger", "removeRun:after-commit", 1]
  ]

  it.live.each(steps)("cut off in the %s at %s (%d) is finished by the next process, or had not begun", ([side, point, nth]) =>
    Effect.scoped(Effect.gen(function*() {
      const home = yield* temporaryFolder
      const workspace = yield* temporaryFolder
      const gone = yield* Effect.provide(runCommand("echo out; echo err >&2", workspace), portOn(home))
      const folder = join(home, "data", "conversations", gone.sessions[0]?.conversationId ?? "")
      let left = nth
      /** Everything after the cut is refused too, as if the process were gone. */
      const cut = (on: typeof side) => (reached: string) => {
        if (on === side && reached === point) left -= 1
        if (left <= 0) throw new Error("cut off")
      }
      yield* Effect.gen(function*() {
        const port = yield* ProjectionPort
        yield* port.submit({ input: { operation: "delete", runId: gone.runId } })
        while (left > 0) yield* Effect.yieldNow
      }).pipe(
        Effect.provide(portOn(home)),
        Effect.provideService(LedgerFailpoint, cut("ledger")),
        Effect.provideService(StoreFailpoint, cut("store"))
      )
      const isBuried = point !== "buryRun:before-commit"
      const after = yield* Effect.provide(everyRun, portOn(home))
      assert.deepStrictEqual(after.rows.map((row) => row.runId), isBuried ? [] : [gone.runId])
      assert.strictEqual(existsSync(folder), !isBuried)
      const next = yield* Effect.provide(runCommand("echo next", workspace), portOn(home))
      assert.strictEqual(next.state, "succeeded")
    })))
})
