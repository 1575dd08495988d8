import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { emptyIntegerMap, getInteger, type IntegerMap, setInteger, valuesDown } from "./integer-map.ts"

const key = fc.oneof(
  fc.nat({ max: 70 }),
  fc.nat({ max: 40_000 }),
  fc.constantFrom(31, 32, 1_023, 1_024, 32_767, 32_768, 2 ** 31, 2 ** 32 + 5, Number.MAX_SAFE_INTEGER)
)

const filled = (keys: ReadonlyArray<number>): IntegerMap<string> =>
  keys.reduce((map: IntegerMap<string>, each, index) => setInteger(map, each, `${each}@${index}`), emptyIntegerMap)

const reference = (keys: ReadonlyArray<number>) => new Map(keys.map((each, index) => [each, `${each}@${index}`]))

describe("an integer map", () => {
  it("holds the last value of each key and walks them from the largest asked key down", () => {
    fc.assert(fc.property(fc.array(key, { maxLength: 60 }), key, (keys, from) => {
      const map = filled(keys)
      const wanted = reference(keys)
      const down = [...wanted.keys()].sort((left, right) => right - left)
      expect([...valuesDown(map)]).toEqual(down.map((each) => wanted.get(each)))
      expect([...valuesDown(map, from)]).toEqual(down.filter((each) => each <= from).map((each) => wanted.get(each)))
      for (const each of [...keys, from, from + 1]) expect(getInteger(map, each)).toBe(wanted.get(each))
    }), { numRuns: 500 })
  })

  it("leaves the map it was made from as it was", () => {
    fc.assert(fc.property(fc.array(key, { maxLength: 30 }), key, (keys, changed) => {
      const map = filled(keys)
      const before = [...valuesDown(map)]
      setInteger(map, changed, "changed")
      expect([...valuesDown(map)]).toEqual(before)
    }))
  })
})
