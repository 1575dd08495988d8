import type { MessageBlock, ToolCallResponse, TurnResultKind } from "@steno/contracts"
import { describe, expect, it } from "vitest"
import { buildHistory, newestRows } from "./history-index.ts"
import { historyIds, type SessionScript, sessionScript } from "./testing.ts"

const asked = (call: number, tool: "run_done" | "run_failed" | "bash" = "run_done"): MessageBlock => ({
  type: "call", itemId: `item-${call}`, firstSeen: call, callId: historyIds.call(call), tool, arguments: { reason: `because ${call}` }
})

const begun = sessionScript(1).admit(1, { harness: { id: "hosted" } })

const ended = (script: SessionScript, call: number, response: Partial<ToolCallResponse> = { agentCallReply: "accepted" }) =>
  script.end({ turn: 1, call, itemId: `item-${call}`, firstSeen: call }, { tool: "run_done", origin: "model", ...response })

/** The rows of Agent calls, and how many of tools stand beside them. */
const rowsOf = ({ conversationId, events }: SessionScript) => {
  const values = newestRows(buildHistory(events), conversationId).rows.map(({ value }) => value)
  return { agentCalls: values.filter(({ kind }) => kind === "agent-call"), tools: values.filter(({ kind }) => kind === "tool").length }
}

const row = (call: number, more: object) => ({ kind: "agent-call", call: "run_done", reason: `because ${call}`, ...more })

describe("the row of an Agent call", () => {
  it("is the only one of it, from its message on, and stands in no transcript", () => {
    const script = begun.say(1, [asked(1), asked(2, "bash")])
    expect(rowsOf(script)).toEqual({ agentCalls: [row(1, { disposition: "pending" })], tools: 1 })
    expect(rowsOf(ended(script, 1))).toEqual({ agentCalls: [row(1, { reply: "accepted", disposition: "pending" })], tools: 1 })
  })

  it.each<[TurnResultKind, string]>([
    ["completed", "applied"], ["failed", "not-applied"], ["interrupted", "not-applied"], ["lost", "not-applied"]
  ])("is applied only by a Turn that completed: %s, %s", (result, disposition) => {
    const script = ended(begun.say(1, [asked(1)]), 1).settle(1, { result })
    expect(rowsOf(script).agentCalls).toEqual([row(1, { reply: "accepted", disposition })])
  })

  it("is applied only of the latest call that was taken, whatever was refused after it", () => {
    const script = ended(ended(ended(begun.say(1, [asked(1), asked(2), asked(3)]), 2), 1), 3, {
      outcome: "failed", reason: { code: "invalid-arguments", text: "too long" }
    })
    expect(rowsOf(script.settle(1)).agentCalls).toEqual([
      row(1, { reply: "accepted", disposition: "applied" }),
      row(2, { reply: "accepted", disposition: "not-applied" }),
      row(3, { reply: "refused", refusal: "too long", disposition: "not-applied" })
    ])
  })

  it("that is held waits for a person when its Turn has completed, and is dropped with any other", () => {
    const held = ended(begun.say(1, [asked(1)]), 1, { agentCallReply: "held-for-review" })
    expect(rowsOf(held.settle(1)).agentCalls).toEqual([row(1, { reply: "held-for-review", disposition: "pending" })])
    expect(rowsOf(held.settle(1, { result: "failed" })).agentCalls).toEqual([row(1, { reply: "held-for-review", disposition: "not-applied" })])
  })

  it("is the same in whichever order its facts are applied, and needs no message that can be read", () => {
    const script = ended(begun.say(1, [asked(1)]), 1).settle(1)
    const backwards = buildHistory(script.events.toReversed())
    expect(newestRows(backwards, script.conversationId)).toEqual(newestRows(buildHistory(script.events), script.conversationId))
    expect(rowsOf(script.damage(2)).agentCalls).toEqual([{ kind: "agent-call", call: "run_done", reason: "", reply: "accepted", disposition: "applied" }])
  })
})
