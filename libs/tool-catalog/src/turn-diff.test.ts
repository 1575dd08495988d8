import { CallId, TurnId } from "@steno/contracts"
import { applyPatch, parsePatch } from "diff"
import { Effect } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { FileChanges } from "./file-changes.ts"
import { turnDiff } from "./turn-diff.ts"

const turn = (ordinal: number) => TurnId.make(`turn_01ARZ3NDEKTSV4RRFFQ${String(ordinal).padStart(7, "0")}`)
const call = (ordinal: number) => CallId.make(`call_01ARZ3NDEKTSV4RRFFQ${String(ordinal).padStart(7, "0")}`)
const bytes = (text: string) => Buffer.from(text, "utf8")

const nameOf = (header = ""): string => header.replace(/^[ab]\//, "")

/** The files with a diff applied to them. */
const applied = (before: ReadonlyMap<string, string>, content: string): ReadonlyMap<string, string> => {
  const files = new Map(before)
  for (const patch of parsePatch(content)) {
    const path = nameOf(patch.newFileName)
    expect(files.has(path)).toBe(patch.oldFileName !== "/dev/null")
    const after = applyPatch(files.get(path) ?? "", patch, { autoConvertLineEndings: false })
    if (after === false) throw new Error(`The diff of ${path} does not apply`)
    files.set(path, after)
  }
  return files
}

const text = fc.array(fc.constantFrom("a\n", "b\n", "\n", "a\r\n", "ä\n", "-- x\n", "+++ b/y\n", "z"), { maxLength: 20 }).map((parts) => parts.join(""))
const path = fc.constantFrom("a", "b/c", "with space", "new\nline", "quo\"te", "ümlaut")

/** Notes each write of a Turn as its tool does; `between` stands there by something else before the write. */
const noteAll = (first: ReadonlyMap<string, string>, writes: ReadonlyArray<{ readonly path: string; readonly text: string; readonly between?: string | undefined }>) =>
  Effect.gen(function*() {
    const changes = yield* FileChanges
    const files = new Map(first)
    for (const [at, { between, path: name, text: after }] of writes.entries()) {
      const before = files.has(name) ? between ?? files.get(name) : undefined
      yield* changes.note(turn(1), call(at), {
        real: `/w/${name}`,
        shown: name,
        before: before === undefined ? { kind: "nothing" } : { kind: "content", bytes: bytes(before) },
        after: bytes(after)
      })
      files.set(name, after)
    }
    return { files, known: yield* changes.ofTurn(turn(1)) }
  }).pipe(Effect.provide(FileChanges.layer), Effect.runSync)

describe("the diff of a Turn", () => {
  it("makes the last content of every file of its first one, however often and by whom it was changed between", () => {
    fc.assert(fc.property(
      fc.dictionary(path, text, { noNullPrototype: true }),
      fc.array(fc.record({ path, text, between: fc.option(text, { nil: undefined }) }), { maxLength: 8 }),
      (first, writes) => {
        const before = new Map(Object.entries(first))
        const touched = new Set<string>()
        const steady = writes.map(({ between, ...write }) => {
          const again = touched.has(write.path)
          touched.add(write.path)
          return again ? { ...write, between } : write
        })
        const { files, known } = noteAll(before, steady)
        const diff = turnDiff(known.files)
        expect(diff === undefined ? before : applied(before, diff.content)).toEqual(files)
        const differing = [...files].filter(([name, content]) => before.get(name) !== content).map(([name]) => name)
        expect(new Set(diff?.files.map((file) => file.path))).toEqual(new Set(differing))
        expect(diff?.files.every(({ kind, path: name }) => kind === (before.has(name) ? "update" : "create")) ?? true).toBe(true)
      }
    ), { numRuns: 300 })
  })

  it("of files that are at last what they were at first is none", () => {
    const { known } = noteAll(new Map([["f", "a\n"]]), [{ path: "f", text: "b\n" }, { path: "f", text: "a\n" }])
    expect(turnDiff(known.files)).toBeUndefined()
    expect(turnDiff([])).toBeUndefined()
  })

  it("names what it does not show and why, before everything that it shows", () => {
    const file = (name: string, after: Uint8Array, before?: Uint8Array) =>
      ({ path: name, isCreated: before === undefined, contents: { before, after } })
    const lines = (word: string, count: number) => bytes(`${word}\n`.repeat(count))
    const diff = turnDiff([
      file("f", bytes("b\n"), bytes("a\n")),
      { path: "huge", isCreated: false },
      file("image", Uint8Array.of(0x89, 0, 1)),
      file("latin", Uint8Array.of(0xe4), bytes("a")),
      file("one", lines("one", 230_000)),
      file("two", lines("two", 150_000)),
      file("two more", lines("more", 150_000))
    ], ["f", "g"])
    const [head, rest] = (diff?.content ?? "").split("--- a/f\n")
    expect(head?.split("\n")).toEqual([
      `Not shown: "huge" (the file is too large)`,
      `Not shown: "image" (it is no UTF-8 text)`,
      `Not shown: "latin" (it is no UTF-8 text)`,
      `Not shown: "two more" (its change is too large)`,
      `Not shown: "f" (changes by calls that another process carried or that are no longer remembered)`,
      `Not shown: "g" (changes by calls that another process carried or that are no longer remembered)`,
      ""
    ])
    expect(rest?.startsWith("+++ b/f\n@@ -1,1 +1,1 @@\n-a\n+b\n--- /dev/null\n+++ b/one\n")).toBe(true)
    expect(diff?.files).toEqual([
      { path: "f", kind: "update" },
      { path: "huge", kind: "update" },
      { path: "image", kind: "create" },
      { path: "latin", kind: "update" },
      { path: "one", kind: "create" },
      { path: "two", kind: "create" },
      { path: "two more", kind: "create" },
      { path: "g" }
    ])
    expect(applied(new Map([["f", "a\n"]]), diff?.content ?? "").get("f")).toBe("b\n")
  })
})

describe("what is known of changed files", () => {
  const mebibytes = (count: number) => new Uint8Array(count * 1024 * 1024)
  const change = (name: string, after: Uint8Array, before?: Uint8Array) =>
    ({ real: `/w/${name}`, shown: name, after, before: before === undefined ? { kind: "nothing" as const } : { kind: "content" as const, bytes: before } })

  it("is bounded: the Turn that changed a file the longest ago goes first, a file that is too large is known by name", () =>
    Effect.gen(function*() {
      const changes = yield* FileChanges
      yield* changes.note(turn(1), call(1), change("a", mebibytes(10)))
      yield* changes.note(turn(2), call(2), change("b", mebibytes(10)))
      yield* changes.note(turn(1), call(3), change("a", mebibytes(11)))
      yield* changes.note(turn(3), call(4), change("c", mebibytes(12)))
      expect([...(yield* changes.ofTurn(turn(2))).calls]).toEqual([])
      expect([...(yield* changes.ofTurn(turn(1))).calls]).toEqual([call(1), call(3)])
      yield* changes.note(turn(3), call(5), change("d", mebibytes(16), mebibytes(16)))
      expect([...(yield* changes.ofTurn(turn(1))).calls]).toEqual([])
      const { calls, files } = yield* changes.ofTurn(turn(3))
      expect([...calls]).toEqual([call(4), call(5)])
      expect(files.map(({ contents, path: name }) => [name, contents?.after.length])).toEqual([["c", 12 * 1024 * 1024], ["d", undefined]])
      yield* changes.note(turn(3), call(6), change("d", mebibytes(1), mebibytes(1)))
      expect((yield* changes.ofTurn(turn(3))).files.at(1)).toEqual({ path: "d", isCreated: false })
      yield* changes.forget(turn(3))
      expect((yield* changes.ofTurn(turn(3))).files).toEqual([])
      yield* changes.note(turn(4), call(7), change("e", mebibytes(32)))
      expect((yield* changes.ofTurn(turn(4))).files[0]?.contents?.after.length).toBe(32 * 1024 * 1024)
    }).pipe(Effect.provide(FileChanges.layer), Effect.runPromise))
})
