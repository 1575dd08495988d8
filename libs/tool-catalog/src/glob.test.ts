import { Result } from "effect"
import fc from "fast-check"
import { matchesGlob } from "node:path"
import { describe, expect, it } from "vitest"
import { compileGlob } from "./glob.ts"

const matches = (glob: string, path: string) => Result.getOrThrow(compileGlob(glob)).matches(path)

describe("a glob", () => {
  it.each([
    ["*.ts", "a.ts", true],
    ["*.ts", "src/deep/a.ts", true],
    ["*.ts", "a.tsx", false],
    ["a?c", "abc", true],
    ["a?c", "a/c", false],
    ["src/*.ts", "src/a.ts", true],
    ["src/*.ts", "src/b/a.ts", false],
    ["src/*.ts", "lib/src/a.ts", false],
    ["/a.ts", "a.ts", true],
    ["/a.ts", "src/a.ts", false],
    ["./src/*", "src/a", true],
    ["src/**", "src/a/b", true],
    ["src/**/index.ts", "src/index.ts", true],
    ["src/**/index.ts", "src/a/b/index.ts", true],
    ["**/test/**", "a/test/b/c", true],
    ["*.{js,ts}", "x/a.ts", true],
    ["{src,lib}/**/*.{test,spec}.ts", "lib/a/b.spec.ts", true],
    ["{a,b/{c,d}}.md", "b/d.md", true],
    ["[a-c]x", "bx", true],
    ["[!a-c]x", "bx", false],
    ["[!a-c]x", "dx", true],
    ["[]]x", "]x", true],
    ["\\*.ts", "*.ts", true],
    ["\\*.ts", "a.ts", false],
    ["*", ".hidden", true],
    ["ä*", "ä😀", true],
    ["?", "😀", true]
  ])("%s against %s: %s", (glob, path, expected) => {
    expect(matches(glob, path)).toBe(expected)
  })

  it.each([["{a", "a { has no }"], ["[a", "a [ has no ]"], ["{a,b}".repeat(9), "it has more than 256 alternatives"]])(
    "%s is refused: %s",
    (glob, reason) => {
      expect(compileGlob(glob)).toEqual(Result.fail(reason))
    }
  )

  it("agrees with Node's on names and folders", () => {
    const name = fc.stringMatching(/^[ab]{1,4}$/)
    const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((names) => names.join("/"))
    const part = fc.oneof(fc.constant("**"), fc.stringMatching(/^[ab?*]{1,4}$/).filter((text) => !text.includes("**")))
    const glob = fc.array(part, { minLength: 2, maxLength: 4 }).map((parts) => parts.join("/"))
    fc.assert(fc.property(glob, path, (one, other) => {
      fc.pre(!one.endsWith("**") && !one.startsWith("**/**"))
      expect(matches(one, other)).toBe(matchesGlob(other, one))
    }), { numRuns: 1_000 })
  })

  it("that makes a backtracking matcher hang is answered", () => {
    expect(matches(`${"*a".repeat(40)}b`, "a".repeat(250))).toBe(false)
    expect(matches(`${"**/a/".repeat(30)}b`, "a/".repeat(500) + "c")).toBe(false)
  })
})
