import { describe, expect, it } from "vitest"
import { cleanText } from "./clean-text.ts"
import { cleanLines } from "./testing.ts"

describe("hygiene of text in memory", () => {
  it.each([
    ["plain\ntext\n", "plain\ntext\n"],
    ["", ""],
    ["\n", "\n"],
    ["a\n\n\nb\n\n", "a\n\n\nb\n\n"],
    ["crlf\r\nlf\r\n", "crlf\nlf\n"],
    ["\u001b]0;title\u0007x\u001b[1mbold\u001b[0m", "xbold"],
    ["bell\u0007 nul\u0000 del\u007f tab\t", "bell\\x07 nul\\x00 del\\x7f tab\t"],
    ["half \ud800", "half \ufffd"]
  ])("%j reads %j", (text, clean) => {
    expect(cleanText(text)).toBe(clean)
  })

  it("is that of the output of a process", () => {
    const text = "1%\r2%\r\n\u001b[2Kdone\u001b[1Gover\n\u001b]8;;x\nnext"
    expect(cleanText(text)).toBe(cleanLines(text).join("\n"))
  })

  it("keeps a plain line of any length", () => {
    const long = "日".repeat(100_000)
    expect(cleanText(`a\u0000\n${long}\nb`)).toBe(`a\\x00\n${long}\nb`)
  })

  it("counts what a long line with control sequences loses in its middle", () => {
    const clean = cleanText(`\u001b[31m${"x".repeat(20_000)}\u001b[0m`)
    const leftOut = Number(/\[…(\d+) bytes left out…\]/.exec(clean)?.[1])
    expect(clean.replace(/ \[.*\] /, "").length + leftOut).toBe(20_000)
  })
})
