import { describe, expect, it } from "vitest"
import { cleanLines } from "./testing.ts"

const clean = (text: string) => cleanLines(text).join("\n")

describe("text hygiene", () => {
  it.each([
    ["colours", "\u001b[1;38:2::9:9:9mred\u001b[0m", "red"],
    ["private modes", "\u001b[?25lhidden\u001b[?25h", "hidden"],
    ["OSC ended by BEL", "a\u001b]0;title\u0007b", "ab"],
    ["OSC ended by ST", "\u001b]8;;http://x\u001b\\link\u001b]8;;\u001b\\", "link"],
    ["OSC, CSI and ST of one character", "a\u009d0;t\u009cb\u009b31mc", "abc"],
    ["device control strings", "a\u001bPq#0;1\u001b\\b", "ab"],
    ["a long image in an OSC", `a\u001b]1337;File=:${"QUJD".repeat(50_000)}\u0007b`, "ab"],
    ["cursor save without the letter behind it", "\u001b7hello\u001b8", "hello"],
    ["character sets", "\u001b(Bx\u001b)0y", "xy"],
    ["erase to the end of the line", "done\u001b[K", "done"]
  ])("removes %s", (_what, text, cleaned) => {
    expect(clean(text)).toBe(cleaned)
  })

  it.each([
    ["CRLF is LF", "a\r\nb\r\n", "a\nb"],
    ["several CR before LF are one line end", "a\r\r\nb", "a\nb"],
    ["tab stays", "a\tb", "a\tb"],
    ["other control characters are visible escapes", "\u0000\u0007\b\u000b\u000c\u007f\u0085", "\\x00\\x07\\x08\\x0b\\x0c\\x7f\\x85"],
    ["an escape that begins nothing is shown", "a\u001b", "a\\x1b"],
    ["an unfinished CSI is shown and the line end stays", "a\u001b[31\nb", "a\\x1b[31\nb"],
    ["an unfinished OSC loses nothing", "a\u001b]0;t\nb", "a\\x1b]0;t\nb"],
    ["a string broken by another escape is shown, the other one removed", "\u001b]0;t\u001b[31mb", "\\x1b]0;tb"],
    ["a line separator of Unicode ends no line", "a\u2028b", "a\u2028b"]
  ])("%s", (_what, text, cleaned) => {
    expect(clean(text)).toBe(cleaned)
  })

  it.each([
    ["1,000 frames are one line", Array.from({ length: 1_000 }, (_, n) => `${n}%`).join("\r"), "999% [999 overwritten frames not shown]"],
    ["one frame is counted as one", "50%\r100%\n", "100% [1 overwritten frame not shown]"],
    ["a lone CR at the end overwrites nothing", "100%\r", "100%"],
    ["a frame of blanks does not hide the last one with text", "done\r    \n", "done"],
    ["an erased line starts anew", "a\u001b[2Kb", "b [1 overwritten frame not shown]"],
    ["column 1 starts anew", "a\u001b[1Gb\u001b[Gc", "c [2 overwritten frames not shown]"],
    ["erasing an empty line overwrites nothing", "\u001b[2K\u001b[1Ga", "a"],
    ["frames do not cross lines", "a\rb\nc\n", "b [1 overwritten frame not shown]\nc"]
  ])("overwriting: %s", (_what, text, cleaned) => {
    expect(clean(text)).toBe(cleaned)
  })

  it("counts lines as the file does: a last one without a newline counts, an end of line adds none", () => {
    expect(cleanLines("")).toEqual([])
    expect(cleanLines("a")).toEqual(["a"])
    expect(cleanLines("a\n")).toEqual(["a"])
    expect(cleanLines("\n\n")).toEqual(["", ""])
    expect(cleanLines("a\n\u001b[0m")).toEqual(["a", ""])
  })

  it("keeps the ends of a line too long to keep, and never half a character", () => {
    const [line] = cleanLines(`<${"🙂".repeat(20_000)}>`)
    expect(line?.startsWith("<🙂")).toBe(true)
    expect(line?.endsWith("🙂>")).toBe(true)
    expect(line?.length).toBeLessThan(5_000)
    expect(line?.isWellFormed()).toBe(true)
  })
})
