import { describe, expect, it } from "vitest"
import { apply, buildHistory, newestRows } from "./history-index.ts"
import type { HistoryWindow } from "./history-row.ts"
import { numberWindow, openRowNumbering, type RowNumbering } from "./row-numbering.ts"
import { historyIds, type SessionScript, sessionScript } from "./testing.ts"

const windowOf = ({ conversationId, events }: SessionScript, limit?: number): HistoryWindow =>
  newestRows(buildHistory(events), conversationId, limit)

const withTurns = (count: number, script: SessionScript = sessionScript(1), from = 1) =>
  Array.from({ length: count }, (_, index) => from + index).reduce((each, turn) => each.admit(turn), script)

/** Pages of one subscription, one per window. */
const pagesOf = (windows: ReadonlyArray<HistoryWindow>, numbering: RowNumbering = openRowNumbering("a")) => {
  let current = numbering
  const pages = windows.map((window) => {
    const result = numberWindow(current, window)
    current = result.numbering
    return result.page
  })
  return { pages, numbering: current }
}

const place = { turn: 1, call: 1, itemId: "native-7" }

describe("rows of a subscription", () => {
  it("keep id and position while a call goes on to its end, and carry nothing of the Seam", () => {
    const started = sessionScript(1).admit(1).start(place)
    const settled = started.end(place, { outcome: "indeterminate" }).settle(1, { result: "lost" })
    const { pages: [before, after] } = pagesOf([windowOf(started), windowOf(settled)])
    const names = (page: typeof before) => page?.rows.map(({ id, position }) => [id, position])
    expect(names(after)?.slice(0, 2)).toEqual(names(before))
    expect(after?.rows[1]?.value).toMatchObject({ outcome: "indeterminate" })
    expect(JSON.stringify(after)).not.toContain("native-7")
    expect(Object.keys(after?.rows[0] ?? {}).sort()).toEqual(["id", "position", "source", "turn", "turnStartedAt", "value"])
  })

  it("are the same page as long as nothing in it changes: after a duplicate, or another Session's event", () => {
    const script = sessionScript(1).admit(1).start(place)
    const index = buildHistory(script.events)
    const first = numberWindow(openRowNumbering("a"), newestRows(index, script.conversationId))
    const unrelated = [
      ...script.start({ ...place, firstSeen: 9 }).events.slice(-1),
      ...sessionScript(2).admit(1).events
    ].reduce(apply, index)
    const second = numberWindow(first.numbering, newestRows(unrelated, script.conversationId))
    expect(second.page).toBe(first.page)
    const ended = script.end(place).events.slice(-1).reduce(apply, unrelated)
    const third = numberWindow(second.numbering, newestRows(ended, script.conversationId))
    expect(third.page).not.toBe(first.page)
    expect(third.page.rows[0]).toBe(first.page.rows[0])
  })

  it("have other ids in another subscription and the same order", () => {
    const window = windowOf(withTurns(3))
    const [one] = pagesOf([window], openRowNumbering("a")).pages
    const [other] = pagesOf([window], openRowNumbering("b")).pages
    const ids = new Set([...one?.rows ?? [], ...other?.rows ?? []].map(({ id }) => id))
    expect(ids.size).toBe(6)
    expect(other?.rows.map(({ value }) => value)).toEqual(one?.rows.map(({ value }) => value))
  })

  it("find a place between others when an item that appeared earlier is stored later", () => {
    const first = sessionScript(1).admit(1).start({ turn: 1, call: 2, firstSeen: 1 })
    const { pages: [before, after] } = pagesOf([windowOf(first), windowOf(first.start({ turn: 1, call: 1, firstSeen: 0 }))])
    const [input, call] = before?.rows ?? []
    const positions = after?.rows.map(({ position }) => position) ?? []
    expect([positions[0], positions[2]]).toEqual([input?.position, call?.position])
    expect(positions).toEqual(positions.toSorted())
    expect(after?.rows[1]?.value).toMatchObject({ callId: historyIds.call(1) })
  })
})

describe("the window of a subscription", () => {
  it("drops the oldest of 201 rows, and it never returns, also when rows below it vanish", () => {
    const full = withTurns(200)
    const over = windowOf(withTurns(1, full, 201))
    const shrunk = { rows: windowOf(full).rows, hasEarlier: false }
    const { pages: [first, second, third] } = pagesOf([windowOf(full), over, shrunk])
    expect(first).toMatchObject({ hasEarlier: false })
    expect(second?.rows.map(({ turn }) => turn)).toEqual(over.rows.map(({ turn }) => turn))
    expect(third?.rows.map(({ id }) => id)).toEqual(first?.rows.slice(1).map(({ id }) => id))
    expect([second?.hasEarlier, third?.hasEarlier, third?.rows.length]).toEqual([true, true, 199])
  })

  it("belongs to it: a new subscription shows what fell off another", () => {
    const full = windowOf(withTurns(3), 3)
    const { pages: [, moved] } = pagesOf([full, windowOf(withTurns(4), 3)])
    const [fresh] = pagesOf([full], openRowNumbering("b")).pages
    expect(moved?.rows.map(({ turn }) => turn)).toEqual([2, 3, 4].map(historyIds.turn))
    expect(fresh?.rows.map(({ turn }) => turn)).toEqual([1, 2, 3].map(historyIds.turn))
  })

  it("does not show the end of a call that fell off", () => {
    const started = withTurns(3, sessionScript(1).admit(1).start(place), 2)
    const ended = started.end(place)
    const index = buildHistory(started.events)
    const first = numberWindow(openRowNumbering("a"), newestRows(index, started.conversationId, 3))
    const second = numberWindow(first.numbering, windowOf(ended, 3))
    expect(second.page.rows.map(({ id }) => id)).toEqual(first.page.rows.map(({ id }) => id))
    expect(second.page.rows.every(({ value }) => value.kind === "message")).toBe(true)
  })

  it("goes on above every position it gave, also where all rows of a page fell off before the next", () => {
    const { pages: [before, after] } = pagesOf([windowOf(withTurns(3), 3), windowOf(withTurns(9), 3)])
    const positions = [...before?.rows ?? [], ...after?.rows ?? []].map(({ position }) => position)
    expect(positions).toHaveLength(6)
    expect(positions).toEqual([...new Set(positions)].sort())
  })

  it("holds ids of its own rows only, however long the subscription lives", () => {
    let script = sessionScript(1)
    let numbering = openRowNumbering("a")
    for (let turn = 1; turn <= 50; turn++) {
      script = script.admit(turn)
      numbering = numberWindow(numbering, windowOf(script, 5)).numbering
    }
    expect(numbering.given.size).toBe(5)
    expect(numbering.count).toBe(50)
  })
})
