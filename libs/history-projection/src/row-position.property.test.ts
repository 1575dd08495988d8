import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { positionBetween } from "./row-position.ts"

describe("positions", () => {
  it("find room at any place, as often as asked, and sort as strings", () => {
    fc.assert(fc.property(fc.array(fc.nat(), { minLength: 1, maxLength: 300 }), (places) => {
      const positions: Array<string> = []
      for (const place of places) {
        const at = place % (positions.length + 1)
        positions.splice(at, 0, positionBetween(positions[at - 1], positions[at]))
      }
      expect(positions.every((position, index) => index === 0 || (positions[index - 1] ?? "") < position)).toBe(true)
    }))
  })

  it("grow by about one character in five insertions at one place, and not at all at the end", () => {
    let upper = positionBetween(positionBetween(undefined, undefined), undefined)
    const lower = positionBetween(undefined, upper)
    for (let insertion = 0; insertion < 200; insertion++) upper = positionBetween(lower, upper)
    expect(upper.length).toBeLessThan(60)
    let last = lower
    for (let row = 0; row < 100_000; row++) last = positionBetween(last, undefined)
    expect(last).toHaveLength(8)
  })
})
