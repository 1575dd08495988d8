import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { processDiagnostics } from "./process-diagnostics.ts"
import { makeProcessFacts, projectOutput } from "./testing.ts"

const piece = fc.oneof(
  fc.constantFrom("\n", "\n", "\r\n", "\r", "\u001b[31m", "\u001b[2K", "\u001b]0;t\u0007", "\u001b]8;;x", "\u001b\\", "\u001b", "\u009b1m", "\u0000", " ", "\t", "日", "🙂", "word ", "error: x"),
  fc.string({ unit: "binary", maxLength: 8 }),
  fc.nat({ max: 3_000 }).map((length) => "z".repeat(length))
)
const text = fc.array(piece, { maxLength: 120 }).map((pieces) => pieces.join(""))
const bytes = fc.oneof(
  { weight: 4, arbitrary: text.map((value) => new TextEncoder().encode(value)) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 400 }) },
  {
    weight: 2,
    arbitrary: fc.tuple(fc.array(piece, { minLength: 1, maxLength: 6 }), fc.integer({ min: 1, max: 400 }))
      .map(([pieces, times]) => new TextEncoder().encode(`${pieces.join("")}\n`.repeat(times)))
  }
)

const countOfMarkers = (agent: string): number =>
  [...agent.matchAll(/^\[… (\d+) lines? not shown …\]$|^\[(\d+) blank lines? at the end\]$/gm)]
    .reduce((sum, match) => sum + Number(match[1] ?? match[2]), 0)

describe("process diagnostics on any output", () => {
  it("never exceeds a budget, is well-formed and holds no control character", () => {
    fc.assert(fc.property(bytes, (output) => {
      const { agent, card, decision } = projectOutput(output)
      expect(agent.isWellFormed()).toBe(true)
      expect(agent).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/)
      if (decision.fits) {
        expect(decision.payloadLines).toBeLessThanOrEqual(84)
        expect(decision.payloadBytes).toBeLessThanOrEqual(12_000)
      } else {
        expect(decision.payloadLines).toBeLessThanOrEqual(16)
        expect(decision.payloadBytes).toBeLessThanOrEqual(4_000)
        expect(Buffer.byteLength(agent)).toBeLessThanOrEqual(6_000)
        expect(agent.split("\n").length).toBeLessThanOrEqual(36)
      }
      const shown = [...card.arguments.lines, ...card.result.lines]
      expect(card.result.lines.length).toBeLessThanOrEqual(6)
      expect(shown.reduce((sum, line) => sum + Buffer.byteLength(line), 0)).toBeLessThanOrEqual(8_192)
      expect(shown.every((line) => line.isWellFormed() && !line.includes("\n"))).toBe(true)
      expect(card.result.hidden + card.result.lines.length).toBe(decision.totalLines)
    }), { numRuns: 300 })
  })

  it("stays whole inside 36 lines and 6,000 bytes whatever surrounds an output that does not fit", () => {
    const output = Array.from({ length: 500 }, (_, line) => `${line} ${"z".repeat(line * 7 % 1_100)}\n`).join("") + "\n".repeat(3)
    const reason = fc.record({ code: fc.constant("code"), text: fc.nat({ max: 320 }).map((length) => "w".repeat(length)) })
    const facts = fc.record({
      command: fc.nat({ max: 250 }).map((length) => "日".repeat(length)),
      reason,
      warnings: fc.array(reason, { maxLength: 20 }),
      survivors: fc.array(fc.record({ pid: fc.nat(), command: fc.constant("s".repeat(200)) }), { maxLength: 6 }),
      files: fc.record({ output: fc.nat({ max: 500 }).map((length) => `/${"p".repeat(length)}`) })
    })
    fc.assert(fc.property(facts, (changes) => {
      const { agent } = projectOutput(output, changes)
      expect(Buffer.byteLength(agent)).toBeLessThanOrEqual(6_000)
      expect(agent.split("\n").length).toBeLessThanOrEqual(36)
      expect(agent).toContain(changes.files.output)
      expect(agent).toContain("\n500: ")
    }), { numRuns: 200 })
  })

  it("is the same however the output is cut into blocks", () => {
    fc.assert(fc.property(bytes, fc.array(fc.nat({ max: 2_000 }), { maxLength: 40 }), (output, sizes) => {
      const projector = processDiagnostics.begin()
      let at = 0
      for (const size of sizes) {
        projector.push(output.subarray(at, at + size))
        at = Math.min(output.length, at + size)
      }
      projector.push(output.subarray(at))
      expect(projector.finish(makeProcessFacts())).toEqual(projectOutput(output, {}, output.length + 1))
    }), { numRuns: 300 })
  })

  it("is the same when every byte comes alone", () => {
    fc.assert(fc.property(text, (value) => {
      const output = new TextEncoder().encode(value).subarray(0, 3_000)
      expect(projectOutput(output, {}, 1)).toEqual(projectOutput(output))
    }), { numRuns: 60 })
  })

  it("shown and skipped lines add up to the file, in order, with one gap marker between those that are not neighbours", () => {
    fc.assert(fc.property(bytes, (output) => {
      const { agent, decision } = projectOutput(output)
      const lineCount = output.filter((byte) => byte === 0x0a).length + (output.length > 0 && output.at(-1) !== 0x0a ? 1 : 0)
      expect(decision).toMatchObject({ totalLines: lineCount, totalBytes: output.length })
      if (decision.strategy !== "selection") return
      const shown = decision.kept.map(({ line }) => line)
      expect(shown).toEqual([...new Set(shown)].sort((left, right) => left - right))
      expect(shown.length + countOfMarkers(agent)).toBe(lineCount)
      expect(agent.match(/^\[… /gm) ?? []).toHaveLength(decision.omitted.filter(({ to }) => to < (shown.at(-1) ?? 0)).length)
      expect(agent.match(/^\[/gm)?.length ?? 0).toBeLessThanOrEqual(17)
      for (const { line } of decision.kept) expect(agent).toMatch(new RegExp(`^${line}: `, "m"))
    }), { numRuns: 300 })
  })

  it("leaves clean text that fits exactly as it is", () => {
    const cleanLine = fc.string({ unit: fc.constantFrom("a", "é", "日", "🙂", " ", "\t", "~"), maxLength: 30 })
    fc.assert(fc.property(fc.array(cleanLine, { minLength: 1, maxLength: 84 }), (lines) => {
      const output = lines.join("\n")
      fc.pre(/\S/.test(output))
      expect(projectOutput(output).agent.endsWith(`):\n${output.replace(/\n$/, "")}`)).toBe(true)
      expect(projectOutput(`${output}\n`).agent.endsWith(`):\n${output}`)).toBe(true)
    }), { numRuns: 200 })
  })
})
