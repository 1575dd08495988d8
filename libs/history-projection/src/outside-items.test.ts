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

describe("the model of an outside agent", () => {
  it("is the one it reported last, and no row of its own", () => {
    const script = admitted.tell(1, model("first")).tell(1, model("second"))
    expect(valuesOf(script)).toHaveLength(1)
    expect(valuesOf(script.settle(1)).at(-1)).toMatchObject({ kind: "turn-result", model: "second" })
  })
})
