import * as fc from "fast-check"
import { expect, it } from "vitest"
import { type CallPosition, isLegalChange, isLegalPath } from "./call-rules.ts"

const states = ["supervising", "awaiting_approval", "ready", "running", "awaiting_input"] as const
const position = fc.constantFrom<CallPosition>(...states, "gone")

it("a path is legal exactly when each of its steps is", () => {
  fc.assert(fc.property(fc.constantFrom(...states), fc.array(position, { maxLength: 6 }), (first, rest) => {
    const path: readonly [typeof first, ...Array<CallPosition>] = [first, ...rest]
    const steps = rest.map((to, index) => [path[index] ?? first, to] as const)
    expect(isLegalPath(path)).toBe(steps.every(([from, to]) => from !== "gone" && isLegalChange(from, to)))
  }))
})

it("no legal path runs a call twice", () => {
  fc.assert(fc.property(fc.constantFrom(...states), fc.array(position, { maxLength: 8 }), (first, rest) => {
    fc.pre(isLegalPath([first, ...rest]))
    expect([first, ...rest].filter((at) => at === "running").length).toBeLessThanOrEqual(1)
  }))
})
