import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { filesOfDiffs, hunkOf } from "./diff-patch.ts"

const linesOf = (text: string) => (text === "" ? [] : text.replace(/\n$/, "").split("\n"))

/** The text's lines with the hunk applied; fails where the hunk does not fit. */
const applied = (text: string, hunk: NonNullable<ReturnType<typeof hunkOf>>): ReadonlyArray<string> => {
  const lines = linesOf(text)
  const from = hunk.oldLines === 0 ? hunk.oldStart : hunk.oldStart - 1
  const old = hunk.lines.filter((line) => !line.startsWith("+")).map((line) => line.slice(1))
  expect(lines.slice(from, from + hunk.oldLines)).toEqual(old)
  const made = hunk.lines.filter((line) => !line.startsWith("-")).map((line) => line.slice(1))
  expect(made).toHaveLength(hunk.newLines)
  return [...lines.slice(0, from), ...made, ...lines.slice(from + hunk.oldLines)]
}

const text = fc.array(fc.constantFrom("a", "b", "", "c d"), { maxLength: 12 }).map((lines) =>
  lines.map((line) => `${line}\n`).join("")
)

describe("a hunk of two texts", () => {
  it("makes the new one of the old one, and is absent where they are alike", () => {
    fc.assert(fc.property(text, text, (oldText, newText) => {
      const hunk = hunkOf(oldText, newText)
      if (hunk === undefined) expect(linesOf(newText)).toEqual(linesOf(oldText))
      else expect(applied(oldText, hunk)).toEqual(linesOf(newText))
    }))
  })

  it("leaves out what is alike but for three lines", () => {
    const before = "1\n2\n3\n4\n5\n6\n7\n8\n9\n"
    expect(hunkOf(before, before.replace("5", "five"))).toEqual({
      oldStart: 2,
      oldLines: 7,
      newStart: 2,
      newLines: 7,
      lines: [" 2", " 3", " 4", "-5", "+five", " 6", " 7", " 8"]
    })
  })
})

it("a diff without an old text makes a file; one without a path or a new text is nothing", () => {
  expect(filesOfDiffs([
    { type: "diff", path: "/new", oldText: null, newText: "one\n" },
    { type: "diff", path: "/same", oldText: "one\n", newText: "one\n" },
    { type: "diff", path: "", newText: "one" },
    { type: "diff", path: "/x", newText: 5 },
    { type: "content", content: { type: "text", text: "said" } },
    null
  ])).toEqual([
    { path: "/new", kind: "create", patch: [{ oldStart: 0, oldLines: 0, newStart: 1, newLines: 1, lines: ["+one"] }] },
    { path: "/same", kind: "update", patch: [] }
  ])
})
