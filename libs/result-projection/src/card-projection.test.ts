import { describe, expect, it } from "vitest"
import { projectOutput } from "./testing.ts"

const numbered = (count: number) => Array.from({ length: count }, (_, index) => `${index + 1}\n`).join("")

describe("the card of a command", () => {
  it("shows the last six of ten lines and counts four hidden", () => {
    expect(projectOutput(numbered(10)).card.result).toEqual({
      lines: ["5", "6", "7", "8", "9", "10"],
      hidden: 4,
      noun: "lines",
      direction: "tail"
    })
  })

  it("ignores one trailing newline and keeps blank lines before it", () => {
    expect(projectOutput("a\nb").card.result).toMatchObject({ lines: ["a", "b"], hidden: 0 })
    expect(projectOutput(`${numbered(10)}\n\n`).card.result).toMatchObject({ lines: ["7", "8", "9", "10", "", ""], hidden: 6 })
    expect(projectOutput("\n".repeat(9)).card.result).toMatchObject({ lines: ["", "", "", "", "", ""], hidden: 3 })
    expect(projectOutput("").card.result).toMatchObject({ lines: [], hidden: 0 })
  })

  it("counts hidden lines of a long output exactly", () => {
    expect(projectOutput(numbered(100_000)).card.result).toMatchObject({ lines: ["99995", "99996", "99997", "99998", "99999", "100000"], hidden: 99_994 })
  })

  it("shows the first six lines of the command", () => {
    expect(projectOutput("", { command: numbered(8) }).card.arguments).toEqual({
      lines: ["1", "2", "3", "4", "5", "6"],
      hidden: 2,
      noun: "lines",
      direction: "head"
    })
  })

  it("stays inside 8 KiB and cuts between graphemes", () => {
    const family = "👨‍👩‍👧‍👦"
    const wide = `${family.repeat(2_000)}\n`.repeat(20)
    const { card } = projectOutput(wide, { command: wide })
    const shown = [...card.arguments.lines, ...card.result.lines]
    expect(shown).toHaveLength(12)
    expect(shown.reduce((sum, line) => sum + Buffer.byteLength(line), 0)).toBeLessThanOrEqual(8_192)
    for (const line of shown) expect(line.replaceAll(family, "")).toBe("…")
  })
})
