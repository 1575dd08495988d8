import { expect, it } from "vitest"
import { statedTotals } from "./stated-totals.ts"

const text = "a line of 7777 bytes\n".repeat(20)
const measured = { text, visible: text, lines: 1_234, bytes: 123_456 }

it.each([
  ["1234 lines, 123456 bytes", "both"],
  ["1,234 lines and 123 456 bytes", "both"],
  ["lines: 1235", "lines"],
  ["lines: 1236", "none"],
  ["Size 120.6KB of a file", "bytes"],
  ["Size 123.4 kB", "bytes"],
  ["Size 110.0KB", "none"],
  ["123456 things of 1234", "none"],
  ["", "none"]
] as const)("%j says %s", (shown, totals) => {
  expect(statedTotals(shown, measured)).toBe(totals)
})

it("the whole output needs no totals", () => {
  expect(statedTotals(`Output:\n${text}`, measured)).toBe("whole")
})

it("a number out of the output itself says nothing", () => {
  expect(statedTotals("a line of 7777 bytes", { ...measured, bytes: 7_777 })).toBe("none")
  expect(statedTotals("the file has 7777 bytes", { ...measured, bytes: 7_777 })).toBe("bytes")
})
