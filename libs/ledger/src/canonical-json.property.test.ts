import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { canonicalJson } from "./canonical-json.ts"

const reversed = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(reversed)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).reverse().map(([key, entry]) => [key, reversed(entry)]))
}

describe("the canonical text of a JSON value", () => {
  it("does not depend on the order of keys, at any depth", () => {
    fc.assert(fc.property(fc.jsonValue(), (value) => {
      expect(canonicalJson(reversed(value))).toBe(canonicalJson(value))
    }))
  })

  it("keeps the value", () => {
    fc.assert(fc.property(fc.jsonValue(), (value) => {
      expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)))
    }))
  })

  it("differs for values that differ, also by order in a list", () => {
    fc.assert(fc.property(fc.jsonValue(), fc.jsonValue(), (left, right) => {
      const same = canonicalJson(left) === canonicalJson(right)
      const equal = (() => {
        try {
          expect(JSON.parse(JSON.stringify(left))).toEqual(JSON.parse(JSON.stringify(right)))
          return true
        } catch {
          return false
        }
      })()
      expect(same).toBe(equal)
    }))
    expect(canonicalJson([1, 2])).not.toBe(canonicalJson([2, 1]))
    expect(canonicalJson({ a: 1, b: undefined })).toBe(canonicalJson({ a: 1 }))
    expect(canonicalJson({ a: "1" })).not.toBe(canonicalJson({ a: 1 }))
  })
})
