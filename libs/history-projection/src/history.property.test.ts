import type { CallOrigin, CallOutcome, ConversationId, StoredEvent } from "@steno/contracts"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { apply, buildHistory, emptyHistory, type HistoryIndex, historyWindowRows, newestRows, rowsUp } from "./history-index.ts"
import { numberWindow, openRowNumbering } from "./row-numbering.ts"
import { compareOrder, type RowOrder } from "./row-order.ts"
import { historyIds, type SessionScript, sessionScript } from "./testing.ts"
import { firstPage, pageAt, transcriptEntries } from "./transcript.ts"

/** One step of a Session that may repeat, contradict or leave out facts. */
const step = fc.record({
  type: fc.constantFrom("admit", "start", "start", "end", "end", "settle"),
  turn: fc.integer({ min: 1, max: 3 }),
  call: fc.integer({ min: 1, max: 4 }),
  firstSeen: fc.integer({ min: 0, max: 4 }),
  managed: fc.boolean(),
  origin: fc.constantFrom<CallOrigin>("user", "observed"),
  outcome: fc.constantFrom<CallOutcome>("completed", "indeterminate"),
  result: fc.constantFrom("completed", "lost")
})
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never

const scriptOf = (session: number, steps: ReadonlyArray<Step>): SessionScript =>
  steps.reduce((script, { call, firstSeen, managed, origin, outcome, result, turn, type }) => {
    const place = { turn, call, firstSeen, itemId: `item-${call}` }
    switch (type) {
      case "admit":
        return script.admit(turn, { input: `${script.events.length}`, origin: managed ? "managed" : "user" })
      case "start":
        return script.start(place, { origin, arguments: { command: `${script.events.length}`, cwd: "/" } })
      case "end":
        return script.end(place, { origin, outcome })
      default:
        return script.settle(turn, { result: result === "lost" ? "lost" : "completed" })
    }
  }, sessionScript(session))

const sessions = fc.tuple(fc.array(step, { maxLength: 25 }), fc.array(step, { maxLength: 25 }))
  .map(([one, two]) => [scriptOf(1, one), scriptOf(2, two)] as const)

/** Any order at all, and one that keeps each Session's sequence. */
const shuffled = sessions.chain(([one, two]) => {
  const all = [...one.events, ...two.events]
  return fc.tuple(
    fc.constant([one, two] as const),
    fc.shuffledSubarray(all, { minLength: all.length, maxLength: all.length }),
    fc.shuffledSubarray(all.map((_, at) => at < one.events.length), { minLength: all.length, maxLength: all.length })
  )
}).map(([[one, two], anyOrder, turns]) => {
  const queues = { true: [...one.events], false: [...two.events] }
  const merged = turns.flatMap((first) => queues[`${first}`].splice(0, 1))
  return { one, two, anyOrder, merged }
})

const rowsOf = (index: HistoryIndex, { conversationId }: { readonly conversationId: ConversationId }) =>
  newestRows(index, conversationId).rows

/** The rows of a Session by the plain reading of the rules: group, keep the first fact of each kind, sort. */
const plainRows = (events: ReadonlyArray<StoredEvent>) => {
  const first = <Type extends StoredEvent["type"]>(type: Type, of: (event: StoredEvent) => boolean) =>
    events.find((event): event is Extract<StoredEvent, { readonly type: Type }> => event.type === type && of(event))
  const turns = [...new Set(events.map(({ turnId }) => turnId))].flatMap((turnId) => {
    const inTurn = (event: StoredEvent) => event.turnId === turnId
    const admitted = first("turn-admitted", inTurn)
    return admitted === undefined ? [] : [{ turnId, admitted, settled: first("turn-settled", inTurn), inTurn }]
  }).sort((left, right) => left.admitted.sequence - right.admitted.sequence)
  return turns.flatMap(({ admitted, inTurn, settled, turnId }) => {
    const ofTurn = events.filter(inTurn)
    const items = [...new Set(ofTurn.flatMap(({ itemId }) => itemId ?? []))].flatMap((itemId) => {
      const ofItem = (event: StoredEvent) => inTurn(event) && event.itemId === itemId
      const [appeared] = ofTurn.filter(ofItem)
      const start = first("tool-call-started", ofItem)
      const end = first("tool-call-response", ofItem)
      const outcome = end?.payload.outcome ?? (settled === undefined ? undefined : "indeterminate")
      const origin = end?.payload.origin ?? start?.payload.origin
      return appeared === undefined ? [] : [{
        place: appeared.firstSeen ?? 0,
        sequence: appeared.sequence,
        row: [turnId, "tool", start?.payload.arguments.command ?? "", outcome === "indeterminate" && origin === "observed" ? "unconfirmed" : outcome ?? "running"]
      }]
    }).sort((left, right) => left.place - right.place || left.sequence - right.sequence)
    return [
      [turnId, admitted.payload.origin === "managed" ? "entry-prompt" : "message", admitted.payload.input],
      ...items.map(({ row }) => row),
      ...(settled === undefined ? [] : [[turnId, "turn-result", settled.payload.result]])
    ]
  })
}

const summaries = (index: HistoryIndex, script: SessionScript) =>
  rowsOf(index, script).map(({ turn, value }) => {
    switch (value.kind) {
      case "message":
      case "entry-prompt":
        return [turn, value.kind, value.content]
      case "tool":
        return [turn, value.kind, value.input, value.outcome ?? value.state]
      case "turn-result":
        return [turn, value.kind, value.result]
    }
  })

describe("rows of any events", () => {
  it("are what the rules say, whatever order the events of Turns and Sessions are applied in", () => {
    fc.assert(fc.property(shuffled, ({ anyOrder, merged, one, two }) => {
      for (const script of [one, two]) {
        const wanted = plainRows(script.events)
        expect(summaries(buildHistory(script.events), script)).toEqual(wanted)
        expect(summaries(buildHistory(merged), script)).toEqual(wanted)
        expect(summaries(buildHistory(anyOrder), script)).toEqual(wanted)
      }
      expect(rowsOf(buildHistory(anyOrder), one)).toEqual(rowsOf(buildHistory(one.events), one))
    }), { numRuns: 400 })
  })

  it("are the same built at once, event by event, and with every event twice", () => {
    fc.assert(fc.property(shuffled, ({ merged, one, two }) => {
      let index = emptyHistory
      for (const [at, event] of merged.entries()) {
        const before = index
        index = apply(index, event)
        expect(apply(index, event)).toBe(index)
        const upToHere = merged.slice(0, at + 1)
        for (const script of [one, two]) {
          expect(rowsOf(index, script)).toEqual(rowsOf(buildHistory(upToHere.filter((each) => each.conversationId === script.conversationId)), script))
        }
        const other = event.conversationId === one.conversationId ? two : one
        const values = (from: HistoryIndex) => rowsOf(from, other).map(({ value }) => value)
        expect(values(index).every((value, row) => value === values(before)[row])).toBe(true)
      }
    }), { numRuns: 60 })
  })

  it("stand in the order of the one comparator, with one key each", () => {
    fc.assert(fc.property(shuffled, ({ anyOrder, one }) => {
      const rows = [...rowsUp(buildHistory(anyOrder), one.conversationId)].reverse()
      rows.forEach((row, at) => {
        const above = rows[at - 1]
        if (above !== undefined) expect(compareOrder(above.order, row.order)).toBeLessThan(0)
      })
      expect(new Set(rows.map(({ key }) => key)).size).toBe(rows.length)
    }), { numRuns: 300 })
  })
})

describe("a subscription to any events", () => {
  it("gives each row one id and position for ever, and positions that strictly increase", () => {
    fc.assert(fc.property(shuffled, fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 12 }), ({ merged, one }, stride, limit) => {
      let index = emptyHistory
      let numbering = openRowNumbering("s")
      const given = new Map<string, { readonly id: string; readonly position: string; readonly order: RowOrder }>()
      const fallen = new Set<string>()
      let shown: ReadonlyArray<string> = []
      for (const [at, event] of merged.entries()) {
        index = apply(index, event)
        if (at % stride > 0) continue
        const window = newestRows(index, one.conversationId, limit)
        const result = numberWindow(numbering, window)
        numbering = result.numbering
        const rows = window.rows.slice(window.rows.length - result.page.rows.length)
        const keys = rows.map(({ key }) => key)
        rows.forEach(({ key, order }, at) => {
          const { id, position } = result.page.rows[at] ?? { id: "", position: "" }
          expect(fallen.has(key)).toBe(false)
          expect(given.get(key) ?? { id, position, order }).toEqual({ id, position, order })
          given.set(key, { id, position, order })
        })
        for (const key of shown) if (!keys.includes(key)) fallen.add(key)
        shown = keys
      }
      const inOrder = [...given.values()].sort((left, right) => compareOrder(left.order, right.order))
      const positions = inOrder.map(({ position }) => position)
      expect(positions).toEqual([...new Set(positions)].sort())
      expect(new Set(inOrder.map(({ id }) => id)).size).toBe(given.size)
    }), { numRuns: 300 })
  })

  it("keeps positions increasing even where a Session's events come out of sequence", () => {
    fc.assert(fc.property(shuffled, ({ anyOrder, one }) => {
      let index = emptyHistory
      let numbering = openRowNumbering("s")
      for (const event of anyOrder) {
        index = apply(index, event)
        const result = numberWindow(numbering, newestRows(index, one.conversationId))
        numbering = result.numbering
        const positions = result.page.rows.map(({ position }) => position)
        expect(positions).toEqual([...new Set(positions)].sort())
      }
    }), { numRuns: 200 })
  })
})

describe("a transcript of any events", () => {
  const session = { runId: historyIds.run(1), conversationId: historyIds.conversation(1), name: "main" }

  it("is the same in pages of any size and in one piece, and a cursor keeps its page while the Session goes on", () => {
    fc.assert(fc.property(fc.array(step, { maxLength: 30 }), fc.array(step, { maxLength: 10 }), fc.integer({ min: 1, max: 5 }), (early, late, limit) => {
      const now = scriptOf(1, early)
      const later = buildHistory(scriptOf(1, [...early, ...late]).events)
      const index = buildHistory(now.events)
      const entries = transcriptEntries(index, session)
      let page = firstPage(index, session, limit)
      let joined = page.entries
      for (let cursor = page.older; cursor !== undefined; cursor = page.older) {
        const again = pageAt(later, session, cursor, limit)
        const result = pageAt(index, session, cursor, limit)
        expect(again).toEqual(result)
        if (result._tag !== "Success") throw result.failure
        page = result.success
        joined = [...page.entries, ...joined]
      }
      expect(joined).toEqual(entries)
      const inputs = rowsOf(index, session).filter(({ value }) => value.kind === "message" || value.kind === "entry-prompt")
      expect(inputs.length).toBeLessThanOrEqual(historyWindowRows)
      expect(entries.map(({ turn }) => turn)).toEqual(inputs.map(({ turn }) => turn))
    }), { numRuns: 200 })
  })
})
