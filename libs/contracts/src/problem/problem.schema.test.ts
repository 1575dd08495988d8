import { Schema } from "effect"
import { describe, expect, it } from "vitest"
import { Problem, ProblemCode } from "./problem.schema.ts"

const problem = { code: "run-not-found", explanation: "No such Run.", remediation: "List them.", possibleEffects: "none" }
const isProblem = Schema.is(Problem)

describe("Problems", () => {
  it("have a code of the closed list, in lower case with dashes", () => {
    expect(isProblem(problem)).toBe(true)
    expect(isProblem({ ...problem, code: "something-else" })).toBe(false)
    for (const code of ProblemCode.literals) expect(code).toMatch(/^[a-z]+(-[a-z]+)*$/)
    expect(new Set(ProblemCode.literals).size).toBe(ProblemCode.literals.length)
  })

  it("have flat details and named field violations, or none at all", () => {
    expect(isProblem({ ...problem, details: { pid: 42, path: "/x" } })).toBe(true)
    expect(isProblem({ ...problem, details: { nested: {} } })).toBe(false)
    expect(isProblem({ ...problem, details: { size: Number.NaN } })).toBe(false)
    expect(isProblem({ ...problem, fieldViolations: [{ field: "limit", explanation: "too large" }] })).toBe(true)
    expect(isProblem({ ...problem, fieldViolations: ["limit"] })).toBe(false)
    expect(isProblem({ ...problem, fieldViolations: undefined })).toBe(false)
  })

  it("say whether anything happened", () => {
    const { possibleEffects: _possibleEffects, ...silent } = problem
    expect(isProblem(silent)).toBe(false)
    expect(["none", "partial", "unknown"].every((possibleEffects) => isProblem({ ...problem, possibleEffects }))).toBe(true)
  })
})
