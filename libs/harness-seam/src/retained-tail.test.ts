import { retainedOutputUnits } from "@steno/contracts"
import fc from "fast-check"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { describe, expect, it } from "vitest"
import { emptyTail, extendTail, tailText } from "./retained-tail.ts"

setFlagsFromString("--expose-gc")
const collect: () => void = runInNewContext("gc")
const megabyte = 1024 * 1024

/** What is kept of a whole text. */
const endOf = (text: string): string => {
  const end = text.slice(-retainedOutputUnits)
  return text.length > retainedOutputUnits && /^[\udc00-\udfff]/.test(end) ? end.slice(1) : end
}

const piece = fc.tuple(fc.constantFrom("a", "é", "🙂", "\n", "\ud83d", "\ude42"), fc.oneof(fc.nat(20), fc.nat(70_000)), fc.constantFrom("", "b", "\ud83d"))
  .map(([unit, times, end]) => unit.repeat(times) + end)

describe("the tail of an output", () => {
  it("is the end of the whole, however it arrived, and says whether something was dropped", () => {
    fc.assert(fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const tail = pieces.reduce(extendTail, emptyTail)
      const whole = pieces.join("")
      expect(tailText(tail)).toBe(endOf(whole))
      expect(tail.dropped).toBe(whole.length > retainedOutputUnits)
    }))
  })

  it("begins with no half of a character whose other half was in a piece that is gone", () => {
    const tail = [`${"x".repeat(4_095)}\ud83d`, `\ude42${"a".repeat(retainedOutputUnits - 1)}`].reduce(extendTail, emptyTail)
    expect(tailText(tail)).toBe("a".repeat(retainedOutputUnits - 1))
  })

  it("is kept in a few pieces, however short those were that it arrived in", () => {
    const tail = Array.from({ length: 50_000 }, (_, at) => String(at % 10)).reduce(extendTail, emptyTail)
    expect(tail.pieces.length).toBeLessThan(16)
    expect(tailText(tail)).toHaveLength(retainedOutputUnits)
  })

  it("does not keep alive what was cut off", () => {
    collect()
    const before = process.memoryUsage().heapUsed
    const tails = Array.from({ length: 16 }, (_, at) => extendTail(emptyTail, String(at % 10).repeat(8 * megabyte).toUpperCase()))
    collect()
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(16 * megabyte)
    expect(new Set(tails.map((tail) => tailText(tail).length))).toEqual(new Set([retainedOutputUnits]))
  })
})
