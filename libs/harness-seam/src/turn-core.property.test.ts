import { retainedOutputUnits } from "@steno/contracts"
import { Schema } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { ItemId } from "./item-id.ts"
import { RetainedEvents } from "./retained-events.ts"
import { noSecrets, Secrets } from "./safe-text.ts"
import { turnReport } from "./testing/report-arbitraries.ts"
import { slotOf, TurnCore } from "./turn-core.ts"
import { TurnEvent } from "./turn-event.ts"
import type { TurnOutput } from "./turn-output.ts"
import type { TurnReport } from "./turn-report.ts"

const eventsOf = (outputs: ReadonlyArray<TurnOutput>) =>
  outputs.flatMap((output) => (output.kind === "event" ? [output.event] : []))

const play = (reports: ReadonlyArray<TurnReport>, late: ReadonlyArray<TurnReport> = []) => {
  const core = new TurnCore(noSecrets)
  const during = reports.flatMap((report) => eventsOf(core.apply(report)))
  const atEnd = eventsOf(core.end(false))
  return { during, atEnd, afterEnd: late.flatMap((report) => eventsOf(core.apply(report))), all: [...during, ...atEnd] }
}

/** The item of an event, and whether the event settles it. */
const itemOf = (event: TurnEvent): { readonly item: string; readonly settles: boolean } | undefined => {
  switch (event.type) {
    case "message-preview":
    case "assistant-content":
      return { item: `message ${event.messageId}`, settles: event.type === "assistant-content" }
    case "thought-preview":
    case "thought":
      return { item: `thought ${event.summaryId}`, settles: event.type === "thought" }
    case "tool-call-started":
    case "tool-preview":
    case "tool-call-ended":
      return { item: `call ${event.call.itemId}`, settles: event.type === "tool-call-ended" }
    case "turn-diff-preview":
    case "turn-diff":
      return { item: "diff", settles: event.type === "turn-diff" }
    default:
      return undefined
  }
}

const reports = fc.array(turnReport, { maxLength: 40 })

describe("any reports in any order, repeated and late", () => {
  it("give each item one settlement, nothing after it, and nothing after the end", () => {
    fc.assert(fc.property(reports, reports, (sent, late) => {
      const { afterEnd, all } = play(sent, late)
      const settled = new Set<string>()
      for (const event of all) {
        const found = itemOf(event)
        if (found === undefined) continue
        expect(settled.has(found.item)).toBe(false)
        if (found.settles) settled.add(found.item)
      }
      for (const event of all) {
        const found = itemOf(event)
        if (found !== undefined && !found.item.startsWith("call")) expect(settled.has(found.item)).toBe(true)
      }
      expect(afterEnd).toEqual([])
    }), { numRuns: 500 })
  })

  it("settle what is pending at the end incomplete: the diff, then texts in order of first appearance; no call", () => {
    fc.assert(fc.property(reports, (sent) => {
      const { atEnd, during } = play(sent)
      const first = new Map<string, number>()
      during.forEach((event, at) => {
        const item = itemOf(event)?.item
        if (item !== undefined && !first.has(item)) first.set(item, at)
      })
      const places = atEnd.map((event) => {
        expect(event.type).toMatch(/^(turn-diff|thought|assistant-content)$/)
        if (event.type !== "turn-diff") expect(event).toHaveProperty("incomplete", true)
        return event.type === "turn-diff" ? -1 : first.get(itemOf(event)?.item ?? "")
      })
      expect(places).toEqual([...places].sort((a, b) => Number(a) - Number(b)))
      expect(places).not.toContain(undefined)
    }), { numRuns: 500 })
  })

  it("start each call once and before anything else of it", () => {
    fc.assert(fc.property(reports, (sent) => {
      const started = new Set<string>()
      for (const event of play(sent).all) {
        if (!("call" in event)) continue
        expect(started.has(event.call.itemId)).toBe(event.type !== "tool-call-started")
        started.add(event.call.itemId)
      }
    }))
  })

  it("keep of a call's output what a plain replay of its supplies gives, absent where nothing was supplied", () => {
    fc.assert(fc.property(reports, (sent) => {
      const outputs = new Map<string, string>()
      const over = new Set<string>()
      const seen = new Set<string>()
      const ends = play(sent).during.filter((event) => event.type === "tool-call-ended")
      for (const report of sent) {
        if (!("call" in report)) continue
        const { itemId } = report.call
        const repeated = over.has(itemId) || (report.type === "call-started" && seen.has(itemId))
        seen.add(itemId)
        if (repeated) continue
        const delta = report.type === "call-updated" ? report.outputDelta : undefined
        if (report.output !== undefined) outputs.set(itemId, report.output)
        else if (delta !== undefined && delta !== "") outputs.set(itemId, (outputs.get(itemId) ?? "") + delta)
        if (report.type !== "call-ended") continue
        over.add(itemId)
        const end = ends.find((event) => event.call.itemId === itemId)
        expect(end?.call.output?.text).toBe(outputs.get(itemId))
        expect(end?.call.output?.incomplete).toBe(
          report.output === undefined && outputs.has(itemId) ? true : undefined
        )
      }
    }), { numRuns: 500 })
  })

  it("are well-formed events of the Seam", () => {
    fc.assert(fc.property(reports, (sent) => {
      expect(play(sent).all.filter((event) => !Schema.is(TurnEvent)(event))).toEqual([])
    }))
  })

  it("show whoever comes late what an early subscriber is left with, in the same order", () => {
    fc.assert(fc.property(reports, fc.nat(), (sent, at) => {
      const events = new RetainedEvents(() => {})
      const early = new Map<string, TurnEvent>()
      let numbered = 0
      events.subscribe((event) => {
        const { clears, slot } = slotOf(event)
        if (clears !== undefined) early.delete(clears)
        early.set(slot ?? `#${numbered++}`, event)
      })
      const late: Array<TurnEvent> = []
      const live: Array<TurnEvent> = []
      const { all } = play(sent)
      const middle = at % (all.length + 1)
      all.slice(0, middle).forEach((event) => events.emit(event))
      const soFar = [...early.values()]
      events.subscribe((event) => late.push(event))
      all.slice(middle).forEach((event) => events.emit(event))
      events.seal(() => {})
      events.subscribe((event) => live.push(event))
      expect(late).toEqual([...soFar, ...all.slice(middle)])
      expect(live).toEqual([...early.values()])
    }))
  })
})

describe("output of a call", () => {
  it.each([
    [retainedOutputUnits - 1, false],
    [retainedOutputUnits, false],
    [retainedOutputUnits + 1, true]
  ])("of %i units is cut: %s, live and at the end alike, in one piece or in many", (units, dropped) => {
    const whole = `${"a".repeat(9)}${"b".repeat(units - 9)}`
    const kept = { text: whole.slice(-retainedOutputUnits), ...(dropped ? { dropped: true } : {}) }
    const call = { itemId: ItemId.make("i1") }
    const started = { type: "call-started", call } as const
    const ended = { type: "call-ended", call, ending: { outcome: "completed" } } as const
    const outputs = (sent: ReadonlyArray<TurnReport>) =>
      play(sent).during.flatMap((event) => ("call" in event && event.call.output ? [event.call.output] : []))
    expect(outputs([started, { type: "call-updated", call, output: whole }])).toEqual([kept])
    expect(outputs([started, { ...ended, output: whole }])).toEqual([kept])
    const pieces = whole.match(/[^]{1,10000}/g) ?? []
    const piecewise = pieces.map((outputDelta): TurnReport => ({ type: "call-updated", call, outputDelta }))
    expect(outputs([started, ...piecewise, ended]).slice(-2)).toEqual([kept, { ...kept, incomplete: true }])
  })

  it("never begins with half a character, and remembers that it was cut", () => {
    const call = { itemId: ItemId.make("i1") }
    const { during } = play([
      { type: "call-updated", call, output: `😀${"x".repeat(retainedOutputUnits - 1)}` },
      { type: "call-updated", call, outputDelta: "y" },
      { type: "call-ended", call, ending: { outcome: "completed" } }
    ])
    expect(during.at(-1)).toMatchObject({
      call: { output: { text: `${"x".repeat(retainedOutputUnits - 1)}y`, dropped: true, incomplete: true } }
    })
  })

  it("shows no secret, wherever it is split", () => {
    const secret = "steno-token-1234"
    const whole = `before ${secret} after`
    for (let at = 0; at <= whole.length; at++) {
      const core = new TurnCore(new Secrets([secret]))
      const call = { itemId: ItemId.make("i1") }
      const pieces = [whole.slice(0, at), whole.slice(at)]
      const outputs = [
        ...pieces.flatMap((outputDelta) => core.apply({ type: "call-updated", call, outputDelta })),
        ...pieces.flatMap((delta) => core.apply({ type: "message-delta", messageId: ItemId.make("m"), delta })),
        ...core.apply({ type: "call-ended", call, ending: { outcome: "failed", error: whole } }),
        ...core.apply({ type: "diff", content: whole, files: [{ path: "f", patch: whole }] }),
        ...core.end(false)
      ]
      const told = JSON.stringify(outputs)
      expect(told).not.toContain("token-1234")
      expect(told.match(/before \[redacted\] after/g)?.length).toBeGreaterThanOrEqual(5)
    }
  })
})
