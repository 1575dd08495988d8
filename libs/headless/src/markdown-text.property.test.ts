import { describe, expect, it } from "@effect/vitest"
import fc from "fast-check"
import { codeSpan, fenced, fileLink, quoted } from "./markdown-text.ts"
import { visibleEscapes, visibleLine } from "./visible-text.ts"

const pieces = fc.constantFrom("`", "``", "````", "\n", " ", "a", "[", "]", "(", ">", "<", "\\", "#", "?", "%", "日", "\ud800", "\u001b[2J", "\r", "~~~")
const anyText = fc.array(pieces, { maxLength: 30 }).map((parts) => parts.join(""))

/** Whether CommonMark ends a block fenced with `fence` at this line. */
const closes = (fence: string) => (line: string) => /^ {0,3}(`{3,})[ \t]*$/.exec(line)?.[1] !== undefined && line.trim().length >= fence.length

describe("foreign text in Markdown", () => {
  it("stays inside its fence and can be read back", () => {
    fc.assert(fc.property(anyText, (text) => {
      const visible = visibleEscapes(text)
      const [first = "", ...rest] = fenced(visible, "")
      const end = rest.findIndex(closes(first))
      expect(end).toBe(rest.length - 1)
      expect(rest.slice(0, end).join("\n")).toBe(visible.replace(/\n$/, ""))
    }))
  })

  it("stays inside its code span and can be read back", () => {
    fc.assert(fc.property(anyText.filter((text) => text !== ""), (text) => {
      const span = codeSpan(text)
      const ticks = /^`+/.exec(span)?.[0] ?? ""
      const runs = [...span.matchAll(/`+/g)].filter((run) => run[0].length === ticks.length)
      expect(runs.map((run) => run.index)).toEqual([0, span.length - ticks.length])
      const inner = span.slice(ticks.length, -ticks.length)
      const stripped = inner.startsWith(" ") && inner.endsWith(" ") && inner.trim() !== "" ? inner.slice(1, -1) : inner
      expect(stripped.trim() === "" ? stripped.trim() : stripped).toBe(visibleLine(text).trim() === "" ? "" : visibleLine(text))
    }))
  })

  it("stays inside its block quote: every line carries the mark", () => {
    fc.assert(fc.property(anyText, (text) => {
      for (const line of quoted(text)) expect(line).toMatch(/^>($| )/)
    }))
  })

  it("is one link to one path, whatever the path holds", () => {
    fc.assert(fc.property(anyText, (text) => {
      const path = `/${text}`
      const target = /\]\(<([^<>\n\\]*)>\)$/.exec(fileLink(path))?.[1]
      expect(decodeURIComponent(target ?? "not a link")).toBe(path.toWellFormed())
    }))
  })
})
