import { describe, expect, it } from "@effect/vitest"
import { AnswerInput } from "@steno/contracts"
import { Result, Schema } from "effect"
import fc from "fast-check"
import { type AnswerOptions, answerOf } from "./answer-request.ts"

const none: AnswerOptions = {
  allow: false,
  deny: false,
  reason: undefined,
  always: undefined,
  rule: [],
  option: [],
  text: undefined,
  answer: [],
  answerText: [],
  dismiss: false,
  continue: false,
  stop: false
}
const isAnswer = Schema.is(AnswerInput.fields.answer)
const answered = (options: Partial<AnswerOptions>) => {
  const answer = Result.getOrThrow(answerOf({ ...none, ...options }))
  expect(isAnswer(answer)).toBe(true)
  return answer
}

describe("what run answer submits", () => {
  it.each<readonly [Partial<AnswerOptions>, object]>([
    [{ allow: true }, { approval: { decision: "allow" } }],
    [{ deny: true, reason: "not now" }, { approval: { decision: "deny", reason: "not now" } }],
    [{ allow: true, always: "user", rule: [3, 1, 3] }, { approval: { decision: "allow", scope: "user", rules: [2, 0] } }],
    [{ option: ["a", "b"] }, { only: { options: ["a", "b"] } }],
    [{ text: "mine" }, { only: { options: [], text: "mine" } }],
    [{ option: ["a"], text: "and mine" }, { only: { options: ["a"], text: "and mine" } }],
    [{ dismiss: true }, { dismissed: true }],
    [{ continue: true }, { review: "continue" }],
    [{ stop: true }, { review: "stop" }]
  ])("%j is %j", (options, answer) => {
    expect(answered(options)).toEqual(answer)
  })

  it("answers of several questions are gathered by question, options in the order given", () => {
    expect(answered({ answer: ["db=pg", "os=a=b", "db=lite"], answerText: ["why=x=y\nz", "db=both"] })).toEqual({
      answers: { db: { options: ["pg", "lite"], text: "both" }, os: { options: ["a=b"] }, why: { options: [], text: "x=y\nz" } }
    })
  })

  it("any question can be named: by its id, or by its id as a JSON string", () => {
    const given = fc.string({ minLength: 1, unit: "binary" }).filter((text) => text.isWellFormed())
    fc.assert(fc.property(given, given, (id, option) => {
      expect(answered({ answer: [`${JSON.stringify(id)}=${option}`] })).toEqual({
        answers: Object.fromEntries([[id, { options: [option] }]])
      })
    }))
    expect(answered({ answer: ["__proto__=x"] })).toEqual({ answers: Object.fromEntries([["__proto__", { options: ["x"] }]]) })
  })

  it.each(["=x", "x", "x=", "\"x=y", "\"\"=y", "\"\\q\"=y", "\"x\"y=z"])("%j names no question", (text) => {
    expect(Result.isFailure(answerOf({ ...none, answer: [text] }))).toBe(true)
  })
})
