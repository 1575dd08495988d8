import { RequestId } from "@steno/contracts"
import { describe, expect, it } from "vitest"
import { buildHistory, newestRows } from "./history-index.ts"
import { historyIds, type OutsideFact, type SessionScript, sessionScript } from "./testing.ts"
import { transcriptContents } from "./transcript.ts"

const valuesOf = ({ conversationId, events }: SessionScript) =>
  newestRows(buildHistory(events), conversationId).rows.map(({ value }) => value)
const contentsOf = ({ conversationId, events }: SessionScript) =>
  transcriptContents(buildHistory(events), { runId: historyIds.run(1), conversationId, name: "main" }).entries.map(({ content }) => content)

const admitted = sessionScript(1).admit(1, { harness: { id: "codex" }, requestedModel: "asked" })
const text = (messageId: string, content: string, more: { readonly incomplete?: true; readonly parentItemId?: string } = {}): OutsideFact =>
  ({ type: "assistant-content", payload: { messageId, content, ...more } })
const thought = (summaryId: string, content: string): OutsideFact => ({ type: "thought", payload: { summaryId, content } })
const model = (name: string): OutsideFact => ({ type: "model", payload: { model: name } })

describe("what an outside agent says", () => {
  it("is a row per text and per Thought, by first appearance; texts are conversation, Thoughts are not", () => {
    const script = admitted.tell(1, text("item-1", "Second."), 1).tell(1, thought("item-0", "First."), 0)
    expect(valuesOf(script)).toEqual([
      { kind: "message", role: "user", content: "input of 1" },
      { kind: "thought", content: "First." },
      { kind: "message", role: "assistant", content: "Second." }
    ])
    expect(contentsOf(script)).toEqual(["input of 1", "Second."])
  })

  it("counts once, as it was stored first; a text and a Thought of one item id are two", () => {
    const script = admitted
      .tell(1, text("item-0", "kept"), 0)
      .tell(1, text("item-0", "late"), 0)
      .tell(1, thought("item-0", "beside"), 0)
    expect(valuesOf(script).slice(1).map((value) => "content" in value ? value.content : undefined).toSorted()).toEqual(["beside", "kept"])
  })

  it("under a call of its own is no row and no conversation; a blank Thought is no row", () => {
    const script = admitted.tell(1, text("item-0", "inner", { parentItemId: "item-9" }), 0).tell(1, thought("item-1", " "), 1)
    expect(valuesOf(script)).toHaveLength(1)
    expect(contentsOf(script)).toEqual(["input of 1"])
  })

  it("that its Turn ended in the middle of is incomplete", () => {
    const script = admitted.tell(1, text("item-0", "I beg", { incomplete: true }), 0).settle(1, { result: "lost" })
    expect(valuesOf(script)[1]).toEqual({ kind: "message", role: "assistant", content: "I beg", incomplete: true })
  })
})

describe("what an outside agent asks", () => {
  const requestId = RequestId.make(`req_${"0".repeat(26)}`)
  const decision = { id: "a", kind: "option", label: "A" } as const
  const raised: OutsideFact = { type: "request-raised", payload: { requestId, kind: "clarification", description: "Which?", decisions: [decision] } }
  const answered: OutsideFact = { type: "request-answered", payload: { requestId, decision, by: "person" } }
  const expired: OutsideFact = { type: "request-expired", payload: { requestId } }
  const asked = admitted.tell(1, raised, 3)

  it("is one row, open until it is answered or its Turn ends, and no conversation", () => {
    const row = { kind: "request", description: "Which?" }
    expect(valuesOf(asked)[1]).toEqual({ ...row, state: "open" })
    expect(valuesOf(asked.tell(1, answered, 3)).slice(1)).toEqual([{ ...row, state: "answered" }])
    expect(valuesOf(asked.tell(1, expired, 3)).slice(1)).toEqual([{ ...row, state: "expired" }])
    expect(valuesOf(asked.settle(1, { result: "lost" }))[1]).toEqual({ ...row, state: "expired" })
    expect(contentsOf(asked)).toEqual(["input of 1"])
  })

  it("is declined where Steno gives no such thing", () => {
    const script = admitted.tell(1, { type: "elicitation-declined", payload: { message: "Sign in" } }, 0)
    expect(valuesOf(script)[1]).toEqual({ kind: "request", description: "Sign in", state: "declined" })
  })
})

describe("a call of an outside agent for control of its Run", () => {
  const id = RequestId.make(`req_${"1".repeat(26)}`)
  const payload = { id, call: "run_failed", reason: "No compiler." } as const
  const asked = admitted.tell(1, { type: "agent-call", payload }, 2)
  const replied = asked.tell(1, { type: "agent-call", payload: { ...payload, reply: "accepted" } }, 2)
  const row = { kind: "agent-call", call: "run_failed", reason: "No compiler." }

  it("is one row with its reply, applied by a Turn that completed", () => {
    expect(valuesOf(asked)[1]).toEqual({ ...row, disposition: "pending" })
    expect(valuesOf(replied).slice(1)).toEqual([{ ...row, reply: "accepted", disposition: "pending" }])
    expect(valuesOf(replied.settle(1))[1]).toEqual({ ...row, reply: "accepted", disposition: "applied" })
    expect(valuesOf(replied.settle(1, { result: "lost" }))[1]).toEqual({ ...row, reply: "accepted", disposition: "not-applied" })
  })

  it("that was refused, or expired, is applied by no Turn", () => {
    const refused = { reply: "refused", refusal: "This Run takes no such call." } as const
    expect(valuesOf(asked.tell(1, { type: "agent-call", payload: { ...payload, ...refused } }, 2))[1]).toEqual({ ...row, ...refused, disposition: "not-applied" })
    const expired = asked.tell(1, { type: "agent-call-expired", payload: { id } })
    expect(valuesOf(expired).slice(1)).toEqual([{ ...row, disposition: "pending" }])
    expect(valuesOf(expired.settle(1))[1]).toEqual({ ...row, disposition: "not-applied" })
  })
})

describe("the model of an outside agent", () => {
  it("is the one it reported last, and no row of its own", () => {
    const script = admitted.tell(1, model("first")).tell(1, model("second"))
    expect(valuesOf(script)).toHaveLength(1)
    expect(valuesOf(script.settle(1)).at(-1)).toMatchObject({ kind: "turn-result", model: "second" })
  })
})
