import type { CardProjection } from "@steno/contracts"
import { describe, expect, it } from "vitest"
import { projectValue, type ValueCall } from "./project-value.ts"
import { makeValueCall } from "./testing.ts"

const card = (tool: string, args: unknown, result: unknown, changes: Partial<ValueCall> = {}): CardProjection =>
  projectValue(makeValueCall({ tool, arguments: args, result, ...changes })).card

const numbered = (count: number, text = (line: number) => `line ${line}`) =>
  Array.from({ length: count }, (_, index) => `${text(index + 1)}\n`).join("")

const preview = (lines: ReadonlyArray<string>, noun: string, hidden = 0, direction = "head") => ({ lines, hidden, noun, direction })

const six = ["line 1", "line 2", "line 3", "line 4", "line 5", "line 6"]
const lastSix = ["line 5", "line 6", "line 7", "line 8", "line 9", "line 10"]
const bytesOf = ({ arguments: args, result }: CardProjection) =>
  [...args.lines, ...result.lines].reduce((sum, line) => sum + Buffer.byteLength(line), 0)

describe("the card of each tool", () => {
  it("read: the first lines, with size and duration", () => {
    expect(card("read", { path: "a.ts", offset: 3, other: "x" }, { kind: "text", content: numbered(10), firstLine: 3, totalLines: 12 })).toEqual({
      arguments: preview(["path: a.ts", "offset: 3"], "lines"),
      result: preview(six, "lines", 4),
      overflow: { hidden: 4, noun: "lines", direction: "head" },
      stats: { lines: 10, bytes: 70, durationMs: 5 }
    })
  })

  it("read: exactly six lines hide nothing and have no overflow", () => {
    const { overflow, result } = card("read", { path: "a" }, { kind: "text", content: numbered(6), firstLine: 1, totalLines: 6 })
    expect([result, overflow]).toEqual([preview(six, "lines"), undefined])
  })

  it("read: an image by its asset id", () => {
    const assetId = "asset_01JAVW4QKD7QZB2N5T8M3X9C1S"
    expect(card("read", { path: "a.png" }, { kind: "image", image: { assetId, mediaType: "image/png" } }).result).toEqual({
      ...preview([], "lines"),
      images: [assetId]
    })
  })

  it("grep: the first matches, hidden ones counted from what was found", () => {
    const matches = Array.from({ length: 8 }, (_, at) => ({ path: "a", line: at + 1, text: "x" }))
    expect(card("grep", { pattern: "x", glob: "*.ts", ignoreCase: true }, { matches, total: 20 })).toMatchObject({
      arguments: preview(["pattern: x", "glob: *.ts", "ignoreCase: true"], "lines"),
      result: preview([1, 2, 3, 4, 5, 6].map((line) => `a:${line}: x`), "matches", 14)
    })
  })

  it("find: the first files; ls: folders first, then by name", () => {
    const paths = ["z", "b", "m", "a", "y", "c", "x"].map((path, at) => ({ path, kind: at > 4 ? "directory" : "file" }))
    expect(card("find", { pattern: "*" }, { root: "/w", paths }).result).toEqual(
      preview(["z", "b", "m", "a", "y", "c (directory)"], "files", 1)
    )
    expect(card("ls", { path: "." }, { root: "/w", paths }).result).toEqual(
      preview(["c (directory)", "x (directory)", "a", "b", "m", "y"], "entries", 1)
    )
  })

  it("write: the last lines of the content, path and bytes", () => {
    const result = { path: "/w/a", outcome: "done", bytesWritten: 71, warnings: [] }
    expect(card("write", { path: "a", content: numbered(10) }, result)).toMatchObject({
      arguments: preview(lastSix, "lines", 4, "tail"),
      result: preview(["/w/a: 71 bytes written"], "lines"),
      overflow: { hidden: 4, noun: "lines", direction: "tail" }
    })
  })

  it("edit: the path, how many operations, whether it was a dry run, the last lines of the diff", () => {
    const result = { path: "/w/a", outcome: "dry-run", bytesWritten: 0, operations: 2, warnings: [], diff: numbered(10) }
    expect(card("edit", { path: "a", edits: [{}, {}], dryRun: true }, result)).toMatchObject({
      arguments: preview(["path: a", "2 operations", "dry run"], "lines"),
      result: preview(lastSix, "lines", 4, "tail")
    })
  })

  it("async_bash logs: the id and the last lines of the page", () => {
    const page = {
      kind: "logs", id: "bash_1", status: "running", stream: "output", totalLines: 500, totalBytes: 9_000, offset: 0,
      endOffset: 10, nextOffset: 10, complete: false, lines: numbered(10).trimEnd().split("\n")
    }
    expect(card("async_bash", { action: "logs", id: "bash_1" }, page)).toMatchObject({
      arguments: preview(["id: bash_1"], "lines"),
      result: preview(lastSix, "lines", 4, "tail")
    })
  })

  it("async_bash start and status: the command and folder, how each stands, never its environment", () => {
    const entry = { id: "bash_1", command: "npm run dev", status: "running", readiness: "ready", startedAt: "2026-01-02T03:04:05.678Z" }
    const started = card(
      "async_bash",
      { action: "start", command: "npm run dev", cwd: "/w", env: { A: "t0p" } },
      { kind: "state", action: "start", entries: [entry] }
    )
    expect(started).toMatchObject({
      arguments: preview(["npm run dev", "cwd: /w"], "lines"),
      result: preview(["bash_1: running, ready, started 2026-01-02T03:04:05.678Z"], "commands")
    })
    expect(JSON.stringify(started)).not.toContain("t0p")
    const many = { kind: "state", action: "status", entries: Array.from({ length: 9 }, () => entry) }
    expect(card("async_bash", { action: "status" }, many).result).toMatchObject({ hidden: 3, noun: "commands" })
  })

  it("explore: labels, and each report by label, status and size, without its text", () => {
    const reports = Array.from({ length: 8 }, (_, at) => ({ conversationId: "c", label: `r${at}`, status: "completed", report: "t0p" }))
    const { arguments: args, result } = card("explore", { prompts: [{ label: "r0", prompt: "look" }] }, { reports })
    expect(args).toEqual(preview(["r0"], "lines"))
    expect(result).toEqual(preview([0, 1, 2, 3, 4, 5].map((at) => `r${at}: completed, 3 bytes`), "reports", 2))
  })

  it("agent: label and prompt's first six lines, child and status", () => {
    const entries = [{ id: "conv_1", label: "fix", status: "running" }]
    expect(card("agent", { action: "start", label: "fix", prompt: numbered(8) }, { kind: "state", action: "start", entries })).toMatchObject({
      arguments: preview(["fix: line 1", ...six.slice(1)], "lines", 2),
      result: preview(["conv_1: running; label: fix"], "lines")
    })
  })

  it("ask_user: all questions and options, the answers or that they were dismissed", () => {
    const questions = [{ id: "q", header: "DB", prompt: "Which\none?", options: Array.from({ length: 7 }, (_, at) => ({ label: `o${at}`, description: "d" })) }]
    expect(card("ask_user", { questions }, { answers: [{ key: "DB", options: ["o1"], text: "why" }] })).toMatchObject({
      arguments: preview(["DB: Which", "one?", ...[0, 1, 2, 3, 4, 5, 6].map((at) => `- o${at}: d`)], "lines"),
      result: preview(["o1", "why"], "lines")
    })
    expect(card("ask_user", { questions }, { dismissed: true }).result.lines).toEqual([
      "The person dismissed the question without an answer."
    ])
  })

  it("ask_user: questions that have no room are counted", () => {
    const questions = [{ id: "q", prompt: "p", options: Array.from({ length: 2_000 }, () => ({ label: "x".repeat(97) })) }]
    const shown = card("ask_user", { questions }, { dismissed: true })
    expect(shown.arguments.lines.length + shown.arguments.hidden).toBe(2_001)
    expect(bytesOf(shown)).toBeLessThanOrEqual(8_192)
  })

  it("run_done: reason and reply", () => {
    expect(card("run_done", { reason: "all\ndone" }, { reply: "refused", reason: "no" })).toMatchObject({
      arguments: preview(["all", "done"], "lines"),
      result: preview(["Refused.", "reason: no"], "lines")
    })
  })

  it("any other: its first entries, bounded, without secrets", () => {
    const shown = card("other", {
      a: 1, apiKey: "t0p", env: { B: "t0p" }, url: "https://me:t0p@h/?token=t0p", ["k".repeat(129)]: 1,
      nested: { Set_Cookie: "t0p", deep: { deep: { deep: { deep: { deep: { deep: 1 } } } } } }, list: [1, 2, 3, 4, 5, 6, 7, 8], f: () => 1, inf: Infinity
    }, [1, 2, 3, 4, 5, 6, 7, 8])
    expect(shown.arguments).toEqual(preview([
      "a: 1",
      "url: https://h/?token=…",
      "nested: {\"deep\":{\"deep\":{\"deep\":{\"deep\":{\"deep\":\"open details\"}}}}}",
      "list: [1,2,3,4,5,6]",
      "f: [function f]",
      "inf: null"
    ], "entries"))
    expect(shown.result).toEqual(preview(["1", "2", "3", "4", "5", "6"], "entries", 2))
  })
})

describe("the card of a call without a result", () => {
  it("is what was asked and how it ended", () => {
    const shown = card("write", { path: "/w/a", content: "x" }, undefined, { end: { outcome: "denied", denial: { by: "person" } } })
    expect(shown.arguments.lines).toEqual(["x"])
    expect(shown.result.lines).toContain("Resource: /w/a (not touched)")
  })
})

describe("the budget of a card", () => {
  it("is shared: the side that comes first gets what it needs, the other one keeps a part", () => {
    const wide = numbered(6, () => "x".repeat(5_000))
    const { arguments: args, result } = card("read", { path: "p".repeat(9_000) }, { kind: "text", content: wide, firstLine: 1, totalLines: 6 })
    expect(Buffer.byteLength(args.lines.join(""))).toBe(7_168)
    expect(result.lines.every((line) => line.length > 100)).toBe(true)
  })

  it("serves the result first where the result is what matters", () => {
    const prompts = Array.from({ length: 6 }, () => ({ label: "l".repeat(3_000), prompt: "" }))
    const reports = Array.from({ length: 6 }, () => ({ conversationId: "c", label: "r".repeat(1_000), status: "s", report: "" }))
    const { arguments: args, result } = card("explore", { prompts }, { reports })
    expect(result.lines.every((line) => line.length > 1_000)).toBe(true)
    expect(args.lines.every((line) => line.endsWith("…"))).toBe(true)
  })

  it("leaves short lines whole when one is long", () => {
    const { result } = card("read", { path: "a" }, { kind: "text", content: `short\n${"x".repeat(50_000)}\nlast`, firstLine: 1, totalLines: 3 })
    expect(result.lines[0]).toBe("short")
    expect(result.lines[1]?.length).toBeGreaterThan(8_000)
    expect(result.lines[2]).toBe("last")
  })

  it("cuts between graphemes and counts both sides as mixed when both are cut", () => {
    const family = "👨‍👩‍👧‍👦"
    const wide = numbered(9, () => family.repeat(500))
    const result = { path: "/w/a", outcome: "done", bytesWritten: 1, operations: 1, warnings: [], diff: wide }
    const shown = card("edit", { path: "a", edits: [] }, result)
    for (const line of shown.result.lines) expect(line.replaceAll(family, "")).toBe("…")
    expect(bytesOf(shown)).toBeLessThanOrEqual(8_192)
    const both = card("agent", { action: "start", prompt: wide }, {
      kind: "state", action: "start", entries: Array.from({ length: 8 }, () => ({ id: "c", status: "s" }))
    })
    expect(both.overflow).toEqual({ hidden: 5, noun: "lines", direction: "mixed" })
  })
})
