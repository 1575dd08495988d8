import { describe, expect, it } from "vitest"
import { type Candidate, makeCandidate, textBlock, textItem } from "./candidate.ts"
import type { ProfileName } from "./profiles.ts"
import { makeResultFile } from "./testing.ts"
import { type OverflowStrategy, viewOfCandidate } from "./value-view.ts"

const lines = (count: number, text = (line: number) => `line ${line}`) =>
  Array.from({ length: count }, (_, index) => text(index + 1)).join("\n")

const view = (candidate: Partial<Candidate>, profile: ProfileName, strategy: OverflowStrategy, files = [makeResultFile()]) =>
  viewOfCandidate(makeCandidate(candidate), profile, strategy, files)

const longPath = makeResultFile({ path: `/${"p".repeat(30_000)}` })
const recovery = "Complete result (json, 9999 bytes): /home/data/result.json; look at it with read or grep; running the call again is not needed"

describe("head", () => {
  const show = (text: string, files = [makeResultFile()]) =>
    view({ blocks: [textBlock(text)] }, "mutation_acknowledgement", "head", files)

  it("40 lines are unchanged and name no file", () => {
    expect(show(lines(40))).toMatchObject({ text: lines(40), decision: { fits: true, strategy: "unchanged", omitted: [] } })
  })

  it("41 lines leave room for the notice and say what is missing and where it lies", () => {
    const { decision, text } = show(lines(41))
    expect(text).toBe(`${lines(38)}\n[38 of 41 lines shown (294 of 318 bytes), 3 not shown.]\n${recovery}`)
    expect(decision).toMatchObject({
      fits: false,
      strategy: "head",
      totalLines: 41,
      totalBytes: 318,
      payloadLines: 38,
      payloadBytes: 294,
      omitted: [{ from: 39, to: 41 }]
    })
  })

  it("4,000 bytes are unchanged, 4,001 are not", () => {
    expect(show(`${"x".repeat(3_995)}\nlast`).decision).toMatchObject({ fits: true, totalBytes: 4_000 })
    const over = show(`${"x".repeat(3_996)}\nlast`)
    expect(over.decision).toMatchObject({ fits: false, totalBytes: 4_001, payloadLines: 0 })
    expect(over.text).toBe(`[0 of 2 lines shown (0 of 4001 bytes), 2 not shown.]\n${recovery}`)
  })

  it("is the notice alone, with its whole path, when not even that fits", () => {
    expect(show(lines(41), [longPath]).text.split("\n")).toEqual([
      "[0 of 41 lines shown (0 of 318 bytes), 41 not shown.]",
      expect.stringContaining(longPath.path)
    ])
  })
})

describe("item-aware", () => {
  const items = (count: number, text = (line: number) => `a.ts:${line}: x`) =>
    Array.from({ length: count }, (_, index) => textItem(text(index + 1), "match"))
  const show = (candidate: Partial<Candidate>, files = [makeResultFile()]) =>
    view({ overflow: { noun: "match", plural: "matches", guidance: "Narrow it." }, ...candidate }, "search_matches", "item-aware", files)

  it("80 items are unchanged", () => {
    expect(show({ items: items(80) }).decision).toMatchObject({ fits: true, strategy: "unchanged", payloadLines: 80 })
  })

  it("of 81 items it shows the first 78, the notice and the file", () => {
    const { decision, text } = show({ items: items(81) })
    expect(text.split("\n").slice(-3)).toEqual(["a.ts:78: x", "[78 of 81 matches shown, 3 not shown. Narrow it.]", recovery])
    expect(decision).toMatchObject({ strategy: "item-aware", omitted: [{ from: 79, to: 81 }] })
  })

  it("counts what the tool found, not what came back", () => {
    const { text } = show({
      items: items(100),
      counts: [{ noun: "match", plural: "matches", total: 4_000 }],
      limited: "the search stopped at its limit"
    })
    expect(text).toContain("[78 of 4000 matches shown, 3922 not shown; the search stopped at its limit. Narrow it.]")
  })

  it("jumps over no item", () => {
    const { decision, text } = show({ items: items(30, (line) => line === 3 ? "y".repeat(15_000) : `${line} ${"x".repeat(700)}`) })
    expect(decision.kept.map(({ line }) => line)).toEqual([1, 2])
    expect(text).toContain("[2 of 30 matches shown, 28 not shown.")
  })

  it("clips an item that alone exceeds the budget, marks it and goes on", () => {
    const { decision, text } = show({ items: items(3, (line) => line === 2 ? `<${"y".repeat(20_000)}>` : `item ${line}`) })
    const [, start = "", leftOut, end = ""] = /^item 1\n<(y+) \[…(\d+) bytes left out…\] (y+)>\nitem 3\n/.exec(text) ?? []
    expect(start.length + Number(leftOut) + end.length).toBe(20_000)
    expect(start.length).toBeGreaterThan(end.length)
    expect(text).toContain("[3 of 3 matches shown, 0 not shown, 1 shown in part. Narrow it.]")
    expect(decision.kept.map(({ why }) => why)).toEqual(["in order", "in order, clipped: it alone exceeds the budget", "in order"])
  })

  it("is the notice alone when not even that fits", () => {
    expect(show({ items: items(81) }, [longPath]).text.split("\n")).toHaveLength(2)
  })

  it("shows at most 120 paths of a listing however short they are", () => {
    const listing = (count: number) => view({ items: items(count, () => "a") }, "file_listing", "item-aware")
    expect(listing(120).decision.fits).toBe(true)
    expect(listing(121).decision).toMatchObject({ fits: false, payloadLines: 118 })
  })
})

describe("continuation-aware", () => {
  const show = (count: number, firstLine = 1, totalLines = count, text = (line: number) => `line ${line}`) =>
    view(
      {
        blocks: [textBlock(lines(count, text))],
        footer: `[lines ${firstLine}–${firstLine + count - 1} of ${totalLines}]`,
        range: { firstLine, totalLines }
      },
      "source_text",
      "continuation-aware",
      []
    )

  it("200 lines are unchanged, with the tool's own footer", () => {
    expect(show(200)).toMatchObject({ text: `${lines(200)}\n[lines 1–200 of 200]`, decision: { fits: true } })
  })

  it("of 201 lines it shows 200 and goes on at 201", () => {
    expect(show(201)).toMatchObject({
      text: `${lines(200)}\n[lines 1–200 of 201, 1 not shown; continue at offset 201]`,
      decision: { fits: false, continuation: { kind: "line", value: 201 }, omitted: [{ from: 201, to: 201 }] }
    })
  })

  it("500 lines from the first go on at 201, in the middle of a file behind what is shown", () => {
    expect(show(500).text).toContain("[lines 1–200 of 500, 300 not shown; continue at offset 201]")
    expect(show(500, 1_001, 9_000).text).toContain("[lines 1001–1200 of 9000, 7800 not shown; continue at offset 1201]")
  })

  it("counts what bytes leave of 200 lines", () => {
    const { decision, text } = show(100, 1, 100, () => "x".repeat(999))
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(24_000)
    expect(text).toContain("[lines 1–23 of 100, 77 not shown; continue at offset 24]")
    expect(decision.payloadLines).toBe(23)
  })

  it("is the notice alone, with a way behind it, when the first line exceeds the budget", () => {
    const { decision, text } = show(3, 7, 9, () => "x".repeat(24_000))
    expect(text).toBe("[line 7 of 9 alone has 24000 bytes, more than fits; 3 not shown; continue at offset 8]")
    expect(decision).toMatchObject({ payloadLines: 0, continuation: { kind: "line", value: 8 }, omitted: [{ from: 1, to: 3 }] })
  })

  it("is the head with every way to go on where there are no lines", () => {
    const { text } = view(
      { blocks: [textBlock("x".repeat(25_000))], continuation: [{ kind: "byte", value: 25_000 }] },
      "source_text",
      "continuation-aware",
      []
    )
    expect(text).toBe("[0 of 1 line shown (0 of 25000 bytes), 1 not shown. Continue at byte 25000.]")
  })
})

describe("artifact-index", () => {
  it("names every file instead of the content", () => {
    const file = makeResultFile({ label: "Chart", role: "primary", format: "png", sizeBytes: 1, tools: ["read"], path: "/f/a b.png" })
    const { text } = view({ status: ["two files"], blocks: [textBlock(lines(13))] }, "terminal_outcome", "artifact-index", [])
    expect(text).toBe(`two files\n${lines(13)}`)
    expect(view({ status: ["two files"], blocks: [textBlock(lines(61))] }, "terminal_outcome", "artifact-index", [file, makeResultFile()]).text)
      .toBe(`two files\n[0 of 61 lines shown (478 bytes), 61 not shown.]\nChart (png, 1 byte): "/f/a b.png"; look at it with read\n${recovery}`)
  })

  it("without a file says so and shows the first lines", () => {
    const { decision, text } = view({ blocks: [textBlock(lines(61))] }, "terminal_outcome", "artifact-index", [])
    expect(text).toContain("line 39\n[39 of 61 lines shown (302 of 478 bytes), 22 not shown; no file holds the rest.]")
    expect(decision.strategy).toBe("artifact-index")
  })
})

describe("compound", () => {
  const report = (index: number, count: number, files = [makeResultFile({ path: `/r/${index}.md`, label: "Report" })]) =>
    makeCandidate({ status: [`Report ${index}`], blocks: [textBlock(lines(count))], files })

  it("shows eight reports of 60 lines each unchanged: no ceiling holds over them", () => {
    const { decision, text } = view({ reports: Array.from({ length: 8 }, (_, at) => report(at + 1, 60)) }, "delegated_reports", "compound", [])
    expect(decision).toMatchObject({ fits: true, strategy: "unchanged", omitted: [] })
    expect(text.split("\n")).toHaveLength(8 * 61 + 7)
    expect(text).not.toContain("/r/")
  })

  it("names the file of a report of 61 lines, with one notice for all", () => {
    const { decision, text } = view({ reports: [report(1, 60), report(2, 61), report(3, 70)] }, "delegated_reports", "compound", [])
    expect(text).toContain("line 60\n\nReport 2\nReport (json, 9999 bytes): /r/2.md; look at it with read or grep")
    expect(text.match(/^\[.*$/gm)).toEqual([
      "[1 of 3 reports shown whole; shown in part: report 2 (0 of 61 lines, 0 of 478 bytes), report 3 (0 of 70 lines, 0 of 550 bytes).]"
    ])
    expect(decision).toMatchObject({ fits: false, strategy: "compound", omitted: [{ from: 2, to: 2 }, { from: 3, to: 3 }] })
  })

  it("a report of 6,000 bytes is whole, one of 6,001 without a file shows its first lines in 12 lines and 3,000 bytes", () => {
    const wide = (bytes: number) =>
      makeCandidate({ status: ["Report 1"], blocks: [textBlock(`${lines(29, () => "x".repeat(199))}\n${"y".repeat(bytes - 5_800)}`)] })
    expect(view({ reports: [wide(6_000)] }, "delegated_reports", "compound", []).decision).toMatchObject({ fits: true, payloadBytes: 6_000 })
    const { text, decision } = view({ reports: [wide(6_001)] }, "delegated_reports", "compound", [])
    expect(text.startsWith("Report 1\n(no file holds the rest)\nxxx")).toBe(true)
    expect(decision).toMatchObject({ payloadLines: 10, payloadBytes: 1_999, kept: [{ line: 1, why: "first lines" }] })
  })
})
