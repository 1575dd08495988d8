import { Schema } from "effect"
import { describe, expect, it } from "vitest"
import { captureLimits, cardLimits, pageLimits, retainedOutputUnits, runListLimits } from "./limits/limits.ts"
import { ByteCount, Instant, Milliseconds, Sequence } from "./units.ts"

describe("units", () => {
  it.each([
    ["2026-01-02T03:04:05.678Z", true],
    ["2026-01-02T03:04:05Z", false],
    ["2026-01-02T03:04:05.678+01:00", false],
    ["2026-01-02 03:04:05.678Z", false],
    ["2026-01-02T03:04:05.678Z\n", false]
  ])("instant %j: %s", (text, accepted) => {
    expect(Schema.is(Instant)(text)).toBe(accepted)
  })

  it("counts are whole and from 0, a sequence is from 1, milliseconds may have fractions", () => {
    expect([0, 1, 2 ** 53 - 1].every(Schema.is(ByteCount))).toBe(true)
    expect([-1, 0.5, Number.NaN, 2 ** 53].some(Schema.is(ByteCount))).toBe(false)
    expect([0, 1].map(Schema.is(Sequence))).toEqual([false, true])
    expect([0, 0.25, -1, Number.POSITIVE_INFINITY].map(Schema.is(Milliseconds))).toEqual([true, true, false, false])
  })
})

describe("limits", () => {
  it("are those that people are told", () => {
    expect(captureLimits.headBytes + captureLimits.tailBytes).toBe(16 * 1024 * 1024)
    expect(retainedOutputUnits).toBe(30_000)
    expect(pageLimits).toEqual({ defaultLines: 100, maximumLines: 500, lineBytes: 65_536 })
    expect(cardLimits).toEqual({ lines: 6, bytes: 8_192 })
    expect(runListLimits).toEqual({ defaultRows: 20, maximumRows: 200, inputCharacters: 200 })
  })
})
