import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { projectOutput } from "./testing.ts"

/** Lines whose class is beyond doubt, from the mildest to the gravest. */
const classes = [
  (n: number) => `stored item ${n}`,
  (n: number) => `warning: item ${n} is old`,
  (n: number) => `cannot store item ${n}`,
  (n: number) => `error: item ${n} is gone`,
  (n: number) => `fatal: no item ${n} at all`
]
const kinds = fc.array(
  fc.tuple(fc.integer({ min: 0, max: classes.length - 1 }), fc.integer({ min: 1, max: 60 })),
  { minLength: 4, maxLength: 30 }
)

describe("the lines chosen of any output", () => {
  it("hold the first and the last line of its gravest class and the last line that is not blank", () => {
    fc.assert(fc.property(kinds, fc.nat({ max: 300 }), fc.nat({ max: 5 }), fc.constantFrom(0, 1, undefined), (runs, padding, blank, exitCode) => {
      const drawn = runs.flatMap(([kind, count]) => Array.from({ length: count }, () => kind))
      fc.pre(drawn.length > 84)
      const lines = drawn.map((kind, index) => `${classes[kind]?.(index) ?? ""}${" .".repeat(padding)}`)
      const gravest = Math.max(...drawn)
      const { decision } = projectOutput(`${lines.join("\n")}\n${"\n".repeat(blank)}`, exitCode === undefined ? {} : { exitCode })
      expect(decision.kept.map(({ line }) => line)).toEqual(
        expect.arrayContaining([drawn.indexOf(gravest) + 1, drawn.lastIndexOf(gravest) + 1, drawn.length])
      )
      expect(decision.payloadLines).toBeLessThanOrEqual(16)
      expect(decision.payloadBytes).toBeLessThanOrEqual(4_000)
    }), { numRuns: 200 })
  })

  it("carry the number and the text they have in the file", () => {
    const word = fc.constantFrom("error", "failed:", "0", "12", "ok", "src/a.ts:4:1", "'x'", "\t", "é", "✗", "at f (a.js:1:2)", "{\"level\":50}", "FATAL", "=====")
    fc.assert(fc.property(fc.array(fc.array(word, { maxLength: 9 }), { minLength: 85, maxLength: 400 }), (rows) => {
      const lines = rows.map((row) => row.join(" "))
      fc.pre(lines.some((line) => /\S/.test(line)))
      const { agent, decision } = projectOutput(`${lines.join("\n")}\n`, { exitCode: 1 })
      for (const { line, why } of decision.kept) {
        expect(agent.split("\n")).toContain(`${line}: ${lines[line - 1] ?? ""}`)
        expect(why).not.toBe("")
      }
    }), { numRuns: 200 })
  })
})
