import { describe, expect, it } from "vitest"
import { changedFiles, filesOfDiff } from "./codex-patch.ts"

describe("the patch of a change", () => {
  const patchOf = (type: string, diff: string) => changedFiles([{ path: "f", kind: { type }, diff }], true)?.[0]?.patch

  it("of a new file has every line as added, and says where no newline ends it", () => {
    expect(patchOf("add", "one\ntwo\n")).toBe("@@ -0,0 +1,2 @@\n+one\n+two\n")
    expect(patchOf("add", "one")).toBe("@@ -0,0 +1 @@\n+one\n\\ No newline at end of file\n")
    expect(patchOf("add", "\n")).toBe("@@ -0,0 +1 @@\n+\n")
  })

  it("of an empty file is empty", () => {
    expect(patchOf("add", "")).toBe("")
    expect(patchOf("delete", "")).toBe("")
  })

  it("is no evidence before the change was made", () => {
    expect(changedFiles([{ path: "f", kind: { type: "add" }, diff: "one\n" }], false)).toEqual([{ path: "f", kind: "create" }])
  })

  it("of a kind that is not known keeps what was supplied", () => {
    expect(changedFiles([{ path: "f", kind: { type: "link" }, diff: "x" }], true)).toEqual([{ path: "f", patch: "x" }])
  })

  it("vanishes alone where it is malformed, and so does a change without a path", () => {
    expect(changedFiles([{ path: "", kind: { type: "add" } }, { path: "f", kind: { type: "add" }, diff: 1 }, 2], true)).toEqual([
      { path: "f", kind: "create" }
    ])
    expect(changedFiles({}, true)).toBeUndefined()
  })
})

describe("the files of a diff", () => {
  it("are found without hunks, with blanks, and with a header inside a hunk", () => {
    const diff = [
      "diff --git a/a b.txt b/a b.txt\nold mode 100644\nnew mode 100755\n",
      "diff --git a/empty b/empty\nnew file mode 100644\nindex 0000000..e69de29\n",
      "diff --git a/old b/new\nsimilarity index 100%\nrename from old\nrename to new\n",
      "diff --git a/notes b/notes\n--- a/notes\n+++ b/notes\n@@ -1 +1,2 @@\n a\n++++ b/other\n"
    ].join("")
    expect(filesOfDiff(diff).map(({ kind, path }) => [kind, path])).toEqual([
      ["update", "a b.txt"],
      ["create", "empty"],
      ["update", "new"],
      ["update", "notes"]
    ])
  })

  it("of an empty diff are none", () => {
    expect(filesOfDiff("")).toEqual([])
  })
})
