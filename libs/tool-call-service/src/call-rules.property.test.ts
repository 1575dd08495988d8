import { Result } from "effect"
import * as fc from "fast-check"
import { expect, it } from "vitest"
import { type CallPosition, carryOver } from "./call-rules.ts"

const states = ["supervising", "awaiting_approval", "ready", "running", "awaiting_input"] as const
const state = fc.constantFrom(...states)
const position = fc.constantFrom<CallPosition>(...states, "gone")

const isLegal = (first: CallPosition, rest: ReadonlyArray<CallPosition>) => Result.isSuccess(carryOver(first, ...rest))

/** Long legal paths: of many proposed steps those that may be taken. */
const legalPath = fc.tuple(state, fc.array(position, { maxLength: 40 })).map(([first, proposed]) => {
  const path: Array<CallPosition> = [first]
  for (const to of proposed) if (isLegal(first, [...path.slice(1), to])) path.push(to)
  return path
})

it("no legal path passes a position twice, or runs a call that was not ready just before", () => {
  fc.assert(fc.property(legalPath, (path) => {
    expect(new Set(path).size).toBe(path.length)
    const running = path.indexOf("running")
    if (running > 0) expect(path[running - 1]).toBe("ready")
  }))
})

it("no legal path goes on from a settled call or back to its supervision", () => {
  fc.assert(fc.property(legalPath, (path) => {
    expect(path.slice(0, -1)).not.toContain("gone")
    expect(path.slice(1)).not.toContain("supervising")
  }))
})

it("wherever a legal path leads, a call can still be settled, exactly once", () => {
  fc.assert(fc.property(legalPath, (path) => {
    const [first = "supervising", ...rest] = path
    expect(isLegal(first, [...rest, "gone"])).toBe(path.at(-1) !== "gone")
  }))
})

it("an illegal step anywhere makes the whole path illegal", () => {
  fc.assert(fc.property(legalPath, position, fc.array(position, { maxLength: 3 }), (path, to, more) => {
    const [first = "supervising", ...rest] = path
    fc.pre(!isLegal(first, [...rest, to]))
    expect(isLegal(first, [...rest, to, ...more])).toBe(false)
  }))
})
