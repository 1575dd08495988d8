import { describe, expect, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import fc from "fast-check"
import { shellLine } from "./shell-words.ts"

const readByBash = (line: string): ReadonlyArray<string> => {
  const read = spawnSync("bash", ["-c", `printf '%s\\0' ${line}`], { encoding: "utf8", env: { LC_ALL: "C.UTF-8" } })
  return read.stdout.split("\0").slice(0, -1)
}

describe("a command line to copy", () => {
  it.each([
    [["steno", "run", "show", "run_01"], "steno run show run_01"],
    [["--home", "/my home", ""], "--home '/my home' ''"],
    [["it's", "$HOME `id` \"x\" !"], `'it'\\''s' '$HOME \`id\` "x" !'`],
    [["a\u001b[2Kb", "c\u202ed'e\\"], "$'a\\x1b[2Kb' $'c\\xe2\\x80\\xaed\\'e\\\\'"]
  ])("of %j is %s", (words, line) => {
    expect(shellLine(words)).toBe(line)
  })

  it("is read back by a shell as the words it was made of, and shows nothing that a terminal acts on", () => {
    const word = fc.string({ unit: fc.oneof(fc.constantFrom("'", "\\", "$", "\"", "\n", "\u001b", "\u202e", "\u00a0", "-", "é", "👍", " "), fc.string({ unit: "grapheme", minLength: 1, maxLength: 1 })) })
      .filter((text) => !text.includes("\0"))
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 4 }), (words) => {
        const line = shellLine(words)
        expect(line).not.toMatch(/[\0-\u001f\u007f-\u009f\u202e\u00a0]/)
        expect(readByBash(line)).toEqual(words)
      }),
      { numRuns: 60 }
    )
  })
})
