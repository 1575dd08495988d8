import type { MessageBlock, TurnResultKind } from "@steno/contracts"
import { describe, expect, it } from "vitest"
import { buildHistory, newestRows } from "./history-index.ts"
import { historyIds, type SessionScript, sessionScript } from "./testing.ts"
import { transcriptContents } from "./transcript.ts"

const valuesOf = ({ conversationId, events }: SessionScript) =>
  newestRows(buildHistory(events), conversationId).rows.map(({ value }) => value)
const entriesOf = (script: SessionScript) =>
  transcriptContents(buildHistory(script.events), {
    runId: historyIds.run(1),
    conversationId: script.conversationId,
    name: "main"
  }).entries

const at = (firstSeen: number) => ({ itemId: `item-${firstSeen}`, firstSeen })
const text = (firstSeen: number, content: string): MessageBlock => ({ type: "text", ...at(firstSeen), content })
const thought = (firstSeen: number, content: string): MessageBlock => ({ type: "reasoning-summary", ...at(firstSeen), content })
const asks = (firstSeen: number, args: { readonly [key: string]: string }, tool = "bash"): MessageBlock =>
  ({ type: "call", ...at(firstSeen), callId: historyIds.call(firstSeen), tool, arguments: args })

const admitted = sessionScript(1).admit(1, { harness: { id: "hosted" }, requestedModel: "asked" })

describe("a message of a model", () => {
  it("gives a row per text, per Thought and per call, in order of first appearance; a blank Thought gives none", () => {
    const script = admitted
      .say(1, [thought(0, "hm"), thought(1, " "), text(2, "I look."), asks(3, { command: "ls", cwd: "/w" })])
      .end({ turn: 1, call: 3, firstSeen: 3, itemId: "item-3" }, { origin: "model", exitCode: 0 })
      .say(1, [text(4, "Done.")], "answered")
    expect(valuesOf(script)).toEqual([
      { kind: "message", role: "user", content: "input of 1" },
      { kind: "thought", content: "hm" },
      { kind: "message", role: "assistant", content: "I look." },
      { kind: "tool", callId: historyIds.call(3), tool: "bash", input: "ls", cwd: "/w", outcome: "completed", exitCode: 0 },
      { kind: "message", role: "assistant", content: "Done." }
    ])
    expect(valuesOf(script.settle(1)).at(-1)).toMatchObject({ kind: "turn-result", model: "answered" })
    expect(valuesOf(admitted.settle(1)).at(-1)).toMatchObject({ kind: "turn-result", model: "asked" })
  })

  it("leaves a text that appeared before a call before it, though it is stored later", () => {
    const script = admitted.say(1, [asks(2, { path: "a" }, "read")]).say(1, [text(1, "first")])
    expect(valuesOf(script).map(({ kind }) => kind)).toEqual(["message", "message", "tool"])
    expect(entriesOf(script).map(({ content }) => content)).toEqual(["input of 1", "first"])
  })

  it("that its Turn ended in the middle of is incomplete, in the row and in the transcript", () => {
    const script = admitted.say(1, [{ type: "text", ...at(0), content: "I beg", incomplete: true }]).settle(1, { result: "failed" })
    expect(valuesOf(script)[1]).toEqual({ kind: "message", role: "assistant", content: "I beg", incomplete: true })
    expect(entriesOf(script)[1]).toEqual({
      session: "main", role: "assistant", content: "I beg", kind: "message", turn: historyIds.turn(1), incomplete: true
    })
  })

  it("says of a call that has no response neither that it runs nor how it ended, until its Turn is settled", () => {
    const open = admitted.say(1, [asks(0, { command: "ls" })])
    expect(valuesOf(open)[1]).toEqual({ kind: "tool", callId: historyIds.call(0), tool: "bash", input: "ls" })
    expect(valuesOf(open.settle(1, { result: "lost" }))[1]).toMatchObject({ outcome: "indeterminate" })
  })
})

describe("a Steer", () => {
  const sent = admitted.steer({ turn: 1, steer: 1, firstSeen: 0 }, { state: "waiting" })
  const deliveryOf = (script: SessionScript) =>
    valuesOf(script).flatMap((value) => value.kind === "steer" ? [value.delivery] : [])

  it.each<readonly [TurnResultKind, string]>([
    ["completed", "unconfirmed"],
    ["failed", "unconfirmed"],
    ["lost", "unconfirmed"],
    ["interrupted", "not-delivered"]
  ])("that waits when its Turn ends %s is %s", (result, delivery) => {
    expect(deliveryOf(sent)).toEqual(["waiting"])
    expect(deliveryOf(sent.settle(1, { result }))).toEqual([delivery])
  })

  it("is what was said of its delivery, whatever came of the Turn and whatever is said later", () => {
    const delivered = sent.steer({ turn: 1, steer: 1 }, { state: "delivered", delivery: "after-boundary" })
    for (const script of [
      delivered,
      delivered.settle(1, { result: "interrupted" }),
      delivered.steer({ turn: 1, steer: 1 }, { state: "waiting" }),
      delivered.steer({ turn: 1, steer: 1 }, { state: "dropped", cause: "loss" })
    ]) expect(deliveryOf(script)).toEqual(["after-boundary"])
    expect(deliveryOf(sent.steer({ turn: 1, steer: 1 }, { state: "dropped", cause: "interrupt" }).settle(1))).toEqual(["not-delivered"])
  })

  it("is in the transcript once it was delivered, where it was sent", () => {
    const script = sent.say(1, [text(1, "answer")])
    expect(entriesOf(script).map(({ content }) => content)).toEqual(["input of 1", "answer"])
    expect(entriesOf(script.steer({ turn: 1, steer: 1 }, { state: "delivered", delivery: "within-turn" }))).toEqual([
      expect.objectContaining({ content: "input of 1" }),
      {
        session: "main", role: "user", content: "steer 1", kind: "steer", turn: historyIds.turn(1),
        steer: { id: historyIds.steer(1), delivery: "within-turn" }
      },
      expect.objectContaining({ content: "answer" })
    ])
  })
})

describe("the diff of a Turn", () => {
  it("is one row, the first one stored, and not in the transcript", () => {
    const script = admitted.diff(1, { content: "+a", files: [{ path: "a", additions: 1 }] }).diff(1, { content: "+b" })
    expect(valuesOf(script).slice(1)).toEqual([{ kind: "turn-diff", content: "+a", files: [{ path: "a", additions: 1 }] }])
    expect(entriesOf(script)).toHaveLength(1)
  })
})
