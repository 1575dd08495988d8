import { describe, expect, it } from "vitest"
import type { OutputReading } from "./output-reading.ts"
import { processOutputReader } from "./process-diagnostics.ts"
import {
  type AsyncNoticeFacts,
  asyncNoticeText,
  type LaunchExitFacts,
  launchExitText,
  type PromotionFacts,
  promotionText,
  restOfPage,
  viewOfLogPage
} from "./process-texts.ts"
import type { ProcessFacts, Projection } from "./result-policy.ts"
import { makeProcessFacts } from "./testing.ts"
import type { LogPage } from "./tool-results.ts"

const lines = (count: number) => Array.from({ length: count }, (_, index) => `line ${index + 1}`)
const text = (count: number) => lines(count).map((line) => `${line}\n`).join("")

const finish = <Facts extends ProcessFacts>(
  project: (reading: OutputReading, facts: Facts) => Projection,
  output: string,
  facts: Facts
) => {
  const reader = processOutputReader()
  reader.push(new TextEncoder().encode(output))
  return project(reader.finish(facts.exitCode), facts)
}

const { exitCode: _exitCode, durationMs: _durationMs, ...running } = makeProcessFacts({ origin: "model" })
const promoted: PromotionFacts = { ...running, bashId: "bash_1", elapsedMs: 120_000 }
const ended: AsyncNoticeFacts = { ...makeProcessFacts({ origin: "model", exitCode: 7, command: "\nmake all\nsecond" }), bashId: "bash_1", status: "failed" }
const launched: LaunchExitFacts = { ...makeProcessFacts({ origin: "model" }), name: "dev\nserver", status: "completed", logPath: "/l/a b.txt" }

describe("a promotion", () => {
  it("names the id and the time, shows the output so far, and says how to read on", () => {
    const { agent } = finish(promotionText, text(3), promoted)
    expect(agent).toMatch(/^Still running after 120\.0 s; it goes on in the background as bash_1\. Its output so far:\n/)
    expect(agent).toMatch(/\nline 1\nline 2\nline 3\nRead on with async_bash logs, id bash_1\. A notice comes when it ends\.$/)
  })

  it("says nothing of an end that has not come", () => {
    expect(finish(promotionText, text(1_000), promoted).agent).not.toContain("exit status")
  })

  it("selects from a long output by the same rules", () => {
    const { agent, card, decision } = finish(promotionText, text(1_000), promoted)
    expect(decision).toMatchObject({ fits: false, profile: "process_diagnostics", totalLines: 1_000, warnings: [] })
    expect(agent).toContain("line 1000\n")
    expect(card.stats).toEqual({ lines: 1_000, bytes: 8_893 })
  })
})

describe("a notice of an end", () => {
  it("names id, status, end, duration and the command's first line", () => {
    expect(finish(asyncNoticeText, "out\n", ended).agent.split("\n").slice(0, 2)).toEqual([
      "Background command bash_1 has ended, failed: exit code 7 (1.2 s).",
      "Command: make all"
    ])
  })

  it.each<readonly [Partial<AsyncNoticeFacts>, string]>([
    [{ status: "failed", signal: "SIGSEGV" }, "failed: ended by signal SIGSEGV, so there is no exit code."],
    [{ status: "lost" }, "lost: no exit status was collected."]
  ])("never makes up a code: %j", (changes, words) => {
    expect(finish(asyncNoticeText, "", { ...running, bashId: "bash_1", status: "", ...changes }).agent).toContain(`has ended, ${words}`)
  })

  it("cuts the command at 200 characters", () => {
    const { agent } = finish(asyncNoticeText, "", { ...ended, command: "x".repeat(300) })
    expect(agent).toContain(`\nCommand: ${"x".repeat(199)}…\n`)
  })
})

describe("the exit of a launch", () => {
  it("names the launch and, once, its logs", () => {
    const { agent } = finish(launchExitText, "out\n", launched)
    expect(agent).toMatch(/^Launch dev server has ended, completed: exit code 0 \(1\.2 s\)\.\n/)
    expect(agent).toMatch(/\nout\nLogs: "\/l\/a b\.txt"$/)
    const long = finish(launchExitText, text(1_000), { ...launched, files: { output: launched.logPath } }).agent
    expect(long.match(/\/l\/a b\.txt/g)).toHaveLength(1)
  })
})

describe("a page of logs", () => {
  const page = (count: number, changes: Partial<LogPage> = {}): LogPage => ({
    kind: "logs",
    id: "bash_1",
    status: "running",
    stream: "stdout",
    totalLines: 900,
    totalBytes: 9_000,
    offset: 100,
    endOffset: 100 + count,
    nextOffset: 100 + count,
    complete: false,
    lines: lines(count),
    path: "/o.txt",
    ...changes
  })

  it("of 84 lines is whole, with its range and the next offset", () => {
    const { decision, text: shown } = viewOfLogPage(page(84))
    expect(shown).toMatch(/^bash_1, running: offsets 100 to 183 of 900 lines of stdout; next offset 184\.\n/)
    expect(shown).toMatch(/\nline 84$/)
    expect(decision.fits).toBe(true)
  })

  it("of more names what is not shown as pages that are shown whole", () => {
    const { decision, text: shown } = viewOfLogPage(page(500))
    const pairs = [...(/as offset\/limit: (.*)\.\]$/.exec(shown)?.[1] ?? "").matchAll(/(\d+)\/(\d+)/g)]
      .map(([, offset, limit]) => [Number(offset), Number(limit)] as const)
    expect(decision.fits).toBe(false)
    const named = pairs.flatMap(([offset, limit]) => Array.from({ length: limit }, (_, at) => offset + at))
    const shownOffsets = decision.kept.map(({ line }) => 100 + line - 1)
    expect([...named, ...shownOffsets].sort((one, other) => one - other)).toEqual(Array.from({ length: 500 }, (_, at) => 100 + at))
    expect(pairs.every(([, limit]) => limit <= 84)).toBe(true)
  })

  it("numbers its lines by their offset and says nothing of an end that has not come", () => {
    const { text: shown } = viewOfLogPage(page(500))
    expect(shown).toContain("\n599: line 500\n")
    expect(shown).toContain("numbered by their offset:")
    expect(shown).not.toContain("exit status")
  })

  it("stays inside 36 lines and 6,000 bytes with everything around it", () => {
    const wide = lines(500).map((line, at) => `${at % 9 === 0 ? "error: " : ""}${line} `.padEnd(600, "x"))
    const { decision, text: shown } = viewOfLogPage(page(500, { path: `/${"p".repeat(900)}`, lines: wide, offset: 1_000_000, endOffset: 1_000_500 }))
    expect(shown.split("\n").length).toBeLessThanOrEqual(36)
    expect(Buffer.byteLength(shown)).toBeLessThanOrEqual(6_000)
    expect(decision.payloadBytes).toBeLessThanOrEqual(4_000)
  })

  it("cuts a gap into pages of 84 lines", () => {
    expect(restOfPage(1_000, [{ from: 1, to: 84 }, { from: 90, to: 174 }, { from: 200, to: 200 }]))
      .toEqual(["1000/84", "1089/84", "1173/1", "1199/1"])
  })

  it("that is empty says so, and whether more may come", () => {
    expect(viewOfLogPage(page(0, { offset: 900, endOffset: 900 })).text).toBe(
      "bash_1, running: no lines at offset 900, stdout has 900 lines; more may come."
    )
    expect(viewOfLogPage(page(0, { offset: 900, status: "failed", exitCode: 2, complete: true })).text).toBe(
      "bash_1, failed, exit code 2: no lines at offset 900, stdout has 900 lines."
    )
  })

  it("names bytes that were not captured", () => {
    expect(viewOfLogPage(page(500, { captureTruncated: { droppedBytes: 77 } })).text).toContain("77 bytes were not captured")
  })
})
