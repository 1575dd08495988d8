import { expect, it } from "vitest"
import { readMeaning, severities } from "./line-meaning.ts"
import { hasTrait, lineTraits } from "./line-traits.ts"

const pieces = [" ", "=", "-", "#", "~", "^", "|", "(", "[", "0", "1 ", "'", "'a", "\"", "\":", ":", "a-", "a.", "a/", "a'", "at ", "#1 ", "==1==", "error ", "no ", "0 ", "Error", "+ ", "> ", "`", "‘", "E  ", "...", "\t", "x:1:1 "]

it.each(pieces)("a line of 1,000 units of %j is read, whatever stands at its end", (piece) => {
  for (const tail of ["", " x", "=", ":", "'", " error"]) {
    const line = `${piece.repeat(1_000).slice(0, 1_000)}${tail}`
    expect(Object.values(severities)).toContain(readMeaning(line).severity)
    expect(lineTraits.map((trait) => hasTrait(line, trait))).toHaveLength(lineTraits.length)
  }
})

it.each([
  ["==== FAILURES ====", false],
  ["====== FAILURES ======", true],
  ["====== a b c =======", true],
  ["====== a b c d =======", false],
  ["=".repeat(40), true],
  [`${"=".repeat(900)} test session starts`, false],
  ["------ x ======", false]
])("%s: a banner is %s", (line, is) => {
  expect(hasTrait(line, "banner")).toBe(is)
})
