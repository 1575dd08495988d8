import { describe, expect, it } from "vitest"
import { endOf, startOf } from "./byte-cuts.ts"
import type { LabelledCase } from "./labelled-case.ts"
import { peerRules } from "./peer-rules.ts"
import { type Rule, simpleRules } from "./simple-rules.ts"

const caseOf = (text: string, exitCode = 1): LabelledCase => ({
  id: "constructed",
  tool: "maker",
  command: "maker",
  cwd: "/srv/app",
  exitCode,
  signal: null,
  lines: text.split("\n").length - 1,
  bytes: Buffer.byteLength(text),
  zone: "end",
  mustKeep: [{ text: "x", line: 1 }],
  shouldKeep: [],
  decoys: [],
  decoyPattern: null,
  output: Buffer.from(text),
  text,
  visible: text
})

const rules = { ...simpleRules, ...peerRules }
const ruleOf = (name: string): Rule => rules[name] ?? expect.fail(`There is no rule ${name}`)
const numbered = (count: number) => Array.from({ length: count }, (_, index) => `line ${index + 1}\n`).join("")

it("a cut does not split a character", () => {
  const output = Buffer.from("aéb")
  expect([startOf(output, 2), startOf(output, 3), startOf(output, 9)]).toEqual(["a", "aé", "aéb"])
  expect([endOf(output, 2), endOf(output, 3), endOf(output, 9)]).toEqual(["b", "éb", "aéb"])
})

describe.each(Object.keys(rules))("%s", (name) => {
  it("shows a short output without changing its lines, as far as it chooses them", () => {
    const text = "an error\nanother error\n"
    expect(ruleOf(name)(caseOf(text))).toContain(text.trimEnd())
  })
})

it("windows show the bytes they say", () => {
  const text = "a".repeat(9_000) + "b".repeat(9_000)
  expect(ruleOf("first 4,000 bytes")(caseOf(text))).toBe("a".repeat(4_000))
  expect(ruleOf("last 4,000 bytes")(caseOf(text))).toBe("b".repeat(4_000))
  expect(ruleOf("first and last 2,000 bytes")(caseOf(text))).toBe(`${"a".repeat(2_000)}\n…\n${"b".repeat(2_000)}`)
})

it("lines with an error word are the first or last eight of them", () => {
  const text = Array.from({ length: 20 }, (_, index) => `fine\nFAILED ${index}\n`).join("")
  expect(ruleOf("first 8 lines with an error word")(caseOf(text)).split("\n").at(-1)).toBe("FAILED 7")
  expect(ruleOf("last 8 lines with an error word")(caseOf(text)).split("\n")[0]).toBe("FAILED 12")
})

it("the line of the rarest shape is shown from the middle of thousands", () => {
  const text = `${numbered(3_000)}something else: here\n${numbered(3_000)}`
  expect(ruleOf("lines of rarest shape, 4,000 bytes")(caseOf(text))).toContain("something else: here")
})

it("a tail of 50 KiB or 2,000 lines keeps whole lines, or the end of a last line that is longer", () => {
  const many = caseOf(numbered(2_500))
  expect(ruleOf("pi, tail of 50 KiB (source)")(many)).toMatch(/^line 501\n[^]*line 2500\n\n\[Showing lines 501-2500 of 2500\. Full/)
  expect(ruleOf("opencode, tail of 50 KiB (source)")(many)).toMatch(/^\.\.\.output truncated\.\.\.\n\nFull output saved to: \S+\n\nline 501\n/)
  const endless = caseOf(`first\n${"x".repeat(60_000)}`)
  expect(ruleOf("pi, tail of 50 KiB (source)")(endless)).toContain("[Showing last 50.0KB of line 2 (line is 58.6KB).")
  const wide = caseOf(Array.from({ length: 100 }, () => `${"y".repeat(999)}\n`).join(""))
  expect(ruleOf("pi, tail of 50 KiB (source)")(wide)).toContain("[Showing lines 50-100 of 100 (50.0KB limit).")
})

it("a middle is cut out and counted", () => {
  expect(ruleOf("claude < 2.1.2 (reported)")(caseOf("z".repeat(30_010)))).toBe(
    `${"z".repeat(15_000)}\n\n... [10 characters truncated] ...\n\n${"z".repeat(15_000)}`
  )
  expect(ruleOf("codex, 10,000 tokens (source)")(caseOf("z".repeat(40_040)))).toMatch(/^Warning: [^]*Total output lines: 1\n\nz{20000}…10 tokens truncated…z{20000}$/)
  expect(ruleOf("codex 0.171, 10 KB (measured)")(caseOf("z".repeat(10_001)))).toMatch(/^Total output lines: 0\n\nz{5000}… truncated …z{5000}$/)
})

it("a watched rule depends on the exit code", () => {
  const text = "f".repeat(40_000)
  expect(ruleOf("claude 2.1.197 (measured)")(caseOf(text, 0))).toContain(`Preview (first 2KB):\n${"f".repeat(2_000)}\n...`)
  expect(ruleOf("claude 2.1.197 (measured)")(caseOf(text, 1))).toBe(`${"f".repeat(5_000)}\n\n... [truncated] ...\n\n${"f".repeat(5_000)}`)
})
