import { describe, expect, it } from "@effect/vitest"
import fc from "fast-check"
import { firstVisibleLine, visibleEscapes, visibleLine, visibleOutput } from "./visible-text.ts"

describe("visibleOutput", () => {
  it.each([
    ["colour", "\u001b[1;31mred\u001b[0m", "red"],
    ["a title set by OSC and ended by BEL", "a\u001b]0;owned\u0007b", "ab"],
    ["a link set by OSC and ended by ST", "\u001b]8;;http://x\u001b\\text\u001b]8;;\u001b\\", "text"],
    ["8-bit CSI and OSC", "a\u009b31mb\u009d0;t\u009cc", "abc"],
    ["a device control string", "a\u001bPq#0\u001b\\b", "ab"],
    ["a cursor save, without the letter behind it", "\u001b7hello\u001b8", "hello"],
    ["a charset switch", "\u001b(Bx", "x"],
    ["a lone carriage return, bell, backspace, delete", "a\rb\u0007c\bd\u007f", "a\\x0db\\x07c\\x08d\\x7f"],
    ["an escape at the end", "a\u001b", "a\\x1b"],
    ["an unfinished OSC, up to nothing else", "a\u001b]0;x\nb", "a0;x\nb"],
    ["CRLF, tab and newline", "a\r\nb\tc\n", "a\nb\tc\n"],
    ["a lone surrogate", "a\ud800b", "a\ufffdb"],
    ["other text", "naïve 日本 🙂", "naïve 日本 🙂"]
  ])("%s", (_what, text, visible) => {
    expect(visibleOutput(text)).toBe(visible)
  })

  it("leaves nothing that moves a cursor, is well-formed and changes nothing the second time", () => {
    const hostile = fc.array(
      fc.constantFrom("\u001b", "[", "]", "\u0007", "\u009b", "\\", "31m", "x", "\r", "\n", "\ud800", "\u0000", "7"),
      { maxLength: 30 }
    ).map((parts) => parts.join(""))
    fc.assert(fc.property(fc.oneof(hostile, fc.string({ unit: "binary" })), (text) => {
      const visible = visibleOutput(text)
      expect(visible).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/)
      expect(visible.isWellFormed()).toBe(true)
      expect(visibleOutput(visible)).toBe(visible)
    }))
  })
})

describe("visibleEscapes", () => {
  it("shows a command whole, also what would hide a part of it on a terminal", () => {
    expect(visibleEscapes("touch keep; rm -r data #\u001b[1G\u001b[0Ktouch keep")).toBe(
      "touch keep; rm -r data #\\x1b[1G\\x1b[0Ktouch keep"
    )
    expect(visibleEscapes("rm -r data\rtouch keep\u009b2K\ud800")).toBe("rm -r data\\x0dtouch keep\\x9b2K\ufffd")
  })
})

describe("visibleLine", () => {
  it("is one line whatever the text", () => {
    expect(visibleLine("/a\nState: ok\r\n\u001b[2K")).toBe("/a\\x0aState: ok\\x0d\\x0a\\x1b[2K")
    fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => {
      expect(visibleLine(text)).not.toMatch(/[\u0000-\u0008\u000a-\u001f\u007f-\u009f]/)
    }))
  })
})

describe("firstVisibleLine", () => {
  it("is the first line that says something, cut with an ellipsis inside the limit", () => {
    expect(firstVisibleLine("\n\n  npm test\nmore", 200)).toBe("npm test")
    expect(firstVisibleLine("🙂".repeat(11), 10)).toBe(`${"🙂".repeat(9)}…`)
    expect(firstVisibleLine("🙂".repeat(10), 10)).toBe("🙂".repeat(10))
    expect(firstVisibleLine("", 10)).toBe("")
  })
})
