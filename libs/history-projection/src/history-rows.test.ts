import type { StoredEvent } from "@steno/contracts"
import { describe, expect, it } from "vitest"
import { apply, buildHistory, emptyHistory, newestRows } from "./history-index.ts"
import { historyIds, type SessionScript, sessionScript } from "./testing.ts"

const rowsOf = ({ conversationId, events }: Pick<SessionScript, "conversationId" | "events">) =>
  newestRows(buildHistory(events), conversationId).rows
const valuesOf = (script: SessionScript) => rowsOf(script).map(({ value }) => value)
const admitted = sessionScript(1).admit(1)
const place = { turn: 1, call: 1 }

describe("the input of a Turn", () => {
  it.each([{ entry: true as const }, {}])("a managed input is an entry prompt, a user's a message, whatever else is marked %o", (mark) => {
    const script = sessionScript(1)
      .admit(1, { origin: "managed", input: "do it\n", ...mark })
      .settle(1)
      .admit(2, { origin: "user", input: "", ...mark })
    expect(valuesOf(script)).toEqual([
      { kind: "entry-prompt", content: "do it\n" },
      expect.objectContaining({ kind: "turn-result", origin: "managed" }),
      { kind: "message", role: "user", content: "" }
    ])
  })

  it("shows from its admission on, with the time of that", () => {
    expect(rowsOf(admitted)).toEqual([expect.objectContaining({
      source: "stored",
      turn: historyIds.turn(1),
      turnStartedAt: "2026-01-02T03:04:06.000Z",
      value: { kind: "message", role: "user", content: "input of 1" }
    })])
  })
})

describe("an event that cannot be read", () => {
  const whole = admitted.start({ ...place, firstSeen: 0 }).end(place, { exitCode: 0 }).settle(1)
    .admit(2).start({ turn: 2, call: 2 }).end({ turn: 2, call: 2 }).settle(2)
  const kinds = (script: SessionScript) =>
    valuesOf(script).map((value) => value.kind === "unreadable" ? `unreadable ${value.sequence}` : value.kind)

  it("is a row with what is known of it, and hides no other event", () => {
    expect(kinds(whole.damage(7))).toEqual(["message", "tool", "turn-result", "message", "tool", "unreadable 7", "turn-result"])
    expect(valuesOf(whole.damage(7)).find(({ kind }) => kind === "unreadable")).toEqual({
      kind: "unreadable",
      sequence: 7,
      reason: "not-json",
      storedType: "tool-call-response",
      storedVersion: 1,
      turnId: historyIds.turn(2),
      at: "2026-01-02T03:04:12.000Z",
      text: "{",
      sizeBytes: 1
    })
  })

  it("in the place of an input leaves its Turn where it stood, with a closing line of unknown origin", () => {
    expect(kinds(whole.damage(1))).toEqual(["unreadable 1", "tool", "turn-result", "message", "tool", "turn-result"])
    expect(rowsOf(whole.damage(1)).map(({ order }) => order.turn)).toEqual([1, 1, 1, 5, 5, 5])
    expect(valuesOf(whole.damage(1))[2]).toEqual({ kind: "turn-result", origin: "unknown", result: "completed" })
    expect(kinds(whole.damage(1, { turnId: historyIds.turn(1), storedType: "?" }))[0]).toBe("unreadable 1")
  })

  it("in the place of a closing line stands last in its Turn", () => {
    expect(kinds(whole.damage(4))).toEqual(["message", "tool", "unreadable 4", "message", "tool", "turn-result"])
  })

  it("of which no Turn is known stands between the Turns, by its sequence", () => {
    expect(kinds(whole.damage(5, { reason: "lost" })))
      .toEqual(["message", "tool", "turn-result", "unreadable 5", "tool", "turn-result"])
    const [, , , loose] = rowsOf(whole.damage(5, { reason: "lost" }))
    expect(loose).not.toHaveProperty("turn")
    expect(loose).not.toHaveProperty("turnStartedAt")
  })

  it.each([["observed", "unconfirmed"], ["user", "indeterminate"]] as const)(
    "that may have been the end of a call of origin %s leaves it %s, also in an open Turn",
    (origin, outcome) => {
      const open = admitted.start(place, { origin }).end(place)
      for (const script of [open.damage(3), open.settle(1).damage(3)]) {
        expect(valuesOf(script).find(({ kind }) => kind === "tool")).toMatchObject({ input: "command 1", outcome })
      }
    }
  )

  it("that was the start of a call leaves what its end says", () => {
    expect(valuesOf(whole.damage(2)).find(({ kind }) => kind === "tool")).toMatchObject({ input: "", outcome: "completed", exitCode: 0 })
  })
})

describe("the row of a command", () => {
  const begun = { kind: "tool", callId: historyIds.call(1), tool: "bash", input: "command 1", cwd: "/workspace" }
  const lastValue = (script: SessionScript) => rowsOf(script).find(({ value }) => value.kind === "tool")?.value

  it("shows what was begun while it runs", () => {
    expect(lastValue(admitted.start(place))).toEqual({ ...begun, state: "running" })
  })

  it("shows every fact of its end and no state any more", () => {
    const facts = {
      durationMs: 12.5,
      survivors: [{ pid: 4711, command: "sleep 300" }],
      warnings: [{ code: "capture-storage-full", text: "The disk was full." }],
      exitCode: 3,
      signal: "SIGTERM",
      reason: { code: "timed-out", text: "The time limit was reached." }
    }
    const card = {
      arguments: { lines: ["command 1"], hidden: 0, noun: "lines", direction: "head" as const },
      result: { lines: ["out"], hidden: 0, noun: "lines", direction: "tail" as const }
    }
    const file = { observedBytes: 40, storedBytes: 17, droppedBytes: 23, observedLines: 1, storedLines: 1 }
    const value = lastValue(admitted.start(place).end(place, {
      ...facts,
      outcome: "failed",
      agentProjection: "for a model only",
      cardProjection: card,
      retainedOutput: { text: "half", dropped: true, incomplete: true },
      capture: { stdout: file, stderr: { ...file, droppedBytes: 5 }, output: file }
    }))
    expect(value).toEqual({
      ...begun,
      ...facts,
      outcome: "failed",
      card,
      droppedBytes: 23,
      output: { text: "half", dropped: true, incomplete: true }
    })
  })

  it("leaves out what there is none of, and tells no output from empty output", () => {
    const file = { observedBytes: 0, storedBytes: 0, droppedBytes: 0, observedLines: 0, storedLines: 0 }
    const started = admitted.start(place)
    expect(lastValue(started.end(place, { capture: { stdout: file, stderr: file, output: file } })))
      .toEqual({ ...begun, outcome: "completed" })
    expect(lastValue(started.end(place, { exitCode: 0, retainedOutput: { text: "" } })))
      .toEqual({ ...begun, outcome: "completed", exitCode: 0, output: { text: "" } })
  })

  it.each(
    [
      ["user", "indeterminate", "indeterminate"],
      ["client", "indeterminate", "indeterminate"],
      ["observed", "indeterminate", "unconfirmed"],
      ["observed", "completed", "completed"],
      ["observed", "denied", "denied"],
      ["user", "cancelled", "cancelled"]
    ] as const
  )("of origin %s that ended %s is shown %s", (origin, outcome, shown) => {
    const script = admitted.start(place, { origin }).end(place, { origin, outcome }).settle(1, { result: "completed" })
    expect(lastValue(script)).toMatchObject({ outcome: shown })
  })

  it("never goes on in a settled Turn, also when its end is missing", () => {
    expect(lastValue(admitted.start(place).settle(1))).toEqual({ ...begun, outcome: "indeterminate" })
    expect(lastValue(admitted.start(place, { origin: "observed" }).settle(1))).toEqual({ ...begun, outcome: "unconfirmed" })
  })

  it("keeps the place of its start: a start with 2 and an end stamped 99 stand at 2", () => {
    const script = admitted
      .start({ turn: 1, call: 1, firstSeen: 2 })
      .start({ turn: 1, call: 2, firstSeen: 3 })
      .end({ turn: 1, call: 2, firstSeen: 3 })
      .end({ turn: 1, call: 1, firstSeen: 99 })
    expect(valuesOf(script)).toMatchObject([{ kind: "message" }, { input: "command 1" }, { input: "command 2" }])
  })

  it("ignores a second start and a second end, whatever they say", () => {
    const script = admitted.start(place).end(place, { exitCode: 1 })
    const repeated = script
      .start({ ...place, firstSeen: 7 }, { arguments: { command: "another", cwd: "/" } })
      .end({ ...place, firstSeen: 8 }, { outcome: "failed" })
    expect(rowsOf(repeated)).toEqual(rowsOf(script))
  })

  it("two interleaved calls of one tool settle in their own rows; an unmatched third is unconfirmed", () => {
    const at = (call: number) => ({ turn: 1, call, firstSeen: call })
    const observed = { origin: "observed" as const }
    const script = admitted
      .start(at(1), observed).start(at(2), observed).start(at(3), observed)
      .end(at(2), { ...observed, retainedOutput: { text: "two" } })
      .end(at(1), { ...observed, retainedOutput: { text: "one" } })
      .end(at(3), { ...observed, outcome: "indeterminate" })
      .settle(1)
    expect(valuesOf(script).slice(1, 4)).toMatchObject([
      { input: "command 1", outcome: "completed", output: { text: "one" } },
      { input: "command 2", outcome: "completed", output: { text: "two" } },
      { input: "command 3", outcome: "unconfirmed" }
    ])
  })
})

describe("the closing line", () => {
  const closed = (result: "completed" | "failed" | "interrupted" | "lost" | "not-started", atMs?: number) =>
    valuesOf(admitted.settle(1, { result }, atMs))

  it.each(["completed", "failed", "interrupted"] as const)("of a Turn that is %s has origin, harness and duration", (result) => {
    expect(closed(result)).toEqual([
      { kind: "message", role: "user", content: "input of 1" },
      { kind: "turn-result", origin: "user", result, harness: { id: "command" }, durationMs: 1_000 }
    ])
  })

  it.each(["lost", "not-started"] as const)("of a Turn that is %s has no duration; the input stays", (result) => {
    expect(closed(result)).toEqual([
      { kind: "message", role: "user", content: "input of 1" },
      { kind: "turn-result", origin: "user", result, harness: { id: "command" } }
    ])
  })

  it("has no duration when the clock went back, and one of zero when it stood still", () => {
    const admittedMs = Date.parse("2026-01-02T03:04:06.000Z")
    expect(closed("completed", admittedMs - 1).at(-1)).not.toHaveProperty("durationMs")
    expect(closed("completed", admittedMs).at(-1)).toHaveProperty("durationMs", 0)
  })

  it("stands last in its Turn, above the next Turn's input, and the first result stays", () => {
    const script = admitted.start(place).settle(1, { result: "lost" }).admit(2)
      .end(place).settle(1, { result: "completed" })
    expect(valuesOf(script).map((value) => value.kind)).toEqual(["message", "tool", "turn-result", "message"])
    expect(valuesOf(script)[2]).toMatchObject({ result: "lost" })
  })
})

describe("identity", () => {
  const sameItem = (script: SessionScript, turn: number, call: number) =>
    script.admit(turn).start({ turn, call, itemId: "item-1" }).end({ turn, call, itemId: "item-1" }).settle(turn)

  it("one item id in three Turns and two Sessions stays three rows and two", () => {
    const first = sameItem(sameItem(sameItem(sessionScript(1), 1, 1), 2, 2), 3, 3)
    const second = sameItem(sameItem(sessionScript(2), 1, 4), 2, 5)
    const index = buildHistory([...first.events, ...second.events])
    const callsOf = ({ conversationId }: SessionScript) =>
      newestRows(index, conversationId).rows.flatMap(({ value }) => value.kind === "tool" ? [value.callId] : [])
    expect(callsOf(first)).toEqual([1, 2, 3].map(historyIds.call))
    expect(callsOf(second)).toEqual([4, 5].map(historyIds.call))
  })

  it("an item may be called like an input or a closing line", () => {
    const script = admitted
      .start({ turn: 1, call: 1, itemId: "input", firstSeen: 0 })
      .start({ turn: 1, call: 2, itemId: "turn-result", firstSeen: 1 })
      .settle(1)
    expect(new Set(rowsOf(script).map(({ key }) => key)).size).toBe(4)
  })

  it("a Session nobody wrote to has no rows and nothing earlier", () => {
    expect(newestRows(buildHistory(admitted.events), historyIds.conversation(2))).toEqual({ rows: [], hasEarlier: false })
  })
})

describe("applying an event", () => {
  const long = Array.from({ length: 40 }, (_, index) => index + 1)
    .reduce((script, call) => script.start({ turn: 1, call, firstSeen: call }), admitted)

  it("answers the same index for an event it holds", () => {
    const index = buildHistory(long.events)
    for (const event of long.events) expect(apply(index, event)).toBe(index)
  })

  it("changes the one row it is about and shares all others", () => {
    const index = buildHistory(long.events)
    const before = newestRows(index, long.conversationId).rows
    const [end] = long.end({ turn: 1, call: 20, firstSeen: 20 }).events.slice(-1) as [StoredEvent]
    const after = newestRows(apply(index, end), long.conversationId).rows
    const changed = after.filter(({ value }, row) => value !== before[row]?.value)
    expect(changed).toMatchObject([{ value: { callId: historyIds.call(20), outcome: "completed" } }])
    expect(newestRows(index, long.conversationId).rows).toEqual(before)
  })

  it("leaves the empty index empty", () => {
    buildHistory(long.events)
    expect(newestRows(emptyHistory, long.conversationId).rows).toEqual([])
  })
})

describe("the window", () => {
  const withCalls = (count: number) => {
    const calls = Array.from({ length: count }, (_, index) => ({ turn: 1, call: index + 1, firstSeen: index }))
    const started = calls.reduce((script, each) => script.start(each), admitted)
    return calls.reduce((script, each) => script.end(each), started)
  }
  const windowOf = ({ conversationId, events }: SessionScript) => newestRows(buildHistory(events), conversationId)

  it.each([[198, 199, false], [199, 200, false], [200, 200, true]])(
    "an input and %i calls, each counted once, are %i rows, more before them: %s",
    (calls, rows, hasEarlier) => {
      const window = windowOf(withCalls(calls))
      expect({ rows: window.rows.length, hasEarlier: window.hasEarlier }).toEqual({ rows, hasEarlier })
    }
  )

  it("holds the newest rows", () => {
    const { rows } = windowOf(withCalls(250).settle(1))
    expect(rows[0]?.value).toMatchObject({ callId: historyIds.call(52) })
    expect(rows.at(-1)?.value).toMatchObject({ kind: "turn-result" })
  })
})
