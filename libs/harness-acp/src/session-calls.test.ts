import { type ItemId, ItemIds } from "@steno/harness-seam"
import { describe, expect, it } from "vitest"
import { readPlainResult } from "./call-result.ts"
import { readOpencodeResult } from "./opencode-result.ts"
import { type CallReading, SessionCalls } from "./session-calls.ts"

const calls = (more: Partial<CallReading> = {}) => {
  const joined: Array<ItemId> = []
  const reading: CallReading = {
    readResult: readPlainResult,
    offered: { files: false, terminals: false },
    isOwn: () => false,
    ...more
  }
  const session = new SessionCalls(new ItemIds(), reading, (id) => id === "terminal-1", (itemId) => joined.push(itemId))
  return { session, joined }
}

const content = (text: string) => [{ type: "content", content: { type: "text", text } }]
const command = (more: object = {}) => ({ toolCallId: "c", title: "make", kind: "execute", rawInput: { command: "make" }, ...more })
const terminals = { offered: { files: false, terminals: true } }
const files = { offered: { files: true, terminals: false } }

describe("a call is told", () => {
  it("when it is more than pending, with the input it has by then", () => {
    const { session } = calls()
    expect(session.update(command({ status: "pending", title: "bash", rawInput: {} }))).toEqual([])
    expect(session.update(command({ status: "in_progress" }))).toMatchObject([
      { type: "call-started", call: { tool: "command", input: "make" } }
    ])
  })

  it("when a permission is asked for it, with what the request says", () => {
    const { session } = calls()
    session.update(command({ status: "pending", title: "bash", rawInput: {} }))
    const asked = session.permission(command({ status: "pending" }))
    expect(asked).toMatchObject({
      description: "make",
      reports: [{ type: "call-started", call: { tool: "command", input: "make" } }]
    })
    expect(asked.itemId).toBeDefined()
    expect(session.permission(command()).reports).toEqual([])
  })

  it("at the Turn's end where it was pending to the last", () => {
    const { session } = calls()
    session.update(command({ status: "pending" }))
    expect(session.end()).toMatchObject([{ type: "call-started" }])
    expect(session.end()).toEqual([])
  })

  it("with its end where nothing came before, and never again", () => {
    const { session } = calls()
    const ended = session.update(command({ status: "completed", content: content("made") }))
    expect(ended).toMatchObject([{ type: "call-ended", output: "made", ending: { outcome: "completed" } }])
    expect(session.update(command({ status: "failed" }))).toEqual([])
  })

  it("never without an id, and never as a call of Steno's own server", () => {
    const { session } = calls({ isOwn: (name) => name === "steno_run_done" })
    expect(session.update({ title: "x", kind: "execute", status: "in_progress" })).toEqual([])
    expect(session.update({ toolCallId: 5, title: "x", status: "in_progress" })).toEqual([])
    expect(session.update({ toolCallId: "own", title: "steno_run_done", status: "in_progress" })).toEqual([])
    expect(session.permission({ toolCallId: "own", title: "done" })).toEqual({ description: "steno_run_done", own: true, reports: [] })
    expect(session.update({ toolCallId: "own", title: "done", status: "completed" })).toEqual([])
    expect(session.end()).toEqual([])
  })
})

describe("a call that Steno runs", () => {
  it("is told by nobody, however the agent reports it", () => {
    const { joined, session } = calls(terminals)
    expect(session.update(command({ status: "pending" }))).toEqual([])
    expect(session.permission(command()).reports).toEqual([])
    expect(session.update(command({ status: "in_progress" }))).toEqual([])
    const shown = [{ type: "terminal", terminalId: "terminal-1" }]
    expect(session.update(command({ status: "in_progress", content: shown }))).toEqual([])
    expect(session.update(command({ status: "completed", content: shown }))).toEqual([])
    expect(session.end()).toEqual([])
    expect(joined).toHaveLength(1)
  })

  it("may turn out to be the agent's own: then it is told with its first output", () => {
    const { joined, session } = calls(terminals)
    session.update(command({ status: "in_progress" }))
    expect(session.update(command({ content: content("one") }))).toMatchObject([{ type: "call-started", output: "one" }])
    expect(session.update(command({ status: "completed", content: [{ type: "terminal", terminalId: "other" }] }))).toMatchObject([
      { type: "call-ended", ending: { outcome: "completed" } }
    ])
    expect(joined).toEqual([])
  })

  it("is found by the file that it is about, once", () => {
    const { session } = calls(files)
    session.update({ toolCallId: "e", title: "edit", kind: "edit", status: "in_progress", locations: [{ path: "/a" }] })
    expect(session.heldFor("/b")).toBeUndefined()
    expect(session.heldFor("/a")).toBeDefined()
    expect(session.heldFor("/a")).toBeUndefined()
    expect(session.update({ toolCallId: "e", status: "completed" })).toEqual([])
  })
})

describe("the end of a call", () => {
  it("is a refusal where ours of exactly this call was taken and it did not complete", () => {
    const { session } = calls()
    session.update(command({ status: "in_progress" }))
    session.update({ ...command(), toolCallId: "d", status: "in_progress" })
    session.refused("c")
    session.refused("unknown")
    expect(session.update(command({ status: "failed" }))).toMatchObject([{ ending: { outcome: "denied" } }])
    expect(session.update({ toolCallId: "d", status: "failed" })).toMatchObject([{ ending: { outcome: "failed" } }])
  })

  it("is what it says where the call completed in spite of a refusal", () => {
    const { session } = calls()
    session.update(command({ status: "in_progress" }))
    session.refused("c")
    expect(session.update(command({ status: "completed" }))).toMatchObject([{ ending: { outcome: "completed" } }])
  })

  it("is no evidence where it failed after a cancel", () => {
    const { session } = calls()
    session.update(command({ status: "in_progress" }))
    session.cancelled()
    expect(session.update(command({ status: "failed", content: content("aborted") }))).toMatchObject([
      { type: "call-updated", output: "aborted" }
    ])
  })

  it("stands where it completed after a cancel, unless the agent says itself that it broke off", () => {
    const { session } = calls({ readResult: readOpencodeResult })
    session.update(command({ status: "in_progress" }))
    session.update({ ...command(), toolCallId: "d", status: "in_progress" })
    session.cancelled()
    const rawOutput = (exit: number | null) => ({ metadata: { output: "begun\n", exit } })
    expect(session.update(command({ status: "completed", rawOutput: rawOutput(0) }))).toMatchObject([
      { type: "call-ended", call: { exitCode: 0 }, ending: { outcome: "completed" } }
    ])
    expect(session.update({ toolCallId: "d", status: "completed", content: content("begun\n\naborted"), rawOutput: rawOutput(null) }))
      .toMatchObject([{ type: "call-updated", output: "begun\n" }])
  })

  it("has no exit code that nobody reported", () => {
    const { session } = calls()
    const [ended] = session.update(command({ status: "completed", rawOutput: { exitCode: 0, metadata: { exit: 0 } } }))
    expect(ended).toMatchObject({ type: "call-ended" })
    expect(ended?.type === "call-ended" && "exitCode" in ended.call).toBe(false)
  })

  it("has the diffs of its content as patches", () => {
    const { session } = calls()
    session.update({ toolCallId: "e", title: "edit", kind: "edit", status: "in_progress", locations: [{ path: "/a" }] })
    const diff = { type: "diff", path: "/a", oldText: "one\n", newText: "two\n" }
    expect(session.update({ toolCallId: "e", status: "completed", content: [diff] })).toMatchObject([{
      call: { tool: "file-change", input: "/a", files: [{ path: "/a", kind: "update", patch: [{ lines: ["-one", "+two"] }] }] }
    }])
  })
})

describe("what a call is", () => {
  it.each([
    [{ kind: "read", title: "Read", rawInput: { path: "/a" } }, "read", "/a"],
    [{ kind: "search", title: "Search", rawInput: { pattern: "x+" } }, "search", "x+"],
    [{ kind: "execute", title: "Run", rawInput: { command: ["git", "status"] } }, "command", "git status"],
    [{ kind: "execute", title: "git status" }, "command", "git status"],
    [{ kind: "delete", title: "Delete", locations: [{ path: "/a" }, { path: "/b" }] }, "file-change", "/a, /b"],
    [{ kind: "move", title: "Move a to b" }, "file-change", "Move a to b"],
    [{ kind: "fetch", title: "Fetch", rawInput: { url: "http://x" } }, "web", "http://x"],
    [{ kind: "think", title: "Ponder" }, "other", "Ponder"],
    [{ kind: "think", title: "task", rawInput: { subagent_type: "general", prompt: "Count" } }, "subagent", "Count"],
    [{ title: "frob", rawInput: { a: 1 } }, "other", "frob · {\"a\":1}"],
    [{ kind: "of another version", title: "frob", locations: "none", rawInput: 5 }, "other", "frob"]
  ])("%j is %s of %s", (update, tool, input) => {
    expect(calls().session.update({ toolCallId: "c", status: "in_progress", ...update })).toMatchObject([{ call: { tool, input } }])
  })
})
