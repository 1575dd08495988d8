import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { redacted, SafeText, Secrets, safeText, safeValue } from "./safe-text.ts"

const secretTexts = ["abababab", "ababababcd", "cdcdcdcdab", "steno-token-1234"]
const secrets = new Secrets(secretTexts)

const inPieces = (text: string, cuts: ReadonlyArray<number>): string => {
  const safe = new SafeText(secrets)
  const places = [0, ...cuts.map((cut) => cut % (text.length + 1)).sort((a, b) => a - b), text.length]
  return places.slice(1).map((place, index) => safe.push(text.slice(places[index], place))).join("") + safe.close()
}

/** Texts full of secrets, their halves, and pairs of surrogates. */
const text = fc.array(
  fc.oneof(
    fc.constantFrom(...secretTexts, "ab", "cd", "a", "steno-", "steno-token", "token-1234", "x", "😀", "\ud83d", "\ude00"),
    fc.string({ maxLength: 4 })
  ),
  { maxLength: 10 }
).map((parts) => parts.join(""))

describe("a text with secrets", () => {
  it("reads the same however it was split, and shows none", () => {
    fc.assert(fc.property(text, fc.array(fc.nat(), { maxLength: 8 }), (whole, cuts) => {
      const shown = inPieces(whole, cuts)
      expect(shown).toBe(safeText(secrets, whole))
      expect(shown.isWellFormed()).toBe(true)
      for (const secret of secretTexts) expect(shown).not.toContain(secret)
    }), { numRuns: 1_000 })
  })

  it("reads the same at every single split", () => {
    const whole = "a steno-token-1234 b ababababcdcdcdcdab 😀 steno-tok"
    for (let at = 0; at <= whole.length; at++) {
      expect(inPieces(whole, [at])).toBe(`a ${redacted} b ${redacted}cdcdcdab 😀 ${redacted}`)
    }
    expect(inPieces(whole, Array.from({ length: whole.length }, (_, at) => at))).toBe(safeText(secrets, whole))
  })

  it("loses nothing but secrets", () => {
    fc.assert(fc.property(text, (whole) => {
      const wanted = whole.replaceAll(/ababababcd|abababab|cdcdcdcdab|steno-token-1234/g, redacted)
      const shown = safeText(secrets, `${whole}.`)
      expect(shown).toBe(`${wanted}.`.toWellFormed())
    }), { numRuns: 1_000 })
  })

  it("holds back what may be the beginning of one, and lets a short beginning through at the end", () => {
    const safe = new SafeText(secrets)
    expect([safe.push("x steno-t"), safe.push("ree "), safe.push("steno-"), safe.close()]).toEqual([
      "x ", "steno-tree ", "", "steno-"
    ])
  })

  it("is made safe wherever it stands in a value", () => {
    expect(safeValue(secrets, { a: ["x abababab y", 1, null], b: { c: "abababab" } })).toEqual({
      a: [`x ${redacted} y`, 1, null],
      b: { c: redacted }
    })
  })

  it("has no secret of less than 8 units", () => {
    expect(() => new Secrets(["1234567"])).toThrow("at least 8")
  })
})
