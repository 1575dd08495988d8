import fc from "fast-check"
import { expect, it } from "vitest"
import { countLineFeeds } from "./line-feeds.ts"

it("counts line feeds of any bytes at any alignment", () => {
  fc.assert(fc.property(
    fc.array(fc.oneof(fc.constant(10), fc.constantFrom(9, 11, 0, 0x8a, 0xff), fc.integer({ min: 0, max: 255 })), { maxLength: 3000 }),
    fc.integer({ min: 0, max: 7 }),
    (values, shift) => {
      const bytes = new Uint8Array(values.length + shift).subarray(shift)
      bytes.set(values)
      expect(countLineFeeds(bytes)).toBe(values.filter((value) => value === 10).length)
    }
  ))
})

it("counters do not overflow in blocks of nothing but line feeds", () => {
  expect(countLineFeeds(new Uint8Array(100_003).fill(10))).toBe(100_003)
})
