import { Schema } from "effect"
import { describe, expect, it } from "vitest"
import { suspendedOn } from "./call.schema.ts"
import { answersKind, type Interaction, InteractionAnswer } from "./interaction.schema.ts"

const approval = { kind: "approval", reason: "", segments: [], suggestedRules: [] } as const
const questions = { kind: "user-input", questions: [] } as const
const allowed = { approval: { decision: "allow" } } as const
const isAnswer = Schema.is(InteractionAnswer)

describe("an answer", () => {
  it("is an approval, answers by question, or a dismissal, and nothing else", () => {
    expect(isAnswer({ approval: { decision: "deny", reason: "no" } })).toBe(true)
    expect(isAnswer({ answers: { q: { options: ["a"], text: "b" } } })).toBe(true)
    expect(isAnswer({ dismissed: true })).toBe(true)
    for (const wrong of [{}, { dismissed: false }, { approval: { decision: "maybe" } }, { answers: { q: {} } }, { answers: [] }]) {
      expect(isAnswer(wrong)).toBe(false)
    }
  })

  it("fits the kind of request that it answers", () => {
    expect(answersKind(approval, allowed)).toBe(true)
    expect(answersKind(questions, allowed)).toBe(false)
    for (const value of [{ answers: {} }, { dismissed: true }] as const) {
      expect(answersKind(questions, value)).toBe(true)
      expect(answersKind(approval, value)).toBe(false)
    }
  })
})

describe("suspendedOn", () => {
  it("is the last interaction of a call that waits, and nothing for one that does not", () => {
    const interactions: ReadonlyArray<Interaction> = [{ request: approval }, { request: questions }]
    expect(suspendedOn({ state: "awaiting_approval", interactions })).toBe(interactions[1])
    expect(suspendedOn({ state: "awaiting_input", interactions })).toBe(interactions[1])
    for (const state of ["supervising", "ready", "running"] as const) expect(suspendedOn({ state, interactions })).toBeUndefined()
    expect(suspendedOn({ state: "awaiting_input" })).toBeUndefined()
  })
})
