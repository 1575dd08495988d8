import { assert, describe, it } from "@effect/vitest"
import { OperationId, retainedOutputUnits } from "@steno/contracts"
import { Effect } from "effect"
import type { ToolFiles } from "./host-tools.ts"
import { ControlledPorts, resultEnd } from "./testing/controlled-ports.ts"
import { firstOwner, nextOwner, now, type OwnerOptions, recordOf, rowIn, temporaryDatabase } from "./testing/owned-run.ts"
import { emptyFiles } from "./testing/plain-ports.ts"

const owning = Effect.fnUntraced(function*(options: Partial<OwnerOptions> = {}) {
  const ports = new ControlledPorts()
  const file = yield* temporaryDatabase
  const owner = yield* firstOwner({ file, ports, ...options })
  return { file, ports, owner, turn: owner.turn, calls: owner.calls }
})

const start = { itemId: "item-1", firstSeen: 0, tool: "command", input: "make", cwd: "/project" }

const outputFacts = { observedBytes: 8, storedBytes: 8, droppedBytes: 0, observedLines: 2, storedLines: 2 }
const outputFiles: ToolFiles = {
  ...emptyFiles,
  facts: { ...emptyFiles.facts, output: outputFacts },
  files: [{ stream: "output", name: "output.txt", digest: `sha256:${"0".repeat(64)}`, sizeBytes: 8, facts: outputFacts }],
  outputFile: "output.txt",
  retained: { text: "all\nend\n" }
}

describe("an observed call", () => {
  it.live("is stored as it is reported, without supervision, claim or agent projection", () =>
    Effect.gen(function*() {
      const { calls, owner, ports, turn } = yield* owning()
      const callId = yield* calls.observeStart(turn, { ...start, parentItemId: "item-0" })
      const row = yield* rowIn(owner, callId, "running")
      assert.deepStrictEqual([row.origin, row.claim, row.supervision], ["observed", undefined, undefined])
      const response = yield* calls.observeEnd(turn, {
        itemId: "item-1", outcome: "failed", reason: { code: "native", text: "It broke." }, exitCode: 3, output: { text: "some\n" }
      })
      const { events, responses, rows } = yield* recordOf(owner)
      assert.deepStrictEqual([responses, rows], [[response], []])
      assert.deepStrictEqual(events.flatMap((event) => event.type === "tool-call-started" ? [[event.version, event.payload]] : []), [
        [2, { callId, origin: "observed", tool: "command", input: "make", cwd: "/project", parentItemId: "item-0" }]
      ])
      const { startedAt, ...rest } = response
      assert.isString(startedAt)
      assert.deepStrictEqual(rest, {
        callId, tool: "command", origin: "observed", outcome: "failed", reason: { code: "native", text: "It broke." }, exitCode: 3,
        retainedOutput: { text: "some\n" }, survivors: [], warnings: [], assetIds: []
      })
      assert.deepStrictEqual(ports.judged, [])
    }).pipe(Effect.scoped))

  it.live("that is delivered again is the same call with its first end, also under the next owner", () =>
    Effect.gen(function*() {
      const { calls, file, owner, ports, turn } = yield* owning()
      const both = yield* Effect.all([calls.observeStart(turn, start), calls.observeStart(turn, start)], { concurrency: 2 })
      assert.strictEqual(both[0], both[1])
      const ends = yield* Effect.all([
        calls.observeEnd(turn, { itemId: "item-1", outcome: "completed" }),
        calls.observeEnd(turn, { itemId: "item-1", outcome: "failed" })
      ], { concurrency: 2 })
      assert.deepStrictEqual(ends[0], ends[1])
      yield* owner.close
      const second = yield* nextOwner({ file, ports }, turn)
      assert.strictEqual(yield* second.calls.observeStart(second.turn, start), both[0])
      assert.deepStrictEqual(yield* second.calls.observeEnd(second.turn, { itemId: "item-1", outcome: "denied" }), ends[0])
      assert.strictEqual((yield* recordOf(second)).responses.length, 1)
    }).pipe(Effect.scoped))

  it.live("whose start is delivered again while the first delivery waits for the database is one call", () =>
    Effect.gen(function*() {
      let isBusy = true
      const failpoint = (point: string) => {
        if (!isBusy || point !== "createToolCalls:begin") return
        isBusy = false
        throw Object.assign(new Error("locked"), { code: "SQLITE_BUSY" })
      }
      const { calls, owner, turn } = yield* owning({ failpoint })
      const both = yield* Effect.all([calls.observeStart(turn, start), calls.observeStart(turn, start)], { concurrency: 2 })
      assert.strictEqual(both[0], both[1])
      assert.isFalse(isBusy)
      assert.strictEqual((yield* recordOf(owner)).rows.length, 1)
    }).pipe(Effect.scoped))

  it.live("keeps the last units of a long output, no half character, and says that it dropped some; none supplied is not empty", () =>
    Effect.gen(function*() {
      const { calls, turn } = yield* owning()
      const ending = Effect.fnUntraced(function*(itemId: string, output?: { readonly text: string; readonly dropped?: true }) {
        yield* calls.observeStart(turn, { ...start, itemId })
        return (yield* calls.observeEnd(turn, { itemId, outcome: "completed", ...(output && { output }) })).retainedOutput
      })
      const exact = "x".repeat(retainedOutputUnits)
      assert.deepStrictEqual(yield* ending("exact", { text: exact }), { text: exact })
      assert.deepStrictEqual(yield* ending("long", { text: `first${exact}` }), { text: exact, dropped: true })
      const split = `😀${"y".repeat(retainedOutputUnits - 1)}`
      assert.deepStrictEqual(yield* ending("split", { text: split }), { text: split.slice(2), dropped: true })
      assert.deepStrictEqual(yield* ending("sticky", { text: "end", dropped: true }), { text: "end", dropped: true })
      assert.deepStrictEqual(yield* ending("empty", { text: "" }), { text: "" })
      assert.isUndefined(yield* ending("none"))
    }).pipe(Effect.scoped))

  it.live("whose output lies in files has them as its assets, and is told by what was supplied of it at its end", () =>
    Effect.gen(function*() {
      const { calls, owner, turn } = yield* owning()
      const callId = yield* calls.observeStart(turn, start)
      const response = yield* calls.observeEnd(turn, { itemId: "item-1", outcome: "completed", output: { text: "end\n" }, captured: outputFiles })
      assert.deepStrictEqual([response.retainedOutput, response.capture, response.assetIds.length], [{ text: "end\n" }, outputFiles.facts, 1])
      const { responses } = yield* recordOf(owner)
      assert.deepStrictEqual(responses, [response])
      assert.strictEqual(response.callId, callId)
    }).pipe(Effect.scoped))

  it.live("that a dead owner left keeps what its files hold, incomplete", () =>
    Effect.gen(function*() {
      const { calls, owner, ports, turn } = yield* owning()
      const callId = yield* calls.observeStart(turn, start)
      const row = yield* rowIn(owner, callId, "running")
      ports.left = outputFiles
      const [left] = yield* calls.prepareAbandoned([{ row, arguments: undefined }])
      assert.deepStrictEqual(left?.response.retainedOutput, { text: "all\nend\n", incomplete: true })
      assert.deepStrictEqual(left?.assets.map(({ callId: of, path }) => [of, path.endsWith("/output.txt")]), [[callId, true]])
      assert.deepStrictEqual(left?.response.assetIds, left?.assets.map(({ assetId }) => assetId))
    }).pipe(Effect.scoped))

  it.live("without a stored start has no end, and nothing is written", () =>
    Effect.gen(function*() {
      const { calls, owner, turn } = yield* owning()
      const error = yield* Effect.flip(calls.observeEnd(turn, { itemId: "item-1", outcome: "completed" }))
      assert.strictEqual(error.reason._tag, "CallNotSettled")
      assert.deepStrictEqual((yield* recordOf(owner)).responses, [])
    }).pipe(Effect.scoped))

  it.live("that is open when its Turn is over is indeterminate, its output incomplete", () =>
    Effect.gen(function*() {
      const { calls, owner, turn } = yield* owning()
      const callId = yield* calls.observeStart(turn, start)
      const row = yield* rowIn(owner, callId, "running")
      const responses = yield* calls.prepareAbandoned([{ row, arguments: undefined, output: { text: "so far", dropped: true } }])
      const settled = { result: "completed", availability: "open" } as const
      assert.isTrue(yield* owner.turns.settleTurn(turn.fence, { ...turn, settled, responses, at: yield* now }))
      const [response] = (yield* recordOf(owner)).responses
      assert.deepStrictEqual([response?.outcome, response?.reason?.code], ["indeterminate", "end-not-reported"])
      assert.deepStrictEqual(response?.retainedOutput, { text: "so far", dropped: true, incomplete: true })
      assert.notProperty(response, "exitCode")
    }).pipe(Effect.scoped))
})

describe("a call that an outside agent asks its client for", () => {
  const asked = (name: string, more: Record<string, string> = {}) =>
    ({ itemId: `item-${name}`, firstSeen: 0, tool: "bash", input: "make", arguments: { name, ...more } })

  it.live("is supervised, claimed and run like one of a model", () =>
    Effect.gen(function*() {
      const { calls, owner, ports, turn } = yield* owning()
      const call = yield* calls.execute(turn, asked("a"))
      assert.isTrue(yield* call.begun)
      assert.match((yield* rowIn(owner, call.callId, "running")).claim ?? "", /^claim_1_/)
      yield* ports.end("a", resultEnd("value"))
      const response = yield* call.settled
      assert.deepStrictEqual(call.value(), "value")
      assert.deepStrictEqual([response.origin, response.outcome, response.supervision?.by], ["client", "completed", "policy"])
      const { events } = yield* recordOf(owner)
      assert.deepStrictEqual(events.flatMap((event) => event.type === "tool-call-started" ? [event.payload] : []), [
        { callId: call.callId, origin: "client", tool: "bash", input: "make", arguments: { name: "a" } }
      ])
    }).pipe(Effect.scoped))

  it.live("that is denied never begins, and its response says why", () =>
    Effect.gen(function*() {
      const { calls, ports, turn } = yield* owning()
      const call = yield* calls.execute(turn, asked("a", { verdict: "deny" }))
      assert.isFalse(yield* call.begun)
      assert.deepStrictEqual([(yield* call.settled).outcome, ports.ran], ["denied", []])
    }).pipe(Effect.scoped))

  it.live("begins when a person allows it", () =>
    Effect.gen(function*() {
      const { calls, ports, turn } = yield* owning()
      const call = yield* calls.execute(turn, asked("a", { verdict: "approval" }))
      yield* calls.onlyAwaits(turn.turnId)
      const value = { approval: { decision: "allow" } } as const
      yield* calls.answer(turn.fence, { callId: call.callId, resolution: { id: OperationId.make("op-1"), value, by: "person" } })
      assert.isTrue(yield* call.begun)
      yield* ports.end("a", resultEnd("value"))
      assert.strictEqual((yield* call.settled).outcome, "completed")
    }).pipe(Effect.scoped))

  it.live("that is delivered again is the same call, while it runs and when it is settled; nothing runs twice", () =>
    Effect.gen(function*() {
      const { calls, ports, turn } = yield* owning()
      const both = yield* Effect.all([calls.execute(turn, asked("a")), calls.execute(turn, asked("a"))], { concurrency: 2 })
      yield* ports.end("a", resultEnd("value"))
      const [first, second] = yield* Effect.all(both.map(({ settled }) => settled))
      const third = yield* calls.execute(turn, asked("a"))
      assert.deepStrictEqual([second, yield* third.settled, yield* third.begun], [first, first, true])
      assert.deepStrictEqual([...both, third].map(({ value }) => value()), ["value", "value", undefined])
      assert.deepStrictEqual(ports.ran, ["a"])
    }).pipe(Effect.scoped))
})
