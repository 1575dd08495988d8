import { assert, describe, it } from "@effect/vitest"
import type { CallId, UnfinishedCall } from "@steno/contracts"
import { CallLedger, Failpoint, type Fence, ledgerLayer, RunLedger } from "@steno/ledger"
import { IdMinter, type ProcessIdentity, type ToolCallResponse } from "@steno/contracts"
import { DateTime, Effect, Exit, Fiber, Layer, Stream } from "effect"
import { TestClock } from "effect/testing"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { CallSpace, StorageLow } from "./call-space.ts"
import { HostTools, ToolDidNotStart } from "./host-tools.ts"
import { ResultNotPrepared, ResultPreparation } from "./result-preparation.ts"
import { allowingSupervision, ampleSpace, makeControlledTool, noHandlers, plainPreparation } from "./testing.ts"
import { ToolCallService } from "./tool-call-service.ts"

const owner: ProcessIdentity = { bootId: "boot", pid: 4242, startTime: "1" }
const now = Effect.map(DateTime.now, DateTime.formatIso)

const ledger = Layer.unwrap(Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "steno-calls-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
).pipe(Effect.map((folder) => ledgerLayer({ file: join(folder, "core.sqlite"), access: "write" }))))

const admitted = Effect.gen(function*() {
  const runs = yield* RunLedger
  const ids = yield* IdMinter
  const [runId, conversationId, turnId] = [yield* ids.mint("run"), yield* ids.mint("conv"), yield* ids.mint("turn")]
  yield* runs.admitRun({
    operationId: yield* ids.mint("op"),
    input: { operation: "start", workspace: "/", harness: "command", session: "main", input: "true", kind: "once" },
    runId,
    conversationId,
    turnId,
    owner,
    admitted: { input: "true", origin: "user", harness: { id: "command" } },
    at: yield* now
  })
  const fence: Fence = { runId, epoch: 1 }
  return { fence, conversationId, turnId, workspace: "/", arguments: { command: "true", cwd: "/" } }
})

const responsesOf = Effect.fnUntraced(function*(fence: Fence) {
  const record = yield* Effect.flatMap(RunLedger, (runs) => runs.readRun(fence.runId))
  return (record?.events ?? []).flatMap((event): ReadonlyArray<ToolCallResponse> =>
    event.type === "tool-call-response" ? [event.payload] : []
  )
})
const rowOf = (callId: CallId) => Effect.flatMap(CallLedger, (calls) => calls.unfinishedCall(callId))

/** Runs a test on a fresh database with the given host tools. */
const on = <A, E>(
  tools: Layer.Layer<HostTools>,
  test: Effect.Effect<A, E, ToolCallService | RunLedger | CallLedger>,
  preparation: Layer.Layer<ResultPreparation> = plainPreparation,
  space: Layer.Layer<CallSpace> = ampleSpace
) =>
  test.pipe(Effect.provide(
    ToolCallService.layerNoDeps().pipe(
      Layer.provide(Layer.mergeAll(tools, preparation, space, allowingSupervision, noHandlers)), Layer.provideMerge(ledger))
  ))

describe("a direct command", () => {
  it.live("is on record as running, with claim and supervision by the user, before its tool ends", () =>
    Effect.gen(function*() {
      const { layer, tool } = yield* makeControlledTool({ process: owner })
      yield* on(layer, Effect.gen(function*() {
        const service = yield* ToolCallService
        const call = yield* service.runDirectCommand(yield* admitted)
        assert.strictEqual(yield* tool.started, call.callId)
        const row = yield* rowOf(call.callId)
        assert.strictEqual(row?.state, "running")
        assert.match(row?.claim ?? "", /^claim_1_[0-9a-f]{32}$/)
        assert.deepStrictEqual(row?.supervision, { decision: "allow", by: "user" })
        yield* tool.end({})
        yield* call.settled
      }))
    }))

  it.live("that prints nothing is told to whoever listens, once per silence, and stored nowhere", () =>
    Effect.gen(function*() {
      const { layer, tool } = yield* makeControlledTool({ process: owner })
      yield* on(layer, Effect.gen(function*() {
        const service = yield* ToolCallService
        const turn = yield* admitted
        const heard = yield* Effect.forkChild(Stream.runCollect(Stream.take(service.quietCalls, 2)), { startImmediately: true })
        const call = yield* service.runDirectCommand(turn)
        yield* tool.started
        const first = { since: yield* now, line: "Password: " }
        const second = { since: yield* now }
        yield* tool.fallQuiet(first)
        yield* tool.fallQuiet(second)
        const named = { runId: turn.fence.runId, callId: call.callId }
        assert.deepStrictEqual(yield* Fiber.join(heard), [{ ...first, ...named }, { ...second, ...named }])
        yield* tool.end({})
        yield* call.settled
        const record = yield* RunLedger.use((runs) => runs.readRun(turn.fence.runId))
        assert.deepStrictEqual(record?.events.map(({ type }) => type), ["turn-admitted", "tool-call-started", "tool-call-response"])
        assert.notInclude(JSON.stringify(record), "Password")
      }))
    }))

  it.live("settles once: its response is stored, its row is gone", () =>
    Effect.gen(function*() {
      const { layer, tool } = yield* makeControlledTool({ process: owner })
      yield* on(layer, Effect.gen(function*() {
        const service = yield* ToolCallService
        const turn = yield* admitted
        const call = yield* service.runDirectCommand(turn)
        yield* tool.end({ exit: { kind: "exited", code: 3 } })
        const response = yield* call.settled
        assert.strictEqual(response.outcome, "completed")
        assert.strictEqual(response.exitCode, 3)
        assert.strictEqual(response.agentProjection, "projected")
        assert.deepStrictEqual(yield* responsesOf(turn.fence), [response])
        assert.isUndefined(yield* rowOf(call.callId))
      }))
    }))

  it.live("that cannot start fails with the reason, and nothing else is claimed about it", () =>
    on(
      Layer.succeed(HostTools, {
        enter: () => Effect.succeed({
          start: () => new ToolDidNotStart({ code: "could-not-start", explanation: "The folder /gone does not exist" })
        }),
        recover: () => Effect.die("not used")
      }),
      Effect.gen(function*() {
        const service = yield* ToolCallService
        const response = yield* (yield* service.runDirectCommand(yield* admitted)).settled
        assert.strictEqual(response.outcome, "failed")
        assert.deepStrictEqual(response.reason, { code: "could-not-start", text: "The folder /gone does not exist" })
        assert.notProperty(response, "exitCode")
      })
    ))

  for (
    const [name, prepare] of [
      ["fails", () => new ResultNotPrepared({ explanation: "a symlink" })],
      ["throws", () => Effect.die(new Error("a broken policy"))]
    ] as const
  ) {
    it.live(`settles with its own outcome and a warning when preparing its result ${name}`, () =>
      Effect.gen(function*() {
        const { layer, tool } = yield* makeControlledTool()
        yield* on(
          layer,
          Effect.gen(function*() {
            const service = yield* ToolCallService
            const call = yield* service.runDirectCommand(yield* admitted)
            yield* tool.end({ exit: { kind: "exited", code: 0 } })
            const response = yield* call.settled
            assert.strictEqual(response.outcome, "completed")
            assert.notProperty(response, "agentProjection")
            assert.deepStrictEqual(response.warnings.map((warning) => warning.code), ["result-not-prepared"])
          }),
          Layer.succeed(ResultPreparation, { prepare })
        )
      }))
  }

  it.live("of a Run that another owner took over writes nothing", () =>
    Effect.gen(function*() {
      const { layer, tool } = yield* makeControlledTool()
      yield* on(layer, Effect.gen(function*() {
        const service = yield* ToolCallService
        const runs = yield* RunLedger
        const turn = yield* admitted
        const call = yield* service.runDirectCommand(turn)
        yield* tool.started
        yield* runs.takeOver({ runId: turn.fence.runId, epoch: 1, owner: { ...owner, pid: 4243 }, at: yield* now })
        yield* tool.end({})
        assert.isTrue(Exit.isFailure(yield* Effect.exit(call.settled)))
        assert.deepStrictEqual(yield* responsesOf(turn.fence), [])
        assert.strictEqual((yield* rowOf(call.callId))?.state, "running")
      }))
    }))
})

describe("a call for which there is no room", () => {
  it.live("is neither created nor started; the files of what runs count with those on record, and it runs on", () =>
    Effect.gen(function*() {
      const asked: Array<number> = []
      const low = { limit: "session-quota", path: "/data", freeBytes: 1, limitBytes: 0 } as const
      const space = Layer.succeed(CallSpace, {
        check: ({ usedBytes }) => {
          asked.push(usedBytes)
          return usedBytes > 0 ? Effect.fail(new StorageLow({ ...low, usedBytes })) : Effect.void
        }
      })
      const { layer, tool } = yield* makeControlledTool({ storedBytes: 70_000 })
      yield* on(
        layer,
        Effect.gen(function*() {
          const service = yield* ToolCallService
          const turn = yield* admitted
          const other = yield* admitted
          const call = yield* service.runDirectCommand(turn)
          yield* tool.started
          const early = yield* Effect.eventually(Effect.flip(service.checkSpace(turn.conversationId)))
          const refused = yield* Effect.flip(service.runDirectCommand(turn))
          assert.deepStrictEqual<unknown>([early.reason, refused.reason].map((reason) => ({ ...reason })), [
            { _tag: "StorageLow", ...low, usedBytes: 70_000 },
            { _tag: "StorageLow", ...low, usedBytes: 70_000 }
          ])
          yield* service.checkSpace(other.conversationId)
          assert.deepStrictEqual([asked.at(0), ...asked.slice(-2)], [0, 70_000, 0])
          const unfinished = yield* Effect.flatMap(CallLedger, (calls) => calls.unfinishedCalls(turn.fence.runId))
          assert.deepStrictEqual(unfinished.map((row) => row.callId), [call.callId])
          yield* tool.end({ exit: { kind: "exited", code: 0 } })
          assert.strictEqual((yield* call.settled).exitCode, 0)
        }),
        plainPreparation,
        space
      )
    }))
})

describe("a settlement whose commit reports a failure", () => {
  /** The settlement is durable, and said to have failed, the first `times` times. */
  const durableButFailed = (times: number) => {
    let left = times
    return (point: string) => {
      if (point === "settleToolCall:after-commit" && left-- > 0) throw Object.assign(new Error(), { code: "SQLITE_IOERR_FSYNC" })
    }
  }

  it.effect("and is durable all the same is told as it is stored, once", () =>
    Effect.gen(function*() {
      const { layer, tool } = yield* makeControlledTool()
      yield* on(layer, Effect.gen(function*() {
        const service = yield* ToolCallService
        const turn = yield* admitted
        const call = yield* service.runDirectCommand(turn)
        yield* tool.end({ exit: { kind: "exited", code: 3 } })
        const settled = yield* Effect.forkChild(call.settled)
        yield* TestClock.adjust("5 seconds")
        const response = yield* Fiber.join(settled)
        assert.strictEqual(response.exitCode, 3)
        assert.deepStrictEqual(yield* responsesOf(turn.fence), [response])
      })).pipe(Effect.provideService(Failpoint, durableButFailed(1)))
    }))

  it.live("another response on record is not taken for its own", () =>
    Effect.gen(function*() {
      const { layer, tool } = yield* makeControlledTool()
      yield* on(layer, Effect.gen(function*() {
        const service = yield* ToolCallService
        const ledger = yield* CallLedger
        const turn = yield* admitted
        const call = yield* service.runDirectCommand(turn)
        yield* tool.started
        const claim = (yield* rowOf(call.callId))?.claim
        const other: ToolCallResponse = {
          callId: call.callId,
          tool: "bash",
          origin: "user",
          outcome: "indeterminate",
          survivors: [],
          warnings: [],
          assetIds: []
        }
        yield* ledger.settleToolCall(turn.fence, {
          callId: call.callId,
          from: { state: "running", claim },
          response: other,
          assets: [],
          at: yield* now
        })
        yield* tool.end({ exit: { kind: "exited", code: 3 } })
        const error = yield* Effect.flip(call.settled)
        assert.strictEqual(error.reason._tag, "CallNotSettled")
        assert.deepStrictEqual(yield* responsesOf(turn.fence), [other])
      }))
    }))
})

describe("cancelling", () => {
  it.live("a call whose processes are confirmed gone makes it cancelled", () =>
    Effect.gen(function*() {
      const { layer, tool } = yield* makeControlledTool({ answersStop: "confirmed" })
      yield* on(layer, Effect.gen(function*() {
        const service = yield* ToolCallService
        const call = yield* service.runDirectCommand(yield* admitted)
        yield* tool.started
        yield* service.cancel(call.callId, { force: false })
        assert.strictEqual((yield* call.settled).outcome, "cancelled")
        assert.deepStrictEqual(tool.stops, [true])
      }))
    }))

  it.live("a call whose processes are not confirmed gone makes it indeterminate without an exit code", () =>
    Effect.gen(function*() {
      const { layer, tool } = yield* makeControlledTool({ answersStop: "unconfirmed" })
      yield* on(layer, Effect.gen(function*() {
        const service = yield* ToolCallService
        const call = yield* service.runDirectCommand(yield* admitted)
        yield* tool.started
        yield* service.cancel(call.callId, { force: true })
        const response = yield* call.settled
        assert.strictEqual(response.outcome, "indeterminate")
        assert.notProperty(response, "exitCode")
        assert.deepStrictEqual(tool.stops, [false])
      }))
    }))

  it.effect("a tool that gives no answer ends in indeterminate after the time a cancel may take", () =>
    Effect.gen(function*() {
      const { layer, tool } = yield* makeControlledTool()
      yield* on(layer, Effect.gen(function*() {
        const service = yield* ToolCallService
        const call = yield* service.runDirectCommand(yield* admitted)
        yield* tool.started
        yield* service.cancel(call.callId, { force: false })
        const settled = yield* Effect.forkChild(call.settled)
        yield* TestClock.adjust("5 seconds")
        assert.strictEqual((yield* Fiber.join(settled)).outcome, "indeterminate")
      }))
    }))

  it.effect("a tool that had ended by itself keeps its own end, however long its files take", () =>
    Effect.gen(function*() {
      const { layer, tool } = yield* makeControlledTool({ endedByItself: true })
      yield* on(layer, Effect.gen(function*() {
        const service = yield* ToolCallService
        const call = yield* service.runDirectCommand(yield* admitted)
        yield* tool.started
        yield* service.cancel(call.callId, { force: false })
        const settled = yield* Effect.forkChild(call.settled)
        yield* TestClock.adjust("8 seconds")
        yield* tool.end({ exit: { kind: "exited", code: 7 } })
        const response = yield* Fiber.join(settled)
        assert.deepStrictEqual([response.outcome, response.exitCode], ["completed", 7])
      }))
    }))

  it.live("an unknown call has no effect", () =>
    Effect.gen(function*() {
      const { layer, tool } = yield* makeControlledTool()
      yield* on(layer, Effect.gen(function*() {
        const service = yield* ToolCallService
        const ids = yield* IdMinter
        yield* service.cancel(yield* ids.mint("call"), { force: true })
        assert.deepStrictEqual(tool.stops, [])
      }))
    }))
})

describe("calls of a dead owner", () => {
  it.live("get an indeterminate response that names the processes that were ended", () =>
    on(
      Layer.succeed(HostTools, {
        enter: () => Effect.die("not used"),
        recover: () =>
          Effect.succeed({
            captured: {
              facts: zeroFacts,
              files: [],
              outputFile: undefined,
              retained: { text: "kept\n", incomplete: true },
              warnings: []
            },
            ended: [{ pid: 77, command: "sleep 300" }],
            left: []
          })
      }),
      Effect.gen(function*() {
        const service = yield* ToolCallService
        const ids = yield* IdMinter
        const turn = yield* admitted
        const callId = yield* ids.mint("call")
        const row: UnfinishedCall = {
          callId,
          runId: turn.fence.runId,
          conversationId: turn.conversationId,
          turnId: turn.turnId,
          itemId: callId,
          firstSeen: 0,
          origin: "user",
          tool: "bash",
          state: "running",
          updatedAt: yield* now
        }
        const [prepared, unread] = yield* service.prepareAbandoned([{ row, arguments: turn.arguments }, { row, arguments: undefined }])
        assert.strictEqual(prepared?.response.outcome, "indeterminate")
        assert.notProperty(prepared?.response, "exitCode")
        assert.deepStrictEqual(prepared?.response.retainedOutput, { text: "kept\n", incomplete: true })
        assert.include(prepared?.response.warnings[0]?.text ?? "", "77")
        assert.deepStrictEqual(unread?.response, prepared?.response)
      })
    ))
})

const zero = { observedBytes: 0, storedBytes: 0, droppedBytes: 0, observedLines: 0, storedLines: 0 }
const zeroFacts = { stdout: zero, stderr: zero, output: zero }
