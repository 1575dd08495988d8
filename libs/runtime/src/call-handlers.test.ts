import { assert, describe, it } from "@effect/vitest"
import { type AgentCallReply, IdMinter, type StartInput, type UnfinishedCall, type UserInputAnswer } from "@steno/contracts"
import { ToolCallService } from "@steno/tool-call-service"
import { Effect } from "effect"
import { mkdirSync, readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { admitHostedRun, awaited, onCore } from "./testing/model-calls.ts"

const asked = {
  questions: [
    { id: "colour", header: "Colour", prompt: "Which?", options: [{ label: "red", description: "warm" }, { label: "blue" }], multiSelect: true },
    { id: "name", prompt: "What name?", options: [], allowText: true }
  ]
}

const answering = (value: UserInputAnswer) =>
  onCore(({ workspace }) =>
    Effect.gen(function*() {
      const run = yield* admitHostedRun(workspace, "allow")
      const step = yield* run.propose(["ask_user", asked])
      const [row] = yield* awaited(run)
      const calls = yield* ToolCallService
      const id = yield* (yield* IdMinter).mint("op")
      if (row !== undefined) yield* calls.answer(run.turn.fence, { callId: row.callId, resolution: { id, value, by: "person" } })
      const [response] = yield* step.settled
      return { request: row?.interactions?.[0]?.request, response }
    }))

describe("a question of a model", () => {
  it.live("is asked with numbered options and answered with their labels, by question", () =>
    Effect.gen(function*() {
      const { request, response } = yield* answering({ answers: { colour: { options: ["1", "2"] }, name: { options: [], text: "Ada" } } })
      assert.deepStrictEqual(request, {
        kind: "user-input",
        questions: [
          {
            id: "colour",
            prompt: "Which?",
            header: "Colour",
            options: [{ id: "1", label: "red", description: "warm" }, { id: "2", label: "blue" }],
            multiSelect: true
          },
          { id: "name", prompt: "What name?", options: [], allowText: true }
        ]
      })
      assert.deepStrictEqual([response?.outcome, response?.agentProjection], ["completed", "Colour: red, blue\nname: Ada"])
      assert.strictEqual(response?.interactions?.[0]?.resolution?.by, "person")
    }))

  it.live("that is dismissed says so", () =>
    Effect.gen(function*() {
      const { response } = yield* answering({ dismissed: true })
      assert.strictEqual(response?.outcome, "completed")
      assert.include(response?.agentProjection, "dismissed")
    }))
})

describe("an Agent call", () => {
  it.live.each<[NonNullable<StartInput["agentCalls"]>, string, string, AgentCallReply | undefined]>([
    ["accept", "completed", "Accepted", "accepted"],
    ["review", "completed", "Held for review", "held-for-review"],
    ["off", "failed", "only the person ends it", undefined]
  ])("of a Run that was started with agentCalls %s is %s: %s", ([agentCalls, outcome, words, reply]) =>
    onCore(({ workspace }) =>
      Effect.gen(function*() {
        const { one } = yield* admitHostedRun(workspace, "deny", { agentCalls })
        for (const tool of ["run_done", "run_failed"]) {
          const response = yield* one(tool, { reason: "because" })
          assert.deepStrictEqual([response.outcome, response.agentCallReply], [outcome, reply])
          assert.include(response.agentProjection, words)
        }
      })))
})

describe("a call whose owner was killed", () => {
  it.live("leaves no file beside the one that it was writing, and says that it may have taken effect", () =>
    onCore(({ workspace }) =>
      Effect.gen(function*() {
        const { turn } = yield* admitHostedRun(workspace)
        const callId = yield* (yield* IdMinter).mint("call")
        const row: UnfinishedCall = {
          callId,
          runId: turn.fence.runId,
          conversationId: turn.conversationId,
          turnId: turn.turnId,
          itemId: "item",
          firstSeen: 1,
          origin: "model",
          tool: "write",
          state: "running",
          updatedAt: "2026-01-01T00:00:00.000Z"
        }
        mkdirSync(join(workspace, "d"))
        for (const name of [`.steno-${callId}.tmp`, "f"]) writeFileSync(join(workspace, "d", name), "half")
        const calls = yield* ToolCallService
        const [ended] = yield* calls.prepareAbandoned([{ row, arguments: { path: "d/f", content: "whole" } }])
        assert.deepStrictEqual(readdirSync(join(workspace, "d")), ["f"])
        assert.deepStrictEqual([ended?.response.outcome, ended?.response.capture, ended?.response.retainedOutput], ["indeterminate", undefined, undefined])
        assert.include(ended?.response.agentProjection, "d/f")
      })))
})
