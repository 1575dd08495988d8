import {
  type CallOrigin,
  type CallOutcome,
  type ConversationId,
  type LoggedEvent,
  startedInput,
  type Steer,
  type StoredEvent,
  type TurnResultKind
} from "@steno/contracts"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { apply, buildHistory, emptyHistory, type HistoryIndex, historyWindowRows, newestRows, rowsUp } from "./history-index.ts"
import { numberWindow, openRowNumbering } from "./row-numbering.ts"
import { compareOrder, type RowOrder } from "./row-order.ts"
import { historyIds, type SessionScript, sessionScript } from "./testing.ts"
import { firstPage, pageAt, transcriptContents } from "./transcript.ts"

/** One step of a Session that may repeat, contradict or leave out facts. */
const step = fc.record({
  type: fc.constantFrom("admit", "start", "start", "end", "end", "settle", "say", "say", "steer", "steer", "diff"),
  turn: fc.integer({ min: 1, max: 3 }),
  call: fc.integer({ min: 1, max: 4 }),
  firstSeen: fc.integer({ min: 0, max: 4 }),
  managed: fc.boolean(),
  origin: fc.constantFrom<CallOrigin>("user", "observed"),
  outcome: fc.constantFrom<CallOutcome>("completed", "indeterminate"),
  result: fc.constantFrom<TurnResultKind>("completed", "lost", "interrupted"),
  delivery: fc.constantFrom<Steer["settlement"]>(
    { state: "waiting" },
    { state: "delivered", delivery: "after-boundary" },
    { state: "dropped", cause: "interrupt" },
    { state: "dropped", cause: "loss" }
  ),
  damage: fc.constantFrom("none", "none", "none", "none", "payload", "type", "row")
})
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never

/** Some events cannot be read: by their payload, by payload and type, or because their row is gone. */
const damaged = (script: SessionScript, steps: ReadonlyArray<Step>): SessionScript =>
  steps.reduce((sofar, { damage }, at) => {
    const event = script.events[at]
    if (damage === "none" || event?.turnId === undefined) return sofar
    if (damage === "payload") return sofar.damage(at + 1)
    return sofar.damage(at + 1, damage === "row" ? { reason: "lost" } : { turnId: event.turnId, storedType: "?" })
  }, script)

const scriptOf = (session: number, steps: ReadonlyArray<Step>): SessionScript =>
  damaged(steps.reduce((script, { call, delivery, firstSeen, managed, origin, outcome, result, turn, type }) => {
    const place = { turn, call, firstSeen, itemId: `item-${call}` }
    switch (type) {
      case "admit":
        return script.admit(turn, { input: `${script.events.length}`, origin: managed ? "managed" : "user" })
      case "start":
        return script.start(place, { origin, arguments: { command: `${script.events.length}`, cwd: "/" } })
      case "end":
        return script.end(place, { origin, outcome })
      case "say": {
        const at = (shift: number) => ({ itemId: `item-${call + shift}`, firstSeen: firstSeen + shift })
        const content = managed ? " " : `${script.events.length}`
        return script.say(turn, [
          { type: "reasoning-summary", ...at(0), content },
          { type: "text", ...at(1), content: `${script.events.length}` },
          { type: "call", ...at(2), callId: historyIds.call(call), tool: "bash", arguments: { command: `asked ${script.events.length}` } }
        ], managed ? undefined : `model ${script.events.length}`)
      }
      case "steer":
        return script.steer({ turn, steer: call, firstSeen }, delivery, `${script.events.length}`)
      case "diff":
        return script.diff(turn, { content: `${script.events.length}` }, firstSeen)
      case "settle":
        return script.settle(turn, { result })
    }
  }, sessionScript(session)), steps)

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

const lastPlace = Infinity

interface Said {
  readonly kind: "tool" | "message" | "thought" | "turn-diff" | "steer"
  readonly itemId: string
  readonly place: number
  readonly sequence: number
  readonly input?: string
  readonly origin?: CallOrigin
  readonly settlement?: Steer["settlement"]
}

/** What one event says of items, one by one. */
const saidBy = (event: LoggedEvent): ReadonlyArray<Said> => {
  if (event.type === "unreadable") return []
  const { firstSeen: place = 0, itemId = "", sequence } = event
  switch (event.type) {
    case "tool-call-started":
      return [{ kind: "tool", itemId, place, sequence, input: startedInput(event.payload).input, origin: event.payload.origin }]
    case "tool-call-response":
      return [{ kind: "tool", itemId, place, sequence }]
    case "turn-diff":
      return [{ kind: "turn-diff", itemId, place, sequence, input: event.payload.content }]
    case "steer":
      return [{ kind: "steer", itemId, place, sequence, input: event.payload.text, settlement: event.payload.settlement }]
    case "assistant-message":
      return event.payload.blocks.flatMap((block): ReadonlyArray<Said> => {
        const at = { itemId: block.itemId, place: block.firstSeen, sequence }
        if (block.type === "call") return [{ kind: "tool", ...at, input: "arguments" in block ? String(block.arguments["command"]) : "", origin: "model" }]
        if (block.type === "text") return [{ kind: "message", ...at, input: block.content }]
        return block.content.trim() === "" ? [] : [{ kind: "thought", ...at, input: block.content }]
      })
    default:
      return []
  }
}

/** The rows of a Session by the plain reading of the rules: group, keep the first fact of each kind, sort. */
const plainRows = (events: ReadonlyArray<LoggedEvent>) => {
  const first = <Type extends StoredEvent["type"]>(type: Type, of: (event: LoggedEvent) => boolean) =>
    events.find((event): event is Extract<StoredEvent, { readonly type: Type }> => event.type === type && of(event))
  const groups = [...new Set(events.map(({ sequence, turnId }) => turnId ?? sequence))]
  return groups.flatMap((group) => {
    const inGroup = (event: LoggedEvent) => (event.turnId ?? event.sequence) === group
    const ofGroup = events.filter(inGroup)
    const turn = ofGroup[0]?.turnId
    const admitted = first("turn-admitted", inGroup)
    const settled = first("turn-settled", inGroup)
    const unreadable = ofGroup.filter((event) => event.type === "unreadable")
    const said = ofGroup.flatMap(saidBy)
    const calls = [...new Set(said.flatMap(({ kind, itemId }) => kind === "tool" ? [itemId] : []))].flatMap((itemId) => {
      const appeared = said.find((each) => each.kind === "tool" && each.itemId === itemId)
      const begun = said.find((each) => each.kind === "tool" && each.itemId === itemId && each.input !== undefined)
      const end = first("tool-call-response", (event) => inGroup(event) && event.itemId === itemId)
      const isOver = settled !== undefined ||
        unreadable.some((event) => event.itemId === itemId && event.storedType === "tool-call-response")
      const outcome = end?.payload.outcome ?? (isOver ? "indeterminate" : undefined)
      const origin = end?.payload.origin ?? begun?.origin
      const shown = outcome === "indeterminate" && origin === "observed" ? "unconfirmed" : outcome
      return appeared === undefined ? [] : [{
        place: appeared.place,
        sequence: appeared.sequence,
        row: [turn, "tool", begun?.input ?? "", shown ?? (begun?.origin === "model" ? undefined : "running")]
      }]
    })
    const texts = (["message", "thought", "turn-diff"] as const).flatMap((kind) => {
      const ofKind = said.filter((each) => each.kind === kind)
      const firsts = ofKind.filter((each, at) => ofKind.findIndex(({ itemId }) => itemId === each.itemId) === at)
      return firsts.map(({ input, place, sequence }) => ({ place, sequence, row: [turn, kind, input] }))
    })
    const steerIds = [...new Set(said.flatMap(({ itemId, kind }) => kind === "steer" ? [itemId] : []))]
    const steers = steerIds.flatMap((itemId) => {
      const facts = said.filter((each) => each.kind === "steer" && each.itemId === itemId)
      const settlements = facts.map(({ settlement }) => settlement)
      const delivered = settlements.some((each) => each?.state === "delivered")
      const dropped = settlements.find((each) => each?.state === "dropped")
      const derived = settled === undefined ? "waiting" : settled.payload.result === "interrupted" ? "not-delivered" : "unconfirmed"
      const told = dropped?.state === "dropped" ? (dropped.cause === "interrupt" ? "not-delivered" : "unconfirmed") : derived
      return facts.slice(0, 1).map(({ input, place, sequence }) => ({
        place,
        sequence,
        row: [turn, "steer", input, delivered ? "after-boundary" : told]
      }))
    })
    const items = [...calls, ...texts, ...steers]
    const gaps = unreadable.map(({ firstSeen, sequence, storedType }) => ({
      place: firstSeen ??
        (sequence === ofGroup[0]?.sequence || storedType === "turn-admitted" ? -1 : storedType === "turn-settled" ? lastPlace : sequence),
      sequence,
      row: [turn, "unreadable", sequence]
    }))
    const input = admitted === undefined ? [] : [{
      place: -1,
      sequence: admitted.sequence,
      row: [turn, admitted.payload.origin === "managed" ? "entry-prompt" : "message", admitted.payload.input]
    }]
    const closing = settled === undefined
      ? []
      : [{ place: lastPlace, sequence: settled.sequence, row: [turn, "turn-result", settled.payload.result] }]
    return [...input, ...items, ...gaps, ...closing]
      .sort((left, right) => left.place === right.place ? left.sequence - right.sequence : left.place < right.place ? -1 : 1)
      .map(({ row }) => row)
  })
}

const summaries = (index: HistoryIndex, script: SessionScript) =>
  rowsOf(index, script).map(({ turn, value }) => {
    switch (value.kind) {
      case "message":
      case "entry-prompt":
      case "thought":
      case "turn-diff":
        return [turn, value.kind, value.content]
      case "steer":
        return [turn, value.kind, value.content, value.delivery]
      case "tool":
        return [turn, value.kind, value.input, value.outcome ?? value.state]
      case "turn-result":
        return [turn, value.kind, value.result]
      case "unreadable":
        return [turn, value.kind, value.sequence]
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
      const whole = transcriptContents(index, session)
      let page = firstPage(index, session, limit)
      let joined = page.entries
      let places = page.unreadable ?? []
      for (let cursor = page.older; cursor !== undefined; cursor = page.older) {
        const again = pageAt(later, session, cursor, limit)
        const result = pageAt(index, session, cursor, limit)
        expect(again).toEqual(result)
        if (result._tag !== "Success") throw result.failure
        page = result.success
        const added = page.entries.length
        joined = [...page.entries, ...joined]
        places = [...page.unreadable ?? [], ...places.map((place) => ({ ...place, entriesBefore: place.entriesBefore + added }))]
      }
      expect(joined).toEqual(whole.entries)
      expect(places).toEqual(whole.unreadable ?? [])
      const rows = rowsOf(index, session)
      expect(rows.length).toBeLessThanOrEqual(historyWindowRows)
      const conversation = rows.filter(({ value }) =>
        value.kind === "message" || value.kind === "entry-prompt" || (value.kind === "steer" && value.delivery === "after-boundary"))
      expect(whole.entries.map(({ content, turn }) => [turn, content]))
        .toEqual(conversation.map(({ turn, value }) => [turn, "content" in value ? value.content : ""]))
      const gaps = rows.flatMap(({ value }) => value.kind === "unreadable" ? [value.sequence] : [])
      expect(places.map(({ sequence }) => sequence)).toEqual(gaps)
    }), { numRuns: 200 })
  })
})
