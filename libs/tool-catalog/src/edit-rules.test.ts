import { Result } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { applyEdits, firstChangedLine, type TextEdit } from "./edit-rules.ts"

const bytes = (text: string) => Buffer.from(text, "utf8").toString("latin1")
const text = (latin: string) => Buffer.from(latin, "latin1").toString("utf8")

const apply = (before: string, ...edits: ReadonlyArray<readonly [oldText: string, newText: string]>) => {
  const edited = applyEdits(bytes(before), edits.map(([oldText, newText]): TextEdit => ({ oldText, newText })))
  return Result.isSuccess(edited) ? text(edited.success) : edited.failure
}

describe("edits", () => {
  it("are applied in order, each on what the earlier ones left", () => {
    expect(apply("a b c", ["a", "b2"], ["b2 b", "x"], ["c", ""])).toBe("x ")
  })

  it("that fit nowhere or more than once are named, with the lines", () => {
    expect(apply("a\nb\n", ["a", "c"], ["z", "y"])).toEqual({ edit: 1, matches: 0, lines: [] })
    expect(apply("x\na\nx\n", ["x", "y"])).toEqual({ edit: 0, matches: 2, lines: [1, 3] })
    expect(apply("x\n".repeat(9), ["x", "y"])).toEqual({ edit: 0, matches: 9, lines: [1, 2, 3, 4, 5] })
    expect(apply("aaa", ["aa", "b"])).toEqual({ edit: 0, matches: 2, lines: [1, 1] })
  })

  it("that change nothing are named", () => {
    expect(apply("a\r\nb", ["a\nb", "a\nb"])).toEqual({ edit: 0, matches: 1, lines: [1] })
  })

  it("take newText as it is, also where it looks like a replacement pattern", () => {
    expect(apply("a", ["a", "$& $1 $$ \\"])).toBe("$& $1 $$ \\")
  })

  it("with LF fit CRLF files, and the file keeps its line ends", () => {
    expect(apply("a\r\nb\r\nc\r\n", ["a\nb", "x\ny\nz"])).toBe("x\r\ny\r\nz\r\nc\r\n")
    expect(apply("a\r\nb\r\n", ["b", "x\ny"])).toBe("a\r\nx\r\ny\r\n")
    expect(apply("a\nb\r\n", ["a\nb", "c\nd"])).toBe("c\nd\r\n")
    expect(apply("a\nb\nc\r\n", ["c\n", "d\n"])).toBe("a\nb\nd\r\n")
  })

  it("with CR are taken to the byte", () => {
    expect(apply("a\r\nb\nc", ["a\r\nb", "x\ny"])).toBe("x\ny\nc")
    expect(apply("a\nb", ["a\r\nb", "x"])).toEqual({ edit: 0, matches: 0, lines: [] })
    expect(apply("a\r\nb", ["b", "x\r\ny\nz"])).toBe("a\r\nx\r\ny\nz")
  })

  it("leave bytes that are no UTF-8 as they are", () => {
    const before = `\xff\xfe ${bytes("ä")} \x80`
    expect(applyEdits(before, [{ oldText: "ä", newText: "😀" }])).toEqual(Result.succeed(`\xff\xfe ${bytes("😀")} \x80`))
  })

  it("replace the one place a search finds and leave every other byte", () => {
    const part = fc.array(fc.constantFrom("a", "b", "\n", "\r\n", "ä"), { maxLength: 8 }).map((parts) => parts.join(""))
    const unified = (value: string) => value.replaceAll("\r\n", "\n")
    fc.assert(fc.property(part, part, part, part, (head, wanted, tail, added) => {
      const oldText = unified(wanted)
      const newText = unified(added)
      const file = head + wanted + tail
      const searched = unified(file)
      fc.pre(oldText !== "")
      const count = Array.from({ length: searched.length }, (_, at) => searched.startsWith(oldText, at)).filter(Boolean).length
      const edited = apply(file, [oldText, newText])
      if (typeof edited !== "string") {
        expect(edited.matches).toBe(count)
        expect(count !== 1 || wanted === newText.replaceAll("\n", wanted.includes("\r\n") ? "\r\n" : "\n")).toBe(true)
        return
      }
      expect(count).toBe(1)
      expect(edited.startsWith(head) && edited.endsWith(tail)).toBe(true)
      expect(unified(edited)).toBe(unified(head) + newText + unified(tail))
    }), { numRuns: 2_000 })
  })
})

describe("the first changed line", () => {
  it.each([["a\nb\n", "a\nc\n", 2], ["", "a", 1], ["a\n", "a\nb", 2], ["a", "a", undefined], ["a\nb", "a\n", 2]] as const)(
    "from %j to %j is %s",
    (before, after, line) => {
      expect(firstChangedLine(before, after)).toBe(line)
    }
  )
})
