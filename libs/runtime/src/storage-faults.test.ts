import { assert, describe, it } from "@effect/vitest"
import { Failpoint } from "@steno/ledger"
import { ProjectionPort } from "@steno/projection-port"
import { Effect } from "effect"
import { portOn, runCommand, startInput, temporaryFolder } from "./testing.ts"

/** Throws what SQLite would, the first `times` times a write reaches a point. */
const failing = (point: string, code: string, times: number) => {
  let left = times
  return (reached: string) => {
    if (reached === point && left-- > 0) throw Object.assign(new Error(code), { code })
  }
}

const onFault = <A, E>(
  failpoint: (point: string) => void,
  test: (workspace: string) => Effect.Effect<A, E, ProjectionPort>
) =>
  Effect.scoped(Effect.gen(function*() {
    const home = yield* temporaryFolder
    const workspace = yield* temporaryFolder
    return yield* test(workspace).pipe(Effect.provide(portOn(home)), Effect.provideService(Failpoint, failpoint))
  }))

describe("a write of the record that fails once", () => {
  it.live.each(["createToolCalls:begin", "createToolCalls:before-commit"])(
    "at %s starts nothing, tells the Problem to whoever waits, now and later, and leaves the Run failed",
    (point) =>
      onFault(failing(point, "SQLITE_IOERR_WRITE", 1), (workspace) =>
        Effect.gen(function*() {
          const port = yield* ProjectionPort
          const { runId } = yield* port.submit({ input: startInput("touch started", workspace) })
          for (const wait of [1, 2]) {
            const error = yield* Effect.flip(port.awaitRest(runId))
            assert.strictEqual(error.problem.code, "storage-failed", `wait ${wait}`)
          }
          const run = yield* port.showRun({ text: runId, workspacePath: workspace })
          assert.deepStrictEqual([run.state, run.turns[0]?.result, run.calls], ["failed", "not-started", []])
          assert.strictEqual((yield* runCommand("true", workspace)).state, "succeeded")
        }))
  )

  it.live.each(["recordProcess:begin", "settleToolCall:before-commit", "settleToolCall:after-commit", "settleTurn:begin", "settleTurn:after-commit"])(
    "at %s loses nothing: it is tried again",
    (point) =>
      onFault(failing(point, "SQLITE_IOERR_WRITE", 1), (workspace) =>
        Effect.gen(function*() {
          const run = yield* runCommand("echo out; exit 3", workspace)
          assert.deepStrictEqual([run.state, run.calls[0]?.outcome, run.calls[0]?.exitCode], ["failed", "completed", 3])
        }))
  )
})
