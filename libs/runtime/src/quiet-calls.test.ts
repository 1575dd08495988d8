import { assert, describe, it } from "@effect/vitest"
import { ProjectionPort } from "@steno/projection-port"
import { Effect, Fiber, Stream } from "effect"
import { TestClock } from "effect/testing"
import { portOn, startInput, temporaryFolder } from "./testing.ts"

describe("a command that asks for a password", () => {
  it.effect("is told to clients after 30 s, once; an interrupt then settles it, and nothing of the silence is stored", () =>
    Effect.scoped(Effect.gen(function*() {
      const home = yield* temporaryFolder
      const workspace = yield* temporaryFolder
      yield* Effect.gen(function*() {
        const port = yield* ProjectionPort
        const { runId } = yield* port.submit({ input: startInput("printf 'Password:'; sleep 600", workspace) })
        const reference = { text: runId, workspacePath: workspace }
        const printed = port.readCall({ run: reference, call: "1", stream: "output" }).pipe(
          Effect.map(({ lines }) => lines),
          Effect.catch(() => Effect.succeed([])),
          Effect.delay("5 millis"),
          Effect.repeat({ until: (lines) => lines.length > 0 })
        )
        assert.deepStrictEqual(yield* TestClock.withLive(printed), ["Password:"])
        const told: Array<unknown> = []
        yield* Effect.forkChild(
          Stream.runForEach(port.quietCalls(runId), ({ line, since }) => Effect.sync(() => told.push({ line, since }))),
          { startImmediately: true }
        )
        yield* TestClock.adjust("31 seconds")
        yield* TestClock.adjust("10 minutes")
        assert.deepStrictEqual(told, [{ line: "Password:", since: "1970-01-01T00:00:00.000Z" }])
        const resting = yield* Effect.forkChild(TestClock.withLive(port.awaitRest(runId)), { startImmediately: true })
        yield* TestClock.withLive(port.submit({ input: { operation: "interrupt", runId } }))
        const run = yield* Fiber.join(resting)
        assert.deepStrictEqual([run.state, run.calls[0]?.outcome], ["halted", "cancelled"])
        assert.notInclude(JSON.stringify(run.timeline), "quiet")
      }).pipe(Effect.provide(portOn(home)))
    })), 10_000)
})
