import { describe, expect, it } from "vitest"
import { ItemId } from "./item-id.ts"
import { noSecrets } from "./safe-text.ts"
import { TurnCore } from "./turn-core.ts"
import type { TurnReport } from "./turn-report.ts"

const id = (text: string) => ItemId.make(text)
const itemId = id("c1")

const play = (...reports: ReadonlyArray<TurnReport>) => {
  const core = new TurnCore(noSecrets)
  const outputs = [...reports.flatMap((report) => core.apply(report)), ...core.end(false)]
  return {
    events: outputs.flatMap((output) => (output.kind === "event" ? [output.event] : [])),
    sinks: outputs.flatMap((output) => (output.kind === "sink" ? [output.action] : [])),
    ignored: outputs.flatMap((output) => (output.kind === "ignored" ? [output.code] : [])),
    forgotten: outputs.flatMap((output) => (output.kind === "forget" ? [output.slot] : []))
  }
}

const completed = { outcome: "completed" } as const

describe("a call", () => {
  it("keeps fields that are not repeated", () => {
    const { events } = play(
      { type: "call-started", call: { itemId, tool: "command", input: "make", cwd: "/w" } },
      { type: "call-updated", call: { itemId, count: { value: 0, unit: "lines" } }, outputDelta: "a" },
      { type: "call-ended", call: { itemId, exitCode: 0 }, ending: completed }
    )
    expect(events.map(({ type }) => type)).toEqual(["tool-call-started", "tool-preview", "tool-call-ended"])
    expect(events.at(-1)).toEqual({
      type: "tool-call-ended",
      ending: completed,
      call: {
        itemId, tool: "command", input: "make", cwd: "/w", exitCode: 0,
        count: { value: 0, unit: "lines" },
        output: { text: "a", incomplete: true }
      }
    })
  })

  it("that is only ended gets a start first; one that ended takes nothing more", () => {
    const { events, ignored } = play(
      { type: "call-ended", call: { itemId, tool: "read", input: "f" }, ending: completed },
      { type: "call-started", call: { itemId } },
      { type: "call-ended", call: { itemId }, ending: { outcome: "failed" } }
    )
    expect(events.map(({ type }) => type)).toEqual(["tool-call-started", "tool-call-ended"])
    expect(ignored).toEqual(["repeated-report", "repeated-report"])
  })

  it.each([
    ["supplied and empty", { output: "" }, { text: "" }],
    ["not supplied", {}, { text: "live", incomplete: true }],
    ["null", { output: null }, { text: "live", incomplete: true }],
    ["no text", { output: 7 }, { text: "live", incomplete: true }]
  ])("whose final output is %s shows it so", (_, supplied, output) => {
    const { events } = play(
      { type: "call-updated", call: { itemId }, outputDelta: "live" },
      { type: "call-ended", call: { itemId }, ending: completed, ...supplied as { readonly output?: string } }
    )
    expect(events.at(-1)).toMatchObject({ call: { output } })
  })

  it("without any output has none", () => {
    expect(play({ type: "call-ended", call: { itemId }, ending: completed }).events.at(-1)).not.toHaveProperty("call.output")
  })

  it("loses malformed fields alone", () => {
    const malformed = {
      itemId, tool: "command", input: "make", exitCode: 1.5, cwd: 3, count: { value: -1, unit: "x" }, nativeOmission: "cut",
      files: [{ path: "" }, { path: "a", additions: -1, removals: 2, patch: [] }, "b", { path: "c", kind: "renamed" }]
    }
    expect(play({ type: "call-started", call: malformed as never }).events).toEqual([{
      type: "tool-call-started",
      call: {
        itemId, tool: "command", input: "make", nativeOmission: "cut",
        files: [{ path: "a", removals: 2, patch: [] }, { path: "c" }]
      }
    }])
  })

  it("may name a parent that is seen later", () => {
    const { events } = play(
      { type: "call-started", call: { itemId: id("child"), parentItemId: id("parent") } },
      { type: "call-started", call: { itemId: id("parent") } }
    )
    expect(events.map((event) => "call" in event && event.call.itemId)).toEqual(["child", "parent"])
  })

  it("of a command with an exit code is completed, whatever the harness calls it; other calls and denials stay", () => {
    const ended = (tool: "command" | "read", exitCode: number | undefined, outcome: "failed" | "denied") =>
      play({
        type: "call-ended",
        call: { itemId, tool, ...(exitCode === undefined ? {} : { exitCode }) },
        ending: { outcome }
      }).events.at(-1)
    expect(ended("command", 3, "failed")).toMatchObject({ ending: completed, call: { exitCode: 3 } })
    expect(ended("command", undefined, "failed")).toMatchObject({ ending: { outcome: "failed" } })
    expect(ended("read", 3, "failed")).toMatchObject({ ending: { outcome: "failed" } })
    expect(ended("command", 3, "denied")).toMatchObject({ ending: { outcome: "denied" } })
  })

  it("sends its whole output to its sink and closes it before the end is told, or with the Turn", () => {
    const updated = (output: string): TurnReport => ({ type: "call-updated", call: { itemId }, output })
    const ended: TurnReport = { type: "call-ended", call: { itemId }, ending: completed }
    expect(play(updated("a"), updated("ab"), updated("ab"), updated("x"), ended).sinks).toEqual([
      { kind: "replace", text: "a" },
      { kind: "append", text: "b" },
      { kind: "replace", text: "x" },
      { kind: "close" }
    ])
    expect(play(updated("a")).sinks.at(-1)).toEqual({ kind: "close" })
    expect(play(ended).sinks).toEqual([])
  })

  it("that Steno runs itself is not told again; one that was told before goes on", () => {
    const core = new TurnCore(noSecrets)
    core.join(itemId)
    expect(core.apply({ type: "call-started", call: { itemId } })).toEqual([])
    const other = id("c2")
    core.apply({ type: "call-started", call: { itemId: other } })
    core.join(other)
    expect(core.apply({ type: "call-ended", call: { itemId: other }, ending: completed })).toHaveLength(1)
  })
})

describe("texts", () => {
  const summaryId = id("t1")
  const messageId = id("m1")

  it("a blank Thought is nothing, unless it was shown before", () => {
    expect(play({ type: "thought", summaryId, content: " \n" }).events).toEqual([])
    expect(play({ type: "thought-delta", summaryId, delta: " " }).events).toEqual([])
    const { events } = play({ type: "thought-preview", summaryId, content: "hm" }, { type: "thought", summaryId, content: "" })
    expect(events.at(-1)).toEqual({ type: "thought", summaryId, content: "" })
  })

  it("a Thought's duration is kept only where it is one", () => {
    const durations = [5, -1, Number.NaN].map((durationMs) =>
      play({ type: "thought", summaryId, content: "x", durationMs }).events[0])
    expect(durations.map((event) => event !== undefined && "durationMs" in event)).toEqual([true, false, false])
  })

  it("an empty final message is a message", () => {
    expect(play({ type: "message", messageId, content: "" }).events).toEqual([
      { type: "assistant-content", messageId, content: "" }
    ])
  })

  it("pieces add up to the whole so far, also after a preview replaced it", () => {
    const { events } = play(
      { type: "message-delta", messageId, delta: "a", parentItemId: itemId },
      { type: "message-preview", messageId, content: "xy" },
      { type: "message-delta", messageId, delta: "z" }
    )
    expect(events).toEqual([
      ...["a", "xy", "xyz"].map((content) => ({ type: "message-preview", messageId, content, parentItemId: itemId })),
      { type: "assistant-content", messageId, content: "xyz", incomplete: true, parentItemId: itemId }
    ])
  })

  it("a piece that ends in half a character shows it when the other half came", () => {
    const { events } = play(
      { type: "message-delta", messageId, delta: "a\ud83d" },
      { type: "message-delta", messageId, delta: "\ude00" }
    )
    expect(events.map((event) => "content" in event && event.content)).toEqual(["a", "a😀", "a😀"])
  })

  it("a proposed message ends its previews and drafts without an event", () => {
    const core = new TurnCore(noSecrets)
    core.apply({ type: "message-delta", messageId, delta: "a" })
    core.apply({ type: "thought-delta", summaryId, delta: "hm" })
    core.apply({ type: "argument-delta", messageId, contentIndex: 2, tool: "bash", delta: "{" })
    const outputs = core.propose({
      messageId,
      blocks: [
        { type: "reasoning-summary", summaryId, content: "hm" },
        { type: "text", messageId, content: "a" },
        { type: "call", itemId, tool: "bash", arguments: {} }
      ]
    })
    expect(outputs.map((output) => output.kind)).toEqual(["forget", "forget", "forget"])
    expect(core.apply({ type: "message-delta", messageId, delta: "late" })).toEqual([
      { kind: "ignored", code: "repeated-report" }
    ])
    expect(core.end(false)).toEqual([])
  })
})

describe("the rest of a Turn", () => {
  it("one diff: its last preview becomes final at the end, nothing follows a final one", () => {
    const diff = (type: "diff" | "diff-preview", content: string): TurnReport => ({ type, content, files: [{ path: "f" }] })
    expect(play(diff("diff-preview", "1"), diff("diff-preview", "2")).events.map(({ type }) => type)).toEqual([
      "turn-diff-preview", "turn-diff-preview", "turn-diff"
    ])
    const { events, ignored } = play(diff("diff", "1"), diff("diff-preview", "2"), diff("diff", "3"))
    expect(events).toEqual([{ type: "turn-diff", content: "1", files: [{ path: "f" }] }])
    expect(ignored).toEqual(["repeated-report", "repeated-report"])
  })

  it("a malformed report is ignored and leaves the one before it", () => {
    const { events, ignored } = play(
      { type: "usage", report: { usedTokens: 1 } },
      { type: "usage", report: { usedTokens: 0.5 } },
      { type: "model", model: "" }
    )
    expect(events).toEqual([{ type: "usage", report: { usedTokens: 1 } }])
    expect(ignored).toEqual(["malformed-report", "malformed-report"])
  })

  it("a delivery is told once, and only of a Steer that was sent", () => {
    const core = new TurnCore(noSecrets)
    const delivered: TurnReport = { type: "steer-delivered", steerId: "s", delivery: "after-boundary" }
    expect(core.apply(delivered)).toEqual([{ kind: "ignored", code: "foreign-report" }])
    core.sendSteer("s")
    expect(core.apply(delivered)).toHaveLength(1)
    expect(core.apply(delivered)).toEqual([{ kind: "ignored", code: "foreign-report" }])
    core.sendSteer("refused")
    core.refuseSteer("refused")
    expect(core.end(true)).toEqual([])
  })
})
