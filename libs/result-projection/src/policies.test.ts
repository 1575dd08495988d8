import { describe, expect, it } from "vitest"
import { projectValue, type ValueCall } from "./project-value.ts"
import { makeResultFile, makeValueCall } from "./testing.ts"

const lines = (count: number) => Array.from({ length: count }, (_, index) => `line ${index + 1}\n`).join("")

const agent = (tool: string, result: unknown, changes: Partial<ValueCall> = {}) =>
  projectValue(makeValueCall({ tool, result, arguments: {}, ...changes })).agent

const nothing = { agent: "", decision: {} }

describe("read", () => {
  it("gives the content and its range", () => {
    expect(agent("read", { kind: "text", content: "a\nb\n", firstLine: 5, totalLines: 6 })).toBe("a\nb\n[lines 5–6 of 6]")
  })

  it("names the tool's own next line when it stopped before the end", () => {
    const { agent: text, decision } = projectValue(makeValueCall({
      result: { kind: "text", content: lines(100), firstLine: 1, totalLines: 1_000, nextLine: 101 }
    }))
    expect(text).toMatch(/line 100\n\[lines 1–100 of 1000; continue at offset 101\]$/)
    expect(decision).toMatchObject({ fits: true, continuation: { kind: "line", value: 101 } })
  })

  it("of 500 lines shows 200 and goes on at 201", () => {
    const { decision } = projectValue(makeValueCall({
      result: { kind: "text", content: lines(500), firstLine: 1, totalLines: 500 },
      files: [makeResultFile()]
    }))
    expect(decision).toMatchObject({
      strategy: "continuation-aware",
      payloadLines: 200,
      continuation: { kind: "line", value: 201 },
      omitted: [{ from: 201, to: 500 }]
    })
  })

  it("shows blank lines and counts them", () => {
    expect(agent("read", { kind: "text", content: "\n", firstLine: 1, totalLines: 1 })).toBe("\n[lines 1–1 of 1]")
    expect(agent("read", { kind: "text", content: "\n\na\n\n", firstLine: 1, totalLines: 4 })).toBe("\n\na\n\n[lines 1–4 of 4]")
  })

  it("says how many bytes of a line came, and where the next ones are", () => {
    expect(agent("read", { kind: "text", content: "abc", firstLine: 1, totalLines: 1, bytes: { from: 10, to: 13, total: 90 } }))
      .toBe("abc\n[bytes 10–12 of 90; continue at byte 13]")
  })

  it("says that there is nothing from there on", () => {
    expect(agent("read", { kind: "text", content: "", firstLine: 9, totalLines: 3 })).toBe("[no lines from 9; the file has 3 lines]")
  })

  it("gives an image by reference, at no cost", () => {
    const image = { assetId: "asset_01JAVW4QKD7QZB2N5T8M3X9C1S", mediaType: "image/png", sizeBytes: 9_000_000 }
    expect(projectValue(makeValueCall({ result: { kind: "image", image } }))).toMatchObject({
      agent: "Image: image/png, 9000000 bytes.",
      images: [image],
      decision: { fits: true, totalLines: 0, payloadBytes: 0 }
    })
  })

  it("says first what the content does not show", () => {
    const text = { kind: "text", content: "x\n", firstLine: 1, totalLines: 1, notes: ["Encoding: UTF-16LE."] }
    expect(agent("read", text)).toBe("Encoding: UTF-16LE.\nx\n[lines 1–1 of 1]")
    expect(agent("read", { ...text, bytes: { from: 0, to: 2, total: 2 } })).toBe("Encoding: UTF-16LE.\nx\n[bytes 0–1 of 2]")
  })

  it("cleans the text by the rules of every output", () => {
    expect(agent("read", { kind: "text", content: "\u001b[31mred\u001b[0m\r\n10%\r20%\r30%\nnul\u0000\ud800", firstLine: 1, totalLines: 3 }))
      .toBe("red\n30% [2 overwritten frames not shown]\nnul\\x00\ufffd\n[lines 1–3 of 3]")
  })
})

describe("grep", () => {
  const match = (line: number) => ({ path: "src/a b.ts", line, text: `found ${line}` })

  it("gives path, line and text, with the lines around it", () => {
    expect(agent("grep", { matches: [{ ...match(3), before: ["one", "two"], after: ["four"] }] })).toBe(
      "\"src/a b.ts\"-1- one\n\"src/a b.ts\"-2- two\n\"src/a b.ts\":3: found 3\n\"src/a b.ts\"-4- four"
    )
  })

  it("says that there are none, or that the search stopped", () => {
    expect(agent("grep", { matches: [] })).toBe("No matches.")
    expect(agent("grep", { matches: [match(1)], limitReached: 1 })).toBe(
      "\"src/a b.ts\":1: found 1\n[the search stopped at its limit of 1, there may be more.]"
    )
    expect(agent("grep", { matches: [match(1)], limitReached: 1, total: 7 })).toContain(
      "[the search returned 1 of 7 matches, its limit is 1.]"
    )
  })

  it("says what could not be searched, and how many more there are", () => {
    const warnings = Array.from({ length: 7 }, (_, at) => `f${at}: permission\ndenied`)
    expect(agent("grep", { matches: [], warnings: warnings.slice(0, 1) })).toBe("No matches.\nwarning: f0: permission denied")
    expect(agent("grep", { matches: [match(1)], warnings }).split("\n").slice(4, 6)).toEqual([
      "warning: f4: permission denied",
      "2 more warnings"
    ])
  })

  it("has one notice for its own limit and ours, with the search's total", () => {
    const text = agent("grep", { matches: Array.from({ length: 100 }, (_, at) => match(at + 1)), limitReached: 100, total: 250 })
    expect(text.match(/^\[.*$/gm)).toEqual([
      "[79 of 250 matches shown, 171 not shown; the search returned 100 of 250 matches, its limit is 100. Narrow it with path, glob or a longer pattern.]"
    ])
  })
})

describe("find and ls", () => {
  const paths = [{ path: "src", kind: "directory" }, { path: "a\nb", kind: "file" }, { path: "l", kind: "link" }]

  it("give the root once and every path with its kind", () => {
    expect(agent("find", { root: "/w", paths })).toBe("/w: 3 files\nsrc (directory)\n\"a\\nb\"\nl (link)")
    expect(agent("ls", { root: "/w", paths: paths.slice(0, 1) })).toBe("/w: 1 entry\nsrc (directory)")
    expect(agent("ls", { root: "/w", paths: [{ path: "a", kind: "file", sizeBytes: 1 }, { path: "l", kind: "link", sizeBytes: 3 }] }))
      .toBe("/w: 2 entries\na (1 byte)\nl (link, 3 bytes)")
    expect(agent("find", { root: "/w", paths: [], warnings: ["b: permission denied"] }))
      .toBe("/w: 0 files\nwarning: b: permission denied")
  })

  it("tell found from shown", () => {
    const many = Array.from({ length: 200 }, (_, at) => ({ path: `f${at}`, kind: "file" }))
    expect(agent("find", { root: "/w", paths: many, limitReached: 200, total: 901 })).toContain(
      "[118 of 901 files shown, 783 not shown; the tool returned 200 of 901 found, its limit is 200."
    )
  })
})

describe("write and edit", () => {
  const result = { path: "/w/a.ts", outcome: "done", bytesWritten: 12, warnings: [] }

  it("acknowledge what was done and never what was submitted", () => {
    const secret = "the submitted content"
    const text = agent("write", result, { arguments: { path: "/w/a.ts", content: secret } })
    expect(text).toBe("write: done\npath: /w/a.ts\nbytes written: 12")
    expect(agent("write", { ...result, file: "created" })).toBe("write: done\npath: /w/a.ts\nfile: created\nbytes written: 12")
    const edited = agent(
      "edit",
      { ...result, outcome: "partial", operations: 2, firstChangedLine: 7, warnings: ["one did\nnot match"], nextAction: "read it again", diff: `+${secret}` },
      { arguments: { path: "/w/a.ts", edits: [{ oldText: "x", newText: secret }] } }
    )
    expect(edited).toBe(
      "edit: done in part\npath: /w/a.ts\nbytes written: 12\noperations: 2\nfirst changed line: 7\nwarning: one did not match\nnext: read it again"
    )
    expect(agent("edit", { ...result, outcome: "dry-run", bytesWritten: 0 })).toContain("edit: dry run, nothing was written")
  })

  it("show no field that is not theirs", () => {
    const noisy = { ...result, env: { TOKEN: "t0p" }, raw: "t0p", pid: 4711 }
    expect(agent("write", noisy)).toBe(agent("write", result))
  })
})

describe("async_bash", () => {
  it("gives each fact of a process once", () => {
    expect(agent("async_bash", {
      kind: "state",
      action: "status",
      entries: [
        { id: "bash_1", command: "npm run dev\nsecond", status: "running", readiness: "ready", startedAt: "2026-01-02T03:04:05.678Z", env: { A: "b" } },
        { id: "bash_2", command: "make", status: "failed", exitCode: 2, finishedAt: "2026-01-02T03:05:05.678Z", fault: "no rule" },
        { id: "bash_3", command: "sleep 9", status: "cancelled", signal: "SIGTERM", readiness: "timed_out" }
      ]
    })).toBe([
      "bash_1: running, ready, started 2026-01-02T03:04:05.678Z; command: npm run dev",
      "bash_2: failed, exit code 2, finished 2026-01-02T03:05:05.678Z; command: make; fault: no rule",
      "bash_3: cancelled, not ready in time, signal SIGTERM; command: sleep 9"
    ].join("\n"))
  })

  it("says that there is none, and that a stop met something that had ended", () => {
    expect(agent("async_bash", { kind: "state", action: "status", entries: [] })).toBe("No background command.")
    expect(agent("async_bash", { kind: "state", action: "stop", alreadyTerminal: true, entries: [{ id: "bash_1", status: "completed", exitCode: 0 }] }))
      .toBe("It had ended before; nothing was stopped.\nbash_1: completed, exit code 0")
  })
})

describe("ask_user", () => {
  it.each([
    ["one answer alone", [{ key: "db", options: ["sqlite"], text: "it is small\nand local" }], "sqlite\nit is small\nand local"],
    ["several by their question", [{ key: "db", options: ["a", "b"] }, { key: "why", options: [], text: "fast" }], "db: a, b\nwhy: fast"],
    ["an answer without a choice", [{ key: "db", options: [] }], "(nothing chosen)"],
    ["none", [], "(no answers)"]
  ])("gives %s", (_what, answers, text) => {
    expect(agent("ask_user", { answers })).toBe(text)
  })

  it("states a dismissal", () => {
    expect(agent("ask_user", { dismissed: true })).toBe("The person dismissed the question without an answer.")
  })
})

describe("explore", () => {
  const report = (label: string, count: number, path?: string) => ({
    conversationId: "conv_1",
    label,
    status: "completed",
    report: lines(count),
    ...(path === undefined ? {} : { path })
  })

  it("names a report's file only if it is registered for the call", () => {
    const registered = makeResultFile({ path: "/r/1.md", label: "Report", format: "markdown", sizeBytes: 500 })
    const { complete: _complete, ...file } = registered
    const text = agent("explore", { reports: [report("a", 61, "/r/1.md"), report("b", 61, "/etc/passwd")] }, { files: [file] })
    expect(text).toContain("Report 1, a: completed\nReport (markdown, 500 bytes): /r/1.md")
    expect(text).toContain("Report 2, b: completed\n(no file holds the rest)\nline 1\n")
    expect(text).not.toContain("/etc/passwd")
  })

  it("shows eight reports that are short, without a ceiling", () => {
    const text = agent("explore", { reports: Array.from({ length: 8 }, (_, at) => report(`r${at}`, 60)) })
    expect(text.split("\n")).toHaveLength(8 * 61 + 7)
  })
})

describe("agent, run_done and run_failed", () => {
  it("give the child and its state", () => {
    expect(agent("agent", { kind: "state", action: "start", entries: [{ id: "conv_1", label: "fix it", status: "running" }] }))
      .toBe("conv_1: running; label: fix it")
  })

  it.each([
    ["accepted", "Accepted.", undefined],
    ["held", "Held for review by a person.", undefined],
    ["refused", "Refused.\nreason: tests fail", "tests fail"]
  ])("give the reply %s", (reply, text, reason) => {
    for (const tool of ["run_done", "run_failed"]) {
      expect(agent(tool, { reply, ...(reason === undefined ? {} : { reason }) })).toBe(text)
    }
  })
})

describe("a result nobody described", () => {
  it("is its blocks where all are valid, else JSON without secrets", () => {
    expect(agent("other", { content: [{ type: "text", text: "one" }, { type: "text", text: "two" }] })).toBe("one\ntwo")
    expect(agent("other", { content: [{ type: "text", text: "one" }, 7] })).toContain("\"content\": [")
    expect(agent("other", { apiKey: "k", env: { A: "b" }, n: 1n, at: new Date(0), bad: NaN, f: () => 1 })).toBe(
      JSON.stringify({ n: "1", at: "1970-01-01T00:00:00.000Z", bad: null, f: "[function f]" }, null, 2)
    )
    expect(agent("other", undefined)).toBe("The tool returned nothing.")
  })

  it("is told to be one, also when a policy throws, and the call still settles", () => {
    expect(projectValue(makeValueCall({ tool: "other", result: 1 })).decision).toMatchObject({
      profile: "conservative_fallback",
      warnings: [{ code: "no-policy" }]
    })
    for (const tool of ["read", "grep", "find", "write", "edit", "async_bash", "ask_user", "explore", "agent"]) {
      for (const result of [null, 7, "text", [], {}]) {
        const { agent: text, decision } = projectValue(makeValueCall({ tool, result, arguments: null }))
        expect([tool, result, decision.profile]).toEqual([tool, result, "conservative_fallback"])
        expect(decision.warnings?.map(({ code }) => code)).toContain("policy-failed")
        expect(text).not.toContain("undefined")
      }
    }
  })

  it("that cannot even be walked says so", () => {
    const hostile = new Proxy({}, {
      ownKeys: () => {
        throw new Error("t0p")
      }
    })
    expect({ ...nothing, ...projectValue(makeValueCall({ tool: "other", result: hostile, arguments: hostile })) }).toMatchObject({
      agent: "The result could not be shown.",
      decision: { warnings: [{ code: "no-policy" }] }
    })
  })

  it("ends where it refers to itself", () => {
    const self: Record<string, unknown> = { a: 1 }
    self["self"] = self
    expect(agent("other", self)).toBe(JSON.stringify({ a: 1, self: "open details" }, null, 2))
  })
})

describe("a person's command", () => {
  it("is named in one line in front", () => {
    expect(agent("grep", { matches: [] }, { origin: "user", arguments: { command: "\n  rg x\nmore" } })).toBe("Command: rg x\nNo matches.")
  })
})
