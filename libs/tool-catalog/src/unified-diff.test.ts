import { applyPatch } from "diff"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { unifiedDiff } from "./unified-diff.ts"

const applied = (before: string, after: string) =>
  applyPatch(before, unifiedDiff("f", before, after) ?? "", { autoConvertLineEndings: false })

const text = fc.array(fc.constantFrom("a\n", "b\n", "\n", "a\r\n", "ä\n", "\t"), { maxLength: 30 }).map((parts) => parts.join(""))

describe("a unified diff", () => {
  it("makes the new text of the old one", () => {
    fc.assert(fc.property(text, text, (before, after) => {
      expect(applied(before, after)).toBe(after)
    }), { numRuns: 500 })
  })

  it("makes the new text also where it shares both ends", () => {
    fc.assert(fc.property(text, text, text, text, (head, before, after, tail) => {
      expect(applied(head + before + tail, head + after + tail)).toBe(head + after + tail)
    }), { numRuns: 500 })
  })

  it("numbers lines as the files do and shows one inserted line as one", () => {
    const lines = Array.from({ length: 2000 }, (_, at) => `line ${at + 1}\n`)
    const diff = unifiedDiff("src/f.ts", lines.join(""), lines.toSpliced(4, 0, "new\n").join(""))
    expect(diff).toBe([
      "--- a/src/f.ts", "+++ b/src/f.ts", "@@ -2,6 +2,7 @@", " line 2", " line 3", " line 4", "+new", " line 5", " line 6", " line 7", ""
    ].join("\n"))
  })

  it("of a new file begins at nothing", () => {
    expect(unifiedDiff("f", undefined, "one\n")).toBe("--- /dev/null\n+++ b/f\n@@ -0,0 +1,1 @@\n+one\n")
  })

  it("is empty where nothing changed, and absent above 2 MiB", () => {
    expect(unifiedDiff("f", "a\n", "a\n")).toBe("")
    expect(unifiedDiff("f", undefined, "x".repeat(2 * 1024 * 1024 + 1))).toBeUndefined()
  })

  it("stays exact where it gives up comparing", () => {
    for (const [count, end] of [[2_000, "\n"], [30_000, ""]] as const) {
      const [before, after] = ["old", "new"].map((word) => Array.from({ length: count }, (_, at) => `${word} ${at}`).join("\n") + end)
      const [head, tail] = ["head\n".repeat(10), ""]
      expect(applied(head + before + tail, head + after + tail)).toBe(head + after + tail)
    }
  })
})
