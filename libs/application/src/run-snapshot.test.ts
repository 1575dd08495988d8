import { assert, describe, it } from "@effect/vitest"
import { IdMinter, type Interaction, OperationId, RunSnapshot, type StoredEvent, type ToolCallResponse, type UnreadableEvent } from "@steno/contracts"
import type { RunRecord } from "@steno/ledger"
import { Effect, Schema } from "effect"
import { buildSnapshot } from "./run-snapshot.ts"

const at = "2026-01-02T03:04:05.000Z"
const later = "2026-01-02T03:04:06.500Z"
const isSnapshot = Schema.is(RunSnapshot)

/** A Run whose one command runs. */
const runningRecord = Effect.gen(function*() {
  const ids = yield* IdMinter
  const runId = yield* ids.mint("run")
  const conversationId = yield* ids.mint("conv")
  const turnId = yield* ids.mint("turn")
  const callId = yield* ids.mint("call")
  const common = { conversationId, turnId, version: 1, createdAt: at }
  const events: ReadonlyArray<StoredEvent> = [
    {
      ...common,
      sequence: 1,
      type: "turn-admitted",
      payload: { input: "sleep 9", origin: "user", harness: { id: "command" } }
    },
    {
      ...common,
      sequence: 2,
      itemId: callId,
      firstSeen: 0,
      type: "tool-call-started",
      payload: { callId, origin: "user", tool: "bash", arguments: { command: "sleep 9", cwd: "/w" } }
    }
  ]
  const record: RunRecord = {
    run: {
      runId,
      kind: "once",
      workspacePath: "/w",
      harness: { id: "command" },
      state: "running",
      epoch: 1,
      owner: { bootId: "b", pid: 5, startTime: "1" },
      launchedAt: at,
      activityAt: at,
      input: "sleep 9"
    },
    sessions: [{ conversationId, runId, name: "main", availability: "open" }],
    turns: [{ turnId, conversationId, origin: "user", entry: false, admittedAt: at }],
    events,
    unfinished: [{
      callId,
      runId,
      conversationId,
      turnId,
      itemId: callId,
      firstSeen: 0,
      origin: "user",
      tool: "bash",
      state: "running",
      claim: "claim_1_x",
      startedAt: at,
      updatedAt: at
    }],
    assets: []
  }
  return { record, callId, conversationId, turnId }
})

const facts = { observedBytes: 9, storedBytes: 9, droppedBytes: 0, observedLines: 2, storedLines: 2 }

describe("a Run's snapshot", () => {
  it.effect("of a running Run shows the call's state and its owner", () =>
    Effect.gen(function*() {
      const { record } = yield* runningRecord
      const snapshot = buildSnapshot({ record, ownership: "elsewhere", home: "/home" })
      assert.isTrue(isSnapshot(snapshot))
      assert.strictEqual(snapshot.state, "running")
      assert.deepStrictEqual(snapshot.liveness, { state: "live-elsewhere", ownerPid: 5 })
      assert.strictEqual(snapshot.calls[0]?.state, "running")
      assert.notProperty(snapshot.calls[0], "outcome")
      assert.deepStrictEqual(snapshot.timeline.map((entry) => entry.event), ["turn-admitted", "tool-call-started"])
    }))

  it.effect("of an abandoned Run is halted, its call indeterminate without exit code, its Turn lost without duration", () =>
    Effect.gen(function*() {
      const { record } = yield* runningRecord
      const snapshot = buildSnapshot({ record, ownership: "abandoned", home: "/home" })
      assert.isTrue(isSnapshot(snapshot))
      assert.strictEqual(snapshot.state, "halted")
      assert.deepStrictEqual(snapshot.liveness, { state: "resting" })
      assert.strictEqual(snapshot.calls[0]?.outcome, "indeterminate")
      assert.strictEqual(snapshot.calls[0]?.reason?.code, "owner-gone")
      assert.notProperty(snapshot.calls[0], "exitCode")
      assert.notProperty(snapshot.calls[0], "state")
      assert.strictEqual(snapshot.turns[0]?.result, "lost")
      assert.notProperty(snapshot.turns[0], "durationMs")
    }))

  it.effect("of an abandoned Run whose response was stored follows that response", () =>
    Effect.gen(function*() {
      const { callId, conversationId, record, turnId } = yield* runningRecord
      const response: StoredEvent = {
        conversationId,
        sequence: 3,
        turnId,
        itemId: callId,
        firstSeen: 0,
        type: "tool-call-response",
        version: 1,
        createdAt: later,
        payload: {
          callId,
          tool: "bash",
          origin: "user",
          outcome: "completed",
          exitCode: 3,
          survivors: [],
          capture: { stdout: facts, stderr: facts, output: { ...facts, droppedBytes: 4 } },
          warnings: [],
          assetIds: []
        }
      }
      const settled = { ...record, events: [...record.events, response], unfinished: [] }
      const snapshot = buildSnapshot({ record: settled, ownership: "abandoned", home: "/home" })
      assert.isTrue(isSnapshot(snapshot))
      assert.strictEqual(snapshot.state, "failed")
      assert.strictEqual(snapshot.turns[0]?.result, "failed")
      assert.strictEqual(snapshot.calls[0]?.exitCode, 3)
      assert.deepStrictEqual(snapshot.calls[0]?.output, { lines: 2, bytes: 9, droppedBytes: 4 })
    }))

  it.effect("carries why a call failed, who outlived it and what went wrong beside; nothing when there is nothing", () =>
    Effect.gen(function*() {
      const { callId, conversationId, record, turnId } = yield* runningRecord
      const callOf = (changes: Partial<ToolCallResponse>) => {
        const response: StoredEvent = {
          conversationId,
          sequence: 3,
          turnId,
          itemId: callId,
          firstSeen: 0,
          type: "tool-call-response",
          version: 1,
          createdAt: later,
          payload: { callId, tool: "bash", origin: "user", outcome: "failed", survivors: [], warnings: [], assetIds: [], ...changes }
        }
        const settled = { ...record, events: [...record.events, response], unfinished: [] }
        const snapshot = buildSnapshot({ record: settled, ownership: "resting", home: "/home" })
        assert.isTrue(isSnapshot(snapshot))
        return snapshot.calls[0]
      }
      const told = {
        reason: { code: "could-not-start", text: "No bash." },
        survivors: [{ pid: 7, command: "sleep 60" }],
        warnings: [{ code: "w", text: "A file is missing." }]
      }
      assert.deepInclude(callOf(told), told)
      assert.doesNotHaveAnyKeys(callOf({}), Object.keys(told))
    }))

  it.effect("shows what cannot be read, and says of a settled call without a readable response that its end is not known", () =>
    Effect.gen(function*() {
      const { callId, conversationId, record, turnId } = yield* runningRecord
      const unreadable: UnreadableEvent = {
        type: "unreadable",
        conversationId,
        sequence: 3,
        turnId,
        itemId: callId,
        firstSeen: 0,
        createdAt: later,
        reason: "shape-unknown",
        storedType: "tool-call-response",
        storedVersion: 1,
        text: "{}",
        sizeBytes: 2
      }
      const settled = { ...record, events: [...record.events, unreadable], unfinished: [] }
      for (const ownership of ["abandoned", "resting"] as const) {
        const snapshot = buildSnapshot({ record: settled, ownership, home: "/home" })
        assert.isTrue(isSnapshot(snapshot))
        assert.strictEqual(snapshot.calls[0]?.input, "sleep 9")
        assert.strictEqual(snapshot.calls[0]?.outcome, "indeterminate")
        assert.strictEqual(snapshot.calls[0]?.reason?.code, "response-unreadable")
        assert.deepStrictEqual(snapshot.unreadable, [{
          session: "main",
          sequence: 3,
          reason: "shape-unknown",
          storedType: "tool-call-response",
          storedVersion: 1,
          turnId,
          at: later,
          text: "{}",
          sizeBytes: 2
        }])
        assert.deepStrictEqual(snapshot.timeline.at(-1), { at: later, event: "tool-call-settled", unreadable: true, turnId })
      }
      assert.strictEqual(buildSnapshot({ record: settled, ownership: "abandoned", home: "/home" }).state, "halted")
      const row = buildSnapshot({ record: { ...settled, unfinished: record.unfinished }, ownership: "here", home: "/home" })
      assert.strictEqual(row.calls[0]?.state, "running")
      const lost = { ...record, events: [...record.events, { type: "unreadable" as const, conversationId, sequence: 3, reason: "lost" as const }] }
      assert.lengthOf(buildSnapshot({ record: lost, ownership: "here", home: "/home" }).timeline, 2)
    }))

  it.effect("lists a call whose start cannot be read, by its row or its response, in the place of its start", () =>
    Effect.gen(function*() {
      const { callId, conversationId, record, turnId } = yield* runningRecord
      const [admission] = record.events
      if (admission === undefined) return assert.fail("no admission")
      const start: UnreadableEvent = {
        type: "unreadable", conversationId, sequence: 2, turnId, itemId: callId, firstSeen: 0, reason: "not-json", storedType: "tool-call-started"
      }
      const snapshot = buildSnapshot({ record: { ...record, events: [admission, start] }, ownership: "here", home: "/home" })
      assert.isTrue(isSnapshot(snapshot))
      assert.deepInclude(snapshot.calls[0], { callId, ordinal: 1, tool: "bash", input: "", inputUnreadable: true, state: "running" })
      const other = (yield* runningRecord).callId
      const common = { conversationId, turnId, version: 1, createdAt: at }
      const events: RunRecord["events"] = [
        admission,
        start,
        { ...common, sequence: 3, itemId: other, firstSeen: 1, type: "tool-call-started", payload: { callId: other, origin: "user", tool: "bash", arguments: { command: "true", cwd: "/" } } },
        { ...common, sequence: 4, itemId: callId, firstSeen: 0, type: "tool-call-response", payload: { callId, tool: "bash", origin: "user", outcome: "completed", exitCode: 0, survivors: [], warnings: [], assetIds: [] } }
      ]
      const both = buildSnapshot({ record: { ...record, events, unfinished: [] }, ownership: "resting", home: "/home" })
      assert.deepStrictEqual(both.calls.map((call) => [call.callId, call.outcome]), [[callId, "completed"], [other, "indeterminate"]])
    }))

  it.effect("keeps the order of the log when the clock stepped back in between", () =>
    Effect.gen(function*() {
      const { record } = yield* runningRecord
      const earlier = record.events.map((event, index) => index === 1 ? { ...event, createdAt: "2026-01-02T03:04:04.000Z" } : event)
      const snapshot = buildSnapshot({ record: { ...record, events: earlier }, ownership: "here", home: "/home" })
      assert.deepStrictEqual(snapshot.timeline.map((entry) => entry.event), ["turn-admitted", "tool-call-started"])
    }))

  it.effect("gives a settled Turn the time between its admission and its end", () =>
    Effect.gen(function*() {
      const { record } = yield* runningRecord
      const [turn] = record.turns
      if (turn === undefined) return assert.fail("no Turn")
      const settled = { ...record, turns: [{ ...turn, result: "completed" as const, settledAt: later }] }
      const snapshot = buildSnapshot({ record: settled, ownership: "resting", home: "/home" })
      assert.strictEqual(snapshot.turns[0]?.durationMs, 1_500)
    }))

  it.effect("of a Turn of a model tells each block of a message, lists its calls and what they ask of a person", () =>
    Effect.gen(function*() {
      const { callId, conversationId, record, turnId } = yield* runningRecord
      const [admitted] = record.events
      const [row] = record.unfinished
      if (admitted?.type !== "turn-admitted" || row === undefined) return assert.fail("no Turn or no call")
      const ids = yield* IdMinter
      const [grep, broken] = [yield* ids.mint("call"), yield* ids.mint("call")]
      const block = (firstSeen: number) => ({ itemId: `item-${firstSeen}`, firstSeen })
      const message: StoredEvent = {
        conversationId,
        sequence: 2,
        turnId,
        itemId: "message",
        firstSeen: 0,
        type: "assistant-message",
        version: 1,
        createdAt: later,
        payload: {
          model: "model-1",
          blocks: [
            { type: "reasoning-summary", ...block(0), content: "Think." },
            { type: "text", ...block(1), content: "Look." },
            { type: "call", ...block(2), callId, tool: "bash", arguments: { command: "git push", cwd: "/w" } },
            { type: "call", ...block(3), callId: grep, tool: "grep", arguments: { pattern: "x", path: "/w" } },
            { type: "call", ...block(4), callId: broken, tool: "ask_user", arguments: { questions: [] } }
          ]
        }
      }
      const segments = [{ text: "git push", decision: "approval" as const, layer: "default" as const, reason: "No rule." }]
      const question = { id: "q", prompt: "Which?", options: [{ id: "a", label: "A" }] }
      const questions = [question, { ...question, id: "r" }]
      const resolution = { id: OperationId.make("op-1"), value: { dismissed: true as const }, by: "person" as const, at: later }
      const waiting = (open: typeof callId, state: typeof row.state, interaction: Interaction): typeof row =>
        ({ ...row, callId: open, state, interactions: [interaction] })
      const asking: RunRecord = {
        ...record,
        run: { ...record.run, harness: { id: "hosted" } },
        events: [{ ...admitted, payload: { ...admitted.payload, requestedModel: "model" } }, message],
        unfinished: [
          waiting(callId, "awaiting_approval", { request: { kind: "approval", reason: "No rule.", segments, suggestedRules: [] }, raisedAt: later }),
          waiting(broken, "awaiting_input", { request: { kind: "user-input", questions }, raisedAt: later, resolution }),
          waiting(grep, "running", { request: { kind: "user-input", questions: [question] } })
        ]
      }
      const snapshot = buildSnapshot({ record: asking, ownership: "here", home: "/home" })
      assert.isTrue(isSnapshot(snapshot))
      assert.deepInclude(snapshot, { requestedModel: "model", effectiveModel: "model-1" })
      assert.deepStrictEqual(snapshot.timeline.map(({ detail, event }) => [event, detail]), [
        ["turn-admitted", undefined],
        ["thought", undefined],
        ["assistant-content", undefined],
        ["tool-call-started", "bash"],
        ["tool-call-started", "grep"],
        ["tool-call-started", "ask_user"],
        ["request-raised", "approval"],
        ["request-raised", "question"],
        ["request-answered", "dismissed"]
      ])
      assert.deepStrictEqual(
        snapshot.actionOffers.filter(({ available }) => available).map(({ operation, requestId }) => [operation, requestId]),
        [["answer", callId], ["steer", undefined], ["interrupt", undefined], ["cancel", undefined]]
      )
      assert.deepStrictEqual(snapshot.calls.map(({ input, ordinal, state, tool }) => [ordinal, tool, input, state]), [
        [1, "bash", "git push", "awaiting_approval"],
        [2, "grep", "x", "running"],
        [3, "ask_user", `{"questions":[]}`, "awaiting_input"]
      ])
      assert.deepStrictEqual(snapshot.pending, [
        {
          kind: "approval",
          reason: "No rule.",
          options: ["allow", "deny"],
          segments,
          suggestedRules: [],
          callId,
          session: "main",
          turnId,
          tool: "bash",
          input: "git push"
        },
        {
          kind: "question",
          reason: "Which?",
          questions,
          callId: broken,
          session: "main",
          turnId,
          tool: "ask_user",
          input: `{"questions":[]}`,
          answered: true
        }
      ])
      const only = waiting(callId, "awaiting_input", { request: { kind: "user-input", questions: [question] } })
      const [single] = buildSnapshot({ record: { ...asking, unfinished: [only] }, ownership: "here", home: "/home" }).pending
      assert.deepStrictEqual(single?.options, ["a"])
    }))
})
