import { describe, expect, it } from "vitest"
import { processDiagnostics } from "./process-diagnostics.ts"
import { makeFileFacts, makeProcessFacts, projectOutput, projectWithLoss } from "./testing.ts"

const lines = (count: number, text = (line: number) => `line ${line}`) =>
  Array.from({ length: count }, (_, index) => `${text(index + 1)}\n`).join("")

const bytesOf = (text: string) => Buffer.byteLength(text)

describe("an output that fits", () => {
  it("is complete, without numbers and without a path", () => {
    expect(projectOutput("out\nerr\n", { exitCode: 3 }).agent).toBe(
      "Command: npm test\nExit code 3 (1.2 s).\nOutput (2 lines, 8 bytes):\nout\nerr"
    )
  })

  it("has no command line when a model asked for it", () => {
    expect(projectOutput("out\n", { origin: "model" }).agent).toBe("Exit code 0 (1.2 s).\nOutput (1 line, 4 bytes):\nout")
  })

  it.each([
    ["84 lines", true, lines(84)],
    ["85 lines", false, lines(85)],
    ["84 lines, the last without newline", true, lines(84).slice(0, -1)],
    ["12,000 bytes", true, `${"x".repeat(11_999)}\n`],
    ["12,001 bytes", false, `${"x".repeat(12_000)}\n`],
    ["12,000 bytes without newline", true, "x".repeat(12_000)],
    ["12,001 bytes without newline", false, "x".repeat(12_001)],
    ["12,000 bytes of wide characters", true, `${"日".repeat(3_999)}ab\n`],
    ["12,001 bytes of wide characters", false, `${"日".repeat(3_999)}abc\n`],
    ["more bytes than fit, fewer after hygiene", true, `${"\u001b[31mx\u001b[0m".repeat(2_000)}\n`]
  ])("%s: unchanged is %s", (_what, fits, output) => {
    const { agent, decision } = projectOutput(output)
    expect(decision.fits).toBe(fits)
    expect(decision.strategy).toBe(fits ? "unchanged" : "selection")
    expect(agent.includes("/home/data/output.txt")).toBe(!fits)
  })

  it.each([
    ["No output.", ""],
    ["No output but 1 blank line.", "\n"],
    ["No output but 100000 blank lines.", " \t\r\n".repeat(100_000)]
  ])("%s is all that is said, without a path", (sentence, output) => {
    expect(projectOutput(output).agent).toBe(`Command: npm test\nExit code 0 (1.2 s).\n${sentence}`)
  })
})

describe("an output that does not fit", () => {
  it("in which nothing is wrong shows its ends with line numbers, one gap, totals and the path", () => {
    const { agent, decision } = projectOutput(lines(1_000))
    expect(agent).toBe([
      "Command: npm test",
      "Exit code 0 (1.2 s).",
      "Output: 1000 lines, 8893 bytes. The lines that say most of it, numbered as in the file:",
      ...[1, 2, 3, 4, 5].map((line) => `${line}: line ${line}`),
      "[… 984 lines not shown …]",
      ...[990, 991, 992, 993, 994, 995, 996, 997, 998, 999, 1_000].map((line) => `${line}: line ${line}`),
      "16 lines are shown of 1000 lines, 8893 bytes; none of them sounds like an error.",
      "Complete output, to read or search without running the command again: /home/data/output.txt"
    ].join("\n"))
    expect(decision).toMatchObject({
      fits: false,
      profile: "process_diagnostics",
      strategy: "selection",
      totalLines: 1_000,
      totalBytes: 8_893,
      payloadLines: 16,
      omitted: [{ from: 6, to: 989 }]
    })
    expect(decision.kept.map(({ why }) => why)).toEqual([
      "the first line",
      ...Array.from({ length: 4 }, () => "the beginning"),
      ...Array.from({ length: 10 }, () => "the end"),
      "the last line"
    ])
  })

  it("one line of 5 MB keeps its start and end and says how much is left out", () => {
    const { agent, decision } = projectOutput(`<${"x".repeat(5_000_000)}>\n`)
    const [, start = "", leftOut = "", end = ""] = /^1: (<x+) \[…(\d+) bytes left out…\] (x+>)$/m.exec(agent) ?? []
    expect(start.length + Number(leftOut) + end.length).toBe(5_000_002)
    expect(Math.min(start.length, end.length)).toBeGreaterThanOrEqual(250)
    expect(decision).toMatchObject({ payloadLines: 1, omitted: [] })
  })

  it("17 lines with 13 KB stay inside the budget and show both ends", () => {
    const { agent, decision } = projectOutput(lines(17, (line) => `${line} ${"y".repeat(780)}`))
    expect(decision.payloadBytes).toBeLessThanOrEqual(4_000)
    expect(decision.kept.map(({ line }) => line)).toEqual(expect.arrayContaining([1, 17]))
    expect(agent.match(/not shown/g)).toHaveLength(decision.omitted.length)
  })

  it("fills 4,000 bytes exactly, numbers and newlines counted, and takes no line that would be one byte too long", () => {
    const exact = (line: number) => "y".repeat(250 - `${line}: \n`.length)
    expect(projectOutput(lines(100, exact)).decision).toMatchObject({ payloadLines: 16, payloadBytes: 4_000 })
    const longer = projectOutput(lines(100, (line) => line === 90 ? `${exact(line)}y` : exact(line))).decision
    expect(longer.payloadBytes).toBeLessThanOrEqual(4_000)
    expect(longer.kept.map(({ line }) => line)).not.toContain(90)
  })

  it("shows the last line that is not blank and counts the blank ones behind it", () => {
    const { agent, decision } = projectOutput(`${lines(100)}the cause\n${"\n".repeat(50)}`)
    expect(agent).toContain("\n101: the cause\n[50 blank lines at the end]\n")
    expect(decision.omitted.at(-1)).toEqual({ from: 102, to: 151 })
  })

  it("numbers are those of the file, blank lines counted", () => {
    const { agent } = projectOutput(`\n\n\n${lines(100)}`)
    expect(agent).toContain("\n4: line 1\n")
    expect(agent).toContain("\n103: line 100\n")
  })

  it("quotes a path that could be misread and cuts none", () => {
    const path = `/home/${"d".repeat(200)}/a b\n\u007f"c".txt`
    const { agent } = projectOutput(lines(100), { files: { output: path } })
    const printed = agent.slice(agent.lastIndexOf("\"/home"))
    expect(JSON.parse(printed)).toBe(path)
    expect(printed).not.toMatch(/[\u0000-\u001f\u007f]/)
  })

  it("names only the combined output while that is complete", () => {
    const { agent } = projectOutput(lines(100), { files: { output: "/o.txt", stdout: "/so.txt", stderr: "/se.txt" } })
    expect(agent).not.toContain("/so.txt")
  })

  it.each(["stdout", "stderr"] as const)("the file of %s alone serves as the complete output", (stream) => {
    expect(projectOutput(lines(100), { files: { [stream]: "/only.txt" } }).agent).toMatch(
      /\nComplete output, to read or search without running the command again: \/only\.txt$/
    )
  })

  it("says what was not captured, with observed totals, and names every file then", () => {
    const { agent, card } = projectOutput(lines(100), {
      capture: {
        output: makeFileFacts({ observedBytes: 268_435_456, droppedBytes: 251_658_240, observedLines: 4_000_000 }),
        stdout: makeFileFacts({ storedBytes: 100, droppedBytes: 5 }),
        stderr: makeFileFacts()
      },
      files: { output: "/o.txt", stdout: "/so.txt", stderr: "/se.txt" }
    })
    expect(agent).toContain(
      "Output: 4000000 lines, 268435456 bytes; 251658240 bytes were not captured; the file has 100 lines, 792 bytes. The lines that say most"
    )
    expect(agent).toMatch(/\nCaptured output, .*: \/o\.txt\nCaptured stdout: \/so\.txt \(100 bytes\)$/)
    expect(card.result.hidden).toBe(4_000_000 - 6)
  })

  it("a short file of a longer output never passes for complete", () => {
    const dropped = makeFileFacts({ observedBytes: 100, droppedBytes: 96 })
    const { agent } = projectOutput("out\n", {
      capture: { output: dropped, stdout: dropped, stderr: makeFileFacts() }
    })
    expect(agent).toContain("Output (1 line, 4 bytes; 96 bytes were not captured):\nout")
  })

  describe("of which a part is only in memory", () => {
    const lost = (observedLines: number, droppedBytes: number) => ({
      capture: {
        output: makeFileFacts({ observedBytes: 9_000_000, droppedBytes, observedLines }),
        stdout: makeFileFacts(),
        stderr: makeFileFacts()
      }
    })

    it("shows the head of the file and the end from memory, and says how much is in neither and in the file", () => {
      const end = `${lines(500, (line) => `end ${line}`)}`
      const { agent, card, decision } = projectWithLoss({ file: lines(1_000), lostBytes: 8_000_000, memory: end }, lost(900_000, 8_990_000))
      expect(agent).toContain("900000 lines, 9000000 bytes; 8990000 bytes were not captured; the file has 1000 lines, ")
      expect(agent).toContain(`, the ${Buffer.byteLength(end)} bytes after that come from memory`)
      expect(agent).toMatch(/\n1: .*\n2: /)
      expect(agent).toMatch(/\n1501: end 500\n/)
      expect(card.result.lines.at(-1)).toBe("end 500")
      expect(card.result.hidden).toBe(900_000 - 6)
      expect(decision.kept.at(-1)).toEqual({ line: 1_501, why: "the last line" })
    })

    it("that is short is shown whole with a line for what was lost between, and no half of a character", () => {
      const half = new TextEncoder().encode("é")
      const memory = Uint8Array.from([...half.subarray(1), ...new TextEncoder().encode("end\n")])
      const file = Uint8Array.from([...new TextEncoder().encode("head")])
      const { agent } = projectWithLoss({ file, lostBytes: 7, memory }, lost(3, 12))
      expect(agent).toMatch(/\nhead\n\[steno: 7 bytes dropped here\]\nend$/)
    })

    it("with nothing lost between is one text, also where its file ends inside a character", () => {
      const whole = new TextEncoder().encode("one é two\n")
      const { agent } = projectWithLoss({ file: whole.subarray(0, 5), lostBytes: 0, memory: whole.subarray(5) }, lost(1, 6))
      expect(agent).toMatch(/\none é two$/)
    })
  })

  it("stays whole inside 36 lines and 6,000 bytes with many facts, and keeps command, status, totals and path", () => {
    const { agent } = projectOutput(lines(20_000, (line) => `${line} ${"z".repeat(900)}`), {
      command: "日".repeat(500),
      outcome: "failed",
      reason: { code: "x", text: "r".repeat(5_000) },
      warnings: Array.from({ length: 40 }, (_, index) => ({ code: "w", text: `${index} ${"w".repeat(400)}` })),
      survivors: Array.from({ length: 500 }, (_, pid) => ({ pid, command: "s".repeat(200) })),
      files: { output: `/${"p".repeat(300)}` }
    })
    expect(bytesOf(agent)).toBeLessThanOrEqual(6_000)
    expect(agent.split("\n").length).toBeLessThanOrEqual(36)
    expect(agent.split("\n")[0]).toBe(`Command: ${"日".repeat(199)}…`)
    expect(agent).toContain("\nFailed, exit code 0 (1.2 s).\n")
    expect(agent).toContain("Output: 20000 lines")
    expect(agent).toContain(`/${"p".repeat(300)}`)
    expect(agent).toContain("\n20000: ")
  })
})

describe("outputs that misled others", () => {
  it("few but very long lines: the last one, which says why, is shown", () => {
    const output = `${`${"w".repeat(5_000)}\n`.repeat(40)}error: link failed\n`
    const { agent } = projectOutput(output, { exitCode: 101 })
    expect(agent).toContain("Exit code 101")
    expect(agent).toContain("Output: 41 lines, 200059 bytes")
    expect(agent).toContain("\n41: error: link failed\n")
  })

  it("a failure printed on stdout is shown, and that stderr was empty is said", () => {
    const { agent } = projectOutput("FAIL test_a\n", {
      exitCode: 1,
      capture: {
        output: makeFileFacts(),
        stdout: makeFileFacts({ observedBytes: 12 }),
        stderr: makeFileFacts()
      }
    })
    expect(agent).toContain("Output (1 line, 12 bytes: 12 on stdout, 0 on stderr):\nFAIL test_a")
  })

  it("a line redrawn a thousand times is one line", () => {
    const output = `${Array.from({ length: 1_000 }, (_, n) => `\rstep ${String(n + 1).padStart(4, "0")}/1000`).join("")}\n`
    expect(projectOutput(output).agent).toMatch(/:\nstep 1000\/1000 \[999 overwritten frames not shown\]$/)
  })

  it("a NUL in a text marks it binary and is shown as an escape", () => {
    expect(projectOutput("a\0b\n").agent).toMatch(/\nBinary output \(1 line, 4 bytes\):\na\\x00b$/)
  })

  it("one line of 20 MiB fed in blocks stays bounded and is counted in full", () => {
    const block = new Uint8Array(65_536).fill(0x78)
    const projector = processDiagnostics.begin()
    for (let count = 0; count < 320; count++) projector.push(block)
    const { decision, agent } = projector.finish(makeProcessFacts())
    expect(decision).toMatchObject({ totalLines: 1, totalBytes: 20_971_520, payloadLines: 1 })
    const [, start = "", leftOut = "", end = ""] = /^1: (x+) \[…(\d+) bytes left out…\] (x+)$/m.exec(agent) ?? []
    expect(start.length + Number(leftOut) + end.length).toBe(20_971_520)
  })
})

describe("binary output", () => {
  const noise = Uint8Array.from({ length: 100_000 }, (_, index) => (index * 7) % 32 === 9 ? 10 : 0x80 + (index % 64))

  it("that fits is marked and shown as visible escapes", () => {
    const { agent } = projectOutput(Uint8Array.of(0x61, 0x00, 0x01, 0xff))
    expect(agent).toContain("Binary output (1 line, 4 bytes):\na\\x00\\x01\ufffd")
  })

  it("that does not fit is size and path only", () => {
    const { agent, decision } = projectOutput(noise)
    expect(agent).toMatch(
      /^Command: npm test\nExit code 0 \(1\.2 s\)\.\nBinary output, not shown \(\d+ lines, 100000 bytes\)\.\nComplete output, .*: \/home\/data\/output\.txt$/
    )
    expect(decision).toMatchObject({ strategy: "binary", fits: false, payloadLines: 0, payloadBytes: 0 })
  })

  it.each([
    ["1 % NUL", false, 100],
    ["more than 1 % NUL", true, 101]
  ])("%s: binary is %s", (_what, binary, count) => {
    const output = new Uint8Array(10_000).fill(0x61)
    output.fill(0, 0, count)
    expect(projectOutput(output).agent.includes("Binary output (")).toBe(binary)
  })

  it.each([
    ["30 % invalid bytes", false, 300],
    ["more than 30 % invalid bytes", true, 301]
  ])("%s: binary is %s", (_what, binary, count) => {
    const output = new Uint8Array(1_000).fill(0x61)
    output.fill(0xff, 0, count)
    expect(projectOutput(output).agent.includes("Binary output (")).toBe(binary)
  })
})

describe("decoding", () => {
  it("a character split between blocks stays one character", () => {
    const output = `${"x".repeat(65_534)}🙂 end\n`
    for (const blockBytes of [1, 2, 3, 65_535, 65_536, 65_537]) {
      expect(projectOutput(output, {}, blockBytes).agent).toBe(projectOutput(output).agent)
    }
  })

  it("a dangling start at the end is exactly one replacement character", () => {
    expect(projectOutput(Uint8Array.of(...Buffer.from("abcdef "), 0xf0, 0x9f, 0x99)).agent).toMatch(/:\nabcdef \ufffd$/)
  })

  it("a byte order mark is kept", () => {
    expect(projectOutput("\ufeffa\n").agent).toMatch(/:\n\ufeffa$/)
  })
})
