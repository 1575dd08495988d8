import type { ModelScript } from "@steno/contracts"
import { Result } from "effect"
import * as fc from "fast-check"
import { expect, it } from "vitest"
import { playStep } from "./play-step.ts"
import type { MessageFact } from "./request-facts.ts"
import { firstPlace, placeOf } from "./script-place.ts"
import { textDeltas } from "./text-deltas.ts"

it("deltas joined are the text; none is empty and none cuts a code point", () => {
  const sizes = fc.oneof(fc.integer({ min: 1, max: 9 }), fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }))
  fc.assert(fc.property(fc.string({ unit: "grapheme", maxLength: 200 }), fc.option(sizes, { nil: undefined }), (text, size) => {
    const deltas = textDeltas(text, size)
    expect(deltas.join("")).toBe(text)
    expect(deltas.every((delta) => delta !== "" && delta.isWellFormed())).toBe(true)
  }))
})

it("a player that meets a conversation in the middle stands where the one stands that played it, while each step leaves an answer", () => {
  const step = fc.record({
    answer: fc.record({
      content: fc.array(fc.record({ type: fc.constant("text" as const), text: fc.string({ minLength: 1 }) }), { minLength: 1, maxLength: 3 })
    }),
    times: fc.integer({ min: 1, max: 4 })
  })
  fc.assert(fc.property(fc.array(step, { minLength: 1, maxLength: 6 }), (steps) => {
    const script: ModelScript = { steps }
    const messages: Array<MessageFact> = [{ role: "user", text: "go" }]
    let place = firstPlace
    for (;;) {
      const facts = { model: "m", system: "", tools: [], messages: [...messages] }
      expect(placeOf(script, facts)).toEqual(place)
      const outcome = playStep(script, place, facts)
      if (Result.isFailure(outcome)) break
      place = outcome.success.next
      messages.push({ role: "assistant", text: "x", calls: [] }, { role: "user", text: "next" })
    }
    expect(place.played).toBe(steps.reduce((sum, { times }) => sum + times, 0))
  }))
})
