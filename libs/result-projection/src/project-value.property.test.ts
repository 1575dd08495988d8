import { AssetId, ToolName } from "@steno/contracts"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { type Block, type Candidate, makeCandidate } from "./candidate.ts"
import { looksSecret } from "./secret-keys.ts"
import { type Profile, profiles } from "./profiles.ts"
import { projectValue } from "./project-value.ts"
import { makeResultFile, makeValueCall } from "./testing.ts"
import { type OverflowStrategy, viewOfCandidate } from "./value-view.ts"

const piece = fc.oneof(
  fc.constantFrom("\n", "\n", "\n", "\r\n", "\r", "\u001b[31m", "\u001b[2K", "\u0000", "\ud800", " ", "日", "🙂", "word ", "https://u:p@h/?token=x "),
  fc.string({ unit: "binary", maxLength: 12 }),
  fc.nat({ max: 9_000 }).map((length) => "z".repeat(length))
)
const text = fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join(""))
const tall = fc.nat({ max: 400 }).map((count) => Array.from({ length: count }, (_, line) => `line ${line}`).join("\n"))
const image = { assetId: AssetId.make("asset_01JAVW4QKD7QZB2N5T8M3X9C1S"), mediaType: "image/png" }
const block: fc.Arbitrary<Block> = fc.oneof(
  { weight: 5, arbitrary: fc.oneof(text, tall).map((value) => ({ kind: "text" as const, text: value })) },
  { weight: 1, arbitrary: fc.constant({ kind: "image" as const, image }) }
)
const overflow = fc.record({ noun: fc.constant("match"), plural: fc.constant("matches"), guidance: fc.constant("Narrow it.") })
const item = fc.array(block, { minLength: 1, maxLength: 2 }).map((blocks) => ({ blocks, unit: "match" }))
const files = fc.array(fc.constantFrom(makeResultFile(), makeResultFile({ path: "/chart", role: "primary" })), { maxLength: 2 })

const ofBlocks = fc.record({ blocks: fc.array(block, { maxLength: 4 }), overflow })
const ofItems = fc.record({
  items: fc.oneof(fc.array(item, { maxLength: 12 }), fc.nat({ max: 300 }).map((count) =>
    Array.from({ length: count }, (_, at) => ({ blocks: [{ kind: "text" as const, text: `item ${at}` }], unit: "match" })))),
  counts: fc.nat({ max: 1_000 }).map((total) => [{ noun: "match", plural: "matches", total }]),
  overflow
})
const wide = fc.array(fc.nat({ max: 700 }), { minLength: 30, maxLength: 150 }).map((widths) =>
  widths.map((width) => "y".repeat(width)).join("\n"))
const ofRange = fc.tuple(fc.oneof(tall, wide), fc.integer({ min: 1, max: 5_000 }), fc.nat({ max: 3_000 })).map(([content, firstLine, more]) => ({
  blocks: [{ kind: "text" as const, text: content }],
  footer: "[footer]",
  range: { firstLine, totalLines: firstLine + content.split("\n").length - 1 + more }
}))
const status = fc.array(fc.constantFrom("status", "/a/root: 7 files"), { maxLength: 2 })
const candidate: fc.Arbitrary<Candidate> = fc.tuple(fc.oneof(ofBlocks, ofItems, ofRange), status)
  .map(([parts, lines]) => makeCandidate({ ...parts, status: lines }))

const strategies: ReadonlyArray<OverflowStrategy> = ["head", "item-aware", "continuation-aware", "artifact-index"]
const names = ["source_text", "search_matches", "file_listing", "mutation_acknowledgement", "lifecycle_state", "human_response", "conservative_fallback"] as const
const shortened = fc.record({
  candidate,
  profile: fc.constantFrom(...names),
  strategy: fc.constantFrom(...strategies),
  files
})

const size = (value: string) => ({ lines: value === "" ? 0 : value.split("\n").length, bytes: Buffer.byteLength(value) })

const noticesOf = (agent: string): ReadonlyArray<string> =>
  agent.split("\n").filter((line) => /^\[.*(?:not shown|shown in part)/.test(line))

describe("any candidate under any profile and strategy", () => {
  it("never exceeds a budget: unchanged the payload, else the whole text", () => {
    fc.assert(fc.property(shortened, ({ candidate: given, files: named, profile: name, strategy }) => {
      const profile: Profile = profiles[name]
      const { decision, text: shown } = viewOfCandidate(given, name, strategy, named)
      const budget = decision.fits ? profile.inline : profile.overflow
      expect(decision.payloadLines).toBeLessThanOrEqual(budget.lines)
      expect(decision.payloadBytes).toBeLessThanOrEqual(budget.bytes)
      if (!decision.fits) {
        expect(size(shown).lines).toBeLessThanOrEqual(budget.lines)
        expect(size(shown).bytes).toBeLessThanOrEqual(budget.bytes)
      }
    }), { numRuns: 300 })
  })

  it("is well-formed, holds no control character, and is the same a second time", () => {
    fc.assert(fc.property(shortened, ({ candidate: given, files: named, profile, strategy }) => {
      const view = viewOfCandidate(given, profile, strategy, named)
      expect(view.text.isWellFormed()).toBe(true)
      expect(view.text).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/)
      expect(viewOfCandidate(given, profile, strategy, named)).toEqual(view)
    }), { numRuns: 200 })
  })

  it("has no notice when it fits, else exactly one, whose numbers add up", () => {
    fc.assert(fc.property(shortened, ({ candidate: given, files: named, profile, strategy }) => {
      const { decision, text: shown } = viewOfCandidate(given, profile, strategy, named)
      const notices = noticesOf(shown)
      expect(notices).toHaveLength(decision.fits ? 0 : 1)
      const [shownCount, total, omitted] = (/\[(\d+) of (\d+) .*?shown.*?, (\d+) not shown/.exec(notices[0] ?? "") ?? []).slice(1).map(Number)
      if (shownCount !== undefined && total !== undefined) {
        expect(shownCount + (omitted ?? NaN)).toBe(total)
        expect(decision.omitted.reduce((sum, { from, to }) => sum + to - from + 1, 0)).toBe(omitted)
        expect(decision.kept).toHaveLength(shownCount)
      }
      const range = /\[lines (\d+)–(\d+) of (\d+), (\d+) not shown; continue at offset (\d+)\]/.exec(notices[0] ?? "")?.slice(1).map(Number)
      const alone = /\[line (\d+) of (\d+) alone .* (\d+) not shown; continue at offset (\d+)\]/.exec(notices[0] ?? "")?.slice(1).map(Number)
      if (alone !== undefined) {
        const [line = 0, all = 0, rest, next] = alone
        expect([line + 1, all - line + 1]).toEqual([next, rest])
        expect(decision.continuation).toEqual({ kind: "line", value: next })
      }
      if (range !== undefined) {
        const [first = 0, last = 0, all = 0, rest = 0, next] = range
        expect([last + rest, next, last - first + 1]).toEqual([all, last + 1, decision.payloadLines])
        expect(decision.continuation).toEqual({ kind: "line", value: next })
      }
    }), { numRuns: 300 })
  })

  it("is whole lines of the original, in order, from the first one on", () => {
    fc.assert(fc.property(fc.array(fc.string({ unit: "grapheme", maxLength: 300 }).map((line) => line.replaceAll(/\p{Cc}/gu, "")), { minLength: 60, maxLength: 300 }), (lines) => {
      const given = makeCandidate({ blocks: [{ kind: "text", text: `>${lines.join("\n")}\n<` }] })
      const { decision, text: shown } = viewOfCandidate(given, "mutation_acknowledgement", "head", [])
      const original = `>${lines.join("\n")}\n<`.split("\n")
      expect(shown.split("\n").slice(0, -1)).toEqual(original.slice(0, decision.payloadLines))
    }), { numRuns: 100 })
  })

  it("costs the same with images as without", () => {
    fc.assert(fc.property(shortened, fc.integer({ min: 1, max: 500 }), ({ candidate: given, files: named, profile, strategy }, count) => {
      const withImages = { ...given, blocks: [...given.blocks, ...Array.from({ length: count }, () => ({ kind: "image" as const, image }))] }
      const plain = viewOfCandidate(given, profile, strategy, named)
      const { decision, images, text: shown } = viewOfCandidate(withImages, profile, strategy, named)
      expect({ decision, shown }).toEqual({ decision: plain.decision, shown: plain.text })
      expect(images).toHaveLength(plain.images.length + count)
    }), { numRuns: 100 })
  })

  it("never has a path cut: it is whole or absent", () => {
    fc.assert(fc.property(candidate, fc.nat({ max: 5_000 }), (given, length) => {
      const path = `/${"p".repeat(length)}/end`
      const { text: shown } = viewOfCandidate(given, "mutation_acknowledgement", "head", [makeResultFile({ path })])
      expect(shown.includes("Complete result")).toBe(shown.includes(`${path};`))
    }), { numRuns: 100 })
  })
})

describe("any reports", () => {
  it("keep the budget of each, whatever the others are, with one notice that counts those not whole", () => {
    const report = fc.record({ body: fc.oneof(text, tall), file: fc.boolean() })
    fc.assert(fc.property(fc.array(report, { minLength: 1, maxLength: 8 }), (reports) => {
      const given = makeCandidate({
        reports: reports.map(({ body, file }, at) => makeCandidate({
          status: [`Report ${at + 1}`],
          blocks: [{ kind: "text", text: body }],
          files: file ? [makeResultFile({ path: `/r/${at}` })] : []
        }))
      })
      const { decision, text: shown } = viewOfCandidate(given, "delegated_reports", "compound", [])
      const notices = shown.split("\n").filter((line) => /^\[\d+ of \d+ reports? shown whole/.test(line))
      expect(notices).toHaveLength(decision.fits ? 0 : 1)
      expect(notices.join("").match(/report \d+ \(/g) ?? []).toHaveLength(decision.omitted.length)
      expect(decision.payloadLines).toBeLessThanOrEqual(60 * reports.length)
      expect(decision.payloadBytes).toBeLessThanOrEqual(6_000 * reports.length)
    }), { numRuns: 150 })
  })
})

describe("any call", () => {
  const value = fc.anything({ withBigInt: true, withDate: true, withMap: true, withNullPrototype: true, maxDepth: 5 })
  const tool = fc.constantFrom(...ToolName.literals, "other")
  const outcome = fc.constantFrom("completed", "failed", "denied", "cancelled", "indeterminate" as const)

  it("is shown, by a policy or by the fallback, with a card inside its budget", () => {
    fc.assert(fc.property(tool, value, value, outcome, fc.string({ unit: "binary" }), (name, args, result, ended, reason) => {
      const call = makeValueCall({ tool: name, arguments: args, result, end: { outcome: ended, reason: { code: "code", text: reason } } })
      const { agent, card, decision } = projectValue(call)
      const shown = [...card.arguments.lines, ...card.result.lines]
      expect(agent.isWellFormed()).toBe(true)
      expect(agent).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/)
      expect(shown.every((line) => line.isWellFormed() && !/[\u0000-\u0008\n-\u001f]/.test(line))).toBe(true)
      expect(shown.length).toBeLessThanOrEqual(12)
      expect(shown.reduce((sum, line) => sum + Buffer.byteLength(line), 0)).toBeLessThanOrEqual(8_192)
      expect(decision.warnings).toBeDefined()
      expect(projectValue(call)).toEqual({ agent, card, decision })
    }), { numRuns: 400 })
  })

  it("keeps a card inside its budget however wide both sides are", () => {
    const width = fc.nat({ max: 12_000 })
    fc.assert(fc.property(width, fc.array(width, { maxLength: 9 }), fc.constantFrom("a", "日", "👨‍👩‍👧‍👦"), (path, widths, unit) => {
      const content = widths.map((count) => `${unit.repeat(count / unit.length)}\n`).join("")
      const { card } = projectValue(makeValueCall({
        arguments: { path: unit.repeat(path / unit.length) },
        result: { kind: "text", content, firstLine: 1, totalLines: widths.length }
      }))
      const shown = [...card.arguments.lines, ...card.result.lines]
      expect(shown.reduce((sum, line) => sum + Buffer.byteLength(line), 0)).toBeLessThanOrEqual(8_192)
      expect(card.result.hidden + card.result.lines.length).toBe(widths.length)
    }), { numRuns: 100 })
  })

  it("shows the value of no key that looks secret, at any depth", () => {
    const key = fc.constantFrom("password", "userPassword", "API_KEY", "x-api-key", "Authorization", "clientSecret", "refresh_token", "private key", "Set-Cookie", "AWS_CREDENTIALS")
    const nested = (name: string, depth: number): unknown =>
      depth === 0 ? { [name]: "t0p-s3cret", ok: 1 } : depth % 2 === 0 ? [nested(name, depth - 1)] : { inner: nested(name, depth - 1) }
    fc.assert(fc.property(key, fc.nat({ max: 8 }), (name, depth) => {
      expect(looksSecret(name)).toBe(true)
      const shown = projectValue(makeValueCall({ tool: "other", arguments: nested(name, depth), result: nested(name, depth) }))
      expect(JSON.stringify(shown)).not.toContain("t0p-s3cret")
    }), { numRuns: 100 })
  })
})
