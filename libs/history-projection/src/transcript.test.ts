import type { TranscriptEntry } from "@steno/contracts"
import { TranscriptDocument } from "@steno/contracts"
import { Result, Schema } from "effect"
import { Base64Url } from "effect/encoding"
import { describe, expect, it } from "vitest"
import { apply, buildHistory, type HistoryIndex } from "./history-index.ts"
import { historyIds, type SessionScript, sessionScript } from "./testing.ts"
import { firstPage, pageAt, transcriptContents, transcriptExport, type TranscriptSession } from "./transcript.ts"
import { decodeTranscriptCursor, transcriptReference } from "./transcript-cursor.ts"

const main: TranscriptSession = { runId: historyIds.run(1), conversationId: historyIds.conversation(1), name: "main" }
const other: TranscriptSession = { ...main, conversationId: historyIds.conversation(2), name: "other" }

/** Turns with a call each, so that sequences and entries differ. */
const withTurns = (count: number, session = 1): SessionScript => {
  let script = sessionScript(session)
  for (let turn = 1; turn <= count; turn++) {
    const place = { turn, call: turn }
    script = script.admit(turn, { input: `input ${turn}` }).start(place).end(place, { retainedOutput: { text: "printed" } }).settle(turn)
  }
  return script
}

const allPages = (index: HistoryIndex, session: TranscriptSession) => {
  const pages = [firstPage(index, session)]
  for (let cursor = pages[0]?.older; cursor !== undefined; cursor = pages.at(-1)?.older) {
    pages.push(Result.getOrThrow(pageAt(index, session, cursor)))
  }
  return pages
}

const contents = (entries: ReadonlyArray<TranscriptEntry>) => entries.map(({ content }) => content)
const inputs = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => `input ${from + index}`)

describe("entries", () => {
  it("are the inputs of Turns, typed or authored by a program; no call and no closing line is among them", () => {
    const script = sessionScript(1)
      .admit(1, { input: "first\n" }).start({ turn: 1, call: 1 }).end({ turn: 1, call: 1 }).settle(1)
      .admit(2, { input: "second", origin: "managed", entry: true })
    const entries = transcriptContents(buildHistory(script.events), main).entries
    expect(entries).toEqual([
      { session: "main", role: "user", content: "first\n", kind: "message", turn: historyIds.turn(1) },
      { session: "main", role: "user", content: "second", kind: "entry-prompt", turn: historyIds.turn(2) }
    ])
  })

  it("keep an empty input and the input of a Turn that never started", () => {
    const script = sessionScript(1).admit(1, { input: "" }).settle(1, { result: "not-started" })
    expect(contents(transcriptContents(buildHistory(script.events), main).entries)).toEqual([""])
  })

  it("at a cutoff are those that were conversation by then", () => {
    const script = withTurns(3)
    const index = buildHistory(script.events)
    for (const { sequence } of script.events) {
      const then = buildHistory(script.events.slice(0, sequence))
      expect(transcriptContents(index, main, sequence)).toEqual(transcriptContents(then, main))
    }
  })

  it("of one Session never hold those of another", () => {
    const index = buildHistory([...withTurns(2).events, ...withTurns(3, 2).events])
    expect(transcriptExport(index, main).entries.map(({ session }) => session)).toEqual(["main", "main"])
    expect(firstPage(index, other).entries.map(({ session }) => session)).toEqual(["other", "other", "other"])
  })
})

describe("an event that cannot be read", () => {
  const script = withTurns(30).damage(5).damage(100)

  it("is named beside the entries, with its place among them, in the export and on its page", () => {
    const index = buildHistory(script.events)
    const whole = transcriptExport(index, main)
    expect(contents(whole.entries)).toEqual([...inputs(1, 1), ...inputs(3, 30)])
    expect(whole.unreadable).toMatchObject([
      { sequence: 5, storedType: "turn-admitted", entriesBefore: 1 },
      { sequence: 100, storedType: "turn-settled", entriesBefore: 24 }
    ])
    const [newest, oldest] = allPages(index, main)
    expect(newest?.entries).toHaveLength(19)
    expect(newest?.unreadable).toMatchObject([{ sequence: 100, entriesBefore: 14 }])
    expect(oldest?.unreadable).toMatchObject([{ sequence: 5, entriesBefore: 1 }])
    const document = { page: newest, export: whole }
    expect(Schema.decodeUnknownSync(TranscriptDocument, { onExcessProperty: "error" })(document)).toEqual(document)
  })

  it("may end a page, whatever its place", () => {
    const index = buildHistory(script.events)
    const sequences = [...Array(31).keys()].flatMap((limit) => {
      const found: Array<number> = []
      let page = firstPage(index, main, limit)
      for (;;) {
        found.push(...(page.unreadable ?? []).map(({ sequence }) => sequence))
        if (page.older === undefined) return [found.join()]
        page = Result.getOrThrow(pageAt(index, main, page.older, limit))
      }
    })
    expect(new Set(sequences)).toEqual(new Set(["100,5"]))
  })
})

describe("pages", () => {
  it.each([[0, [0]], [1, [1]], [20, [20]], [21, [20, 1]], [43, [20, 20, 3]], [1_001, [...Array.from({ length: 50 }, () => 20), 1]]])(
    "of %i entries join to the export, newest page first",
    (count, sizes) => {
      const index = buildHistory(withTurns(count).events)
      const pages = allPages(index, main)
      expect(pages.map(({ entries }) => entries.length)).toEqual(sizes)
      expect(pages.toReversed().flatMap(({ entries }) => entries)).toEqual(transcriptExport(index, main).entries)
      expect(contents(pages[0]?.entries ?? [])).toEqual(inputs(Math.max(1, count - 19), count))
    }
  )

  it("fit the document that clients get", () => {
    const index = buildHistory(withTurns(21).events)
    const document = { page: firstPage(index, main), export: transcriptExport(index, main) }
    expect(Schema.decodeUnknownSync(TranscriptDocument)(document)).toEqual(document)
  })

  it("keep the cutoff of the first one: what is admitted later is in no older page, and in the next first one", () => {
    const before = withTurns(43)
    const index = buildHistory(before.events)
    const cursor = firstPage(index, main).older ?? ""
    const later = before.admit(44, { input: "input 44" }).events.slice(-1).reduce(apply, index)
    expect(pageAt(later, main, cursor)).toEqual(pageAt(index, main, cursor))
    expect(contents(firstPage(later, main).entries)).toEqual(inputs(25, 44))
    expect(transcriptExport(later, main).entries).toHaveLength(44)
  })

  it("have no older one in an empty Session", () => {
    expect(firstPage(buildHistory([]), main)).toEqual({ found: true, type: "transcript-page", entries: [] })
  })

  it.each([[0, 1], [-7, 1], [0.5, 1], [Number.NaN, 1], [1, 1], [3.9, 3], [20, 20], [21, 20], [Infinity, 20]])(
    "asked with a limit of %d hold %i entries",
    (limit, held) => {
      const index = buildHistory(withTurns(43).events)
      const first = firstPage(index, main, limit)
      expect(first.entries).toHaveLength(held)
      expect(Result.getOrThrow(pageAt(index, main, first.older ?? "", limit)).entries).toHaveLength(held)
    }
  )

  it("say nothing of order, cutoff or ids of items outside their cursor", () => {
    const [page] = allPages(buildHistory(withTurns(1).events), main)
    expect(Object.keys(page?.entries[0] ?? {}).sort()).toEqual(["content", "kind", "role", "session", "turn"])
  })
})

describe("a reference", () => {
  const index = buildHistory([...withTurns(43).events, ...withTurns(43, 2).events])

  it("of a snapshot is base64url of version, kind, Run and Session, and names the newest page", () => {
    const reference = transcriptReference("page", main)
    expect(Result.getOrThrow(Base64Url.decodeString(reference)))
      .toBe(`[1,"page","${main.runId}","${main.conversationId}"]`)
    expect(Result.getOrThrow(pageAt(index, main, reference))).toEqual(firstPage(index, main))
  })

  it("of a page is plain base64url without padding", () => {
    expect(firstPage(index, main).older).toMatch(/^[A-Za-z0-9_-]+$/)
  })
})

describe("a cursor is refused", () => {
  const index = buildHistory([...withTurns(43).events, ...withTurns(43, 2).events])
  const cursor = firstPage(index, main).older ?? ""
  const [version, kind, runId, conversationId, cutoff, boundary] = JSON.parse(
    Result.getOrThrow(Base64Url.decodeString(cursor))
  ) as [1, "page", string, string, number, [number, number, number]]
  const [turn, place, sequence] = boundary
  const forged = (...parts: ReadonlyArray<unknown>) => Base64Url.encode(JSON.stringify(parts))
  const faultOf = (text: string, session = main) => {
    const result = pageAt(index, session, text)
    return Result.isFailure(result) ? result.failure.fault : result.success.type
  }
  const owner = [version, kind, runId, conversationId] as const

  it("only for a reason: unchanged it is taken", () => {
    expect(forged(...owner, cutoff, boundary)).toBe(cursor)
    expect(faultOf(cursor)).toBe("transcript-page")
    expect(cutoff).toBe(43 * 4)
  })

  it.each([
    ["empty", ""],
    ["not base64url", "%%%"],
    ["padded", `${cursor}=`],
    ["with a line end", `${cursor}\n`],
    ["with a blank in its JSON", Base64Url.encode(JSON.stringify(JSON.parse(Result.getOrThrow(Base64Url.decodeString(cursor))), null, 1))],
    ["with a number written otherwise", Base64Url.encode(Result.getOrThrow(Base64Url.decodeString(cursor)).replace(`,${cutoff},`, `,${cutoff}.0,`))],
    ["not JSON", Base64Url.encode("page")],
    ["an object", Base64Url.encode(JSON.stringify({ version, kind, runId, conversationId, cutoff, boundary }))],
    ["of another version", forged(2, kind, runId, conversationId, cutoff, boundary)],
    ["of an unknown kind", forged(version, "chapter", runId, conversationId, cutoff, boundary)],
    ["with an unknown field", forged(...owner, cutoff, boundary, "more")],
    ["with an unknown field in its boundary", forged(...owner, cutoff, [...boundary, 1])],
    ["with a field of an object", forged(...owner, cutoff, { turn, place, sequence })],
    ["without a boundary", forged(...owner, cutoff)],
    ["an export with a boundary", forged(version, "export", runId, conversationId, cutoff, boundary)],
    ["with a cutoff of 0", forged(...owner, 0, boundary)],
    ["with half a cutoff", forged(...owner, cutoff - 0.5, boundary)],
    ["with a place before the input", forged(...owner, cutoff, [turn, -2, sequence])],
    ["endless", "A".repeat(100_000)]
  ])("as unreadable: %s", (_, text) => {
    expect(faultOf(text)).toBe("unreadable")
  })

  it.each([
    ["foreign", forged(version, kind, historyIds.run(2), conversationId, cutoff, boundary)],
    ["foreign", forged(version, kind, runId, other.conversationId, cutoff, boundary)],
    ["foreign", transcriptReference("page", other)],
    ["export-reference", transcriptReference("export", main)],
    ["boundary-beyond-cutoff", forged(...owner, cutoff, [cutoff + 1, place, cutoff + 1])],
    ["boundary-beyond-cutoff", forged(...owner, cutoff, [turn, place, cutoff + 1])],
    ["boundary-beyond-cutoff", forged(...owner, turn - 1, boundary)],
    ["cutoff-ahead", forged(...owner, cutoff + 1, boundary)],
    ["boundary-unknown", forged(...owner, cutoff, [turn + 1, place, sequence + 1])],
    ["boundary-unknown", forged(...owner, cutoff, [turn, 0, turn + 1])],
    ["boundary-unknown", forged(...owner, cutoff, [turn, place, sequence + 1])]
  ])("as %s", (fault, text) => {
    expect(faultOf(text)).toBe(fault)
  })

  it("by another Session of the same Run, with a message that holds no id", () => {
    const refused = decodeTranscriptCursor(cursor, other)
    expect(Result.isFailure(refused) && refused.failure.message).toBe("The transcript cursor is refused: foreign")
  })
})
