import { describe, expect, it } from "vitest"
import { visibleCommand } from "./visible-command.ts"

describe("a command that is decided about", () => {
  it("shows what would repaint the terminal as visible escapes", () => {
    const command = "touch keep; rm -r data #\u001b[1G\u001b[0Ktouch keep"
    expect(visibleCommand(command)).toBe("touch keep; rm -r data #\\x1b[1G\\x1b[0Ktouch keep")
  })

  it.each([
    ["a\rb", "a\\x0db"],
    ["a\u0000\u0008\u007f\u009bb", "a\\x00\\x08\\x7f\\x9bb"],
    ["a\u202eb\u2066c", "a\\u{202e}b\\u{2066}c"],
    ["r\u200bm \ufeffx", "r\\u{200b}m \\u{feff}x"],
    ["rm\u00a0x\u3000y\u2028z", "rm\\u{a0}x\\u{3000}y\\u{2028}z"],
    ["\u{e0041}", "\\u{e0041}"],
    ["\ud800x", "\\u{d800}x"],
    ["a\n\tb é 漢 👍", "a\n\tb é 漢 👍"]
  ])("shows %j as %j", (command, shown) => {
    expect(visibleCommand(command)).toBe(shown)
  })
})
